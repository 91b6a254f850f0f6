import swagger from '@fastify/swagger'
import swaggerUi from '@fastify/swagger-ui'
import type { FastifyInstance, FastifySchema } from 'fastify'
import fp from 'fastify-plugin'
import manifest from '../../package.json' with { type: 'json' }

const BEARER = 'apiKey'

const info = {
  title: 'Postroom',
  version: manifest.version,
  summary: 'Write a post once for many social accounts.',
  description: `One call stores a post for any number of accounts, as a draft or for a time, each with its own caption where you want one. When its time comes, it is published once on each of them, and \`getPost\` tells what became of it there.

**Start** with an API key, which whoever runs the service makes for you. Send it with every request, as \`Authorization: Bearer pr_…\`; on this page, press *Authorize* and paste it. \`connectAccount\` connects an account on a network, \`listAccounts\` gives the ids to post with, and \`createPost\` takes them.

**Answers** are JSON. One that is not a success is \`{"error": "…"}\`, with \`details\` where the shape of the request was wrong. Answers of 500 and above may be tried again, with growing pauses: under the same \`Idempotency-Key\` where something is created, so that it is created once. Before an operation is chosen, and so at none of them, stand 408 (the request came too slowly), 417 (an \`Expect\` that nobody can meet) and 431 (headers above 16 KiB). Answers carry an \`x-request-id\`: name it when you ask whoever runs the service.

**Ids** are strings without a meaning. **Times** are RFC 3339; answers give them in UTC. New fields may come without a new version of the path, so ignore what you do not know.`,
  contact: { name: 'The developers of Postroom' },
  license: { name: 'MIT', identifier: 'MIT' },
}

/** The first is right wherever the document is read from a running service; generated clients want a whole address. */
const servers = [
  { url: '/', description: 'The service that this document was read from' },
  { url: 'http://127.0.0.1:3000', description: 'A service that was started with the defaults' },
]

const tags = [
  { name: 'posts', description: 'Write posts for one or more accounts, publish them, see what became of them.' },
  { name: 'media', description: 'The images and videos that posts can show.' },
  { name: 'accounts', description: 'Connect social accounts, list those that you can post to, disconnect them.' },
  {
    name: 'sandbox',
    description:
      'A network for tests: accounts on `sandbox` take what X would take, people see nothing of it, and `fields.fault` makes it fail as real networks do.',
  },
]

/**
 * Serves the document at `/openapi.json` and Swagger UI at `/docs`. The document is built from the routes' schemas and
 * depends on nothing else, so that the one served is the one that is committed.
 */
export const openapi = fp(async (app: FastifyInstance) => {
  const requestExamples = new Map<string, unknown>()

  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info,
      servers,
      tags,
      security: [{ [BEARER]: [] }],
      components: {
        securitySchemes: {
          [BEARER]: {
            type: 'http',
            scheme: 'bearer',
            description:
              'An API key: `pr_` and 36 letters and digits. Whoever runs the service makes it, and it is shown once.',
          },
        },
      },
    },
    refResolver: { buildLocalReference: (schema) => String(schema.$id) },
    transform: ({ schema, url }) => {
      if (schema.body) requestExamples.set(schema.operationId as string, (schema.body as Described)['x-examples'])
      return { schema: withDescribedAnswers(schema), url }
    },
    transformObject: (document) => {
      const { paths } = (document as { openapiObject: Document }).openapiObject
      for (const operation of Object.values(paths).flatMap((path) => Object.values(path))) {
        const media = operation.requestBody?.content['application/json']
        if (media) media.examples = requestExamples.get(operation.operationId)
      }
      return (document as { openapiObject: object }).openapiObject
    },
  })
  await app.register(swaggerUi, {
    routePrefix: '/docs',
    staticCSP: PAGE_POLICY,
    // The page may call nobody else, so it offers nobody else.
    transformSpecification: (document) => ({ ...document, servers: servers.slice(0, 1) }),
    theme: { title: info.title },
    uiConfig: {
      layout: 'BaseLayout',
      defaultModelExpandDepth: 2,
      displayOperationId: true,
      displayRequestDuration: true,
      persistAuthorization: true,
      tryItOutEnabled: true,
    },
  })
  app.get('/openapi.json', { schema: { hide: true } }, async () => app.swagger())
})

/**
 * What Swagger UI may load. The plugin's own policy has `upgrade-insecure-requests`, with which the page stays blank
 * wherever the service is reached by plain http under another name than localhost.
 */
const PAGE_POLICY = {
  'default-src': "'none'",
  'script-src': "'self'",
  'style-src': "'self'",
  // It shows an image that it got as an answer from a blob.
  'img-src': ["'self'", 'data:', 'blob:'],
  'connect-src': "'self'",
  'base-uri': "'none'",
  'form-action': "'none'",
  'frame-ancestors': "'none'",
}

interface Document {
  paths: Record<string, Record<string, Operation>>
}

interface Operation {
  operationId: string
  requestBody?: { content: { 'application/json'?: { examples?: unknown } } }
}

/** A reference to a component and what is said beside it: made by `Body` and `Answer`. */
interface Described {
  $ref?: string
  description?: string
  headers?: object
  'x-examples': unknown
}

/**
 * What stands beside a reference would be dropped from the document. An answer that spells out its media type keeps it;
 * for a request nothing does, so its examples are put back at the end.
 */
function withDescribedAnswers(schema: FastifySchema): FastifySchema {
  const answers = Object.entries((schema.response ?? {}) as Record<string, Described>)
  const response = answers.map(([status, { $ref, 'x-examples': examples, ...answer }]) => [
    status,
    $ref ? { ...answer, content: { 'application/json': { schema: { $ref }, examples } } } : answer,
  ])
  return { ...schema, response: Object.fromEntries(response) }
}

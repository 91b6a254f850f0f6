import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import swagger from '@fastify/swagger'
import swaggerUi from '@fastify/swagger-ui'
import type { FastifyInstance, FastifyReply, FastifySchema, onRequestAsyncHookHandler } from 'fastify'
import fp from 'fastify-plugin'
import { DESCRIPTION, listTags, type NetworkTables, SERVERS, SUMMARY } from '../../schemas/document.ts'
import { components } from '../../schemas/index.ts'
import { BEARER } from '../../schemas/operations/define-operation.ts'
import { WEBHOOK_REQUESTS } from '../../schemas/webhook-document.ts'
import { VERSION } from '../version.ts'
import { type Constant, createConstant, sendConstant } from './constant.ts'

const info = {
  title: 'Postroom',
  version: VERSION,
  summary: SUMMARY,
  description: DESCRIPTION,
  contact: { name: 'The developers of Postroom' },
  license: { name: 'MIT', identifier: 'MIT' },
}

/**
 * Serves the document at `/openapi.json` and Swagger UI at `/docs`. The document depends on the schemas of the routes
 * alone, so that the served document equals the committed one.
 */
export const openapi = fp(async (app: FastifyInstance, { tables }: { tables: NetworkTables }) => {
  const requestExamples = new Map<string, unknown>()
  const withOptionalBody = new Set<string>()

  // The plugin lists them as the components of the document. Every scope of the application copies them.
  for (const component of components) app.addSchema(component)
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info,
      servers: SERVERS,
      tags: listTags(tables),
      security: [{ [BEARER]: [] }],
      components: {
        securitySchemes: {
          [BEARER]: {
            type: 'http',
            scheme: 'bearer',
            description:
              'An API key: `pr_` and 36 letters and digits. The operator of the service creates it; it is shown once.',
          },
        },
      },
    },
    refResolver: { buildLocalReference: (schema) => String(schema.$id) },
    transform: ({ schema, url, route }) => {
      if (route.config?.hasOptionalBody) withOptionalBody.add(schema.operationId as string)
      if (schema.body) requestExamples.set(schema.operationId as string, (schema.body as Described)['x-examples'])
      return { schema: withResponseContent(schema), url }
    },
    transformObject: (document) => {
      const { paths } = (document as { openapiObject: Document }).openapiObject
      for (const operation of Object.values(paths).flatMap((path) => Object.values(path))) {
        if (withOptionalBody.has(operation.operationId)) operation.requestBody!.required = false
        for (const [type, media] of Object.entries(operation.requestBody?.content ?? {})) {
          if (type.endsWith('json')) media.examples = requestExamples.get(operation.operationId)
        }
      }
      return { ...(document as { openapiObject: object }).openapiObject, webhooks: WEBHOOK_REQUESTS }
    },
  })
  const document = once(() => createConstant(JSON_TYPE, JSON.stringify(app.swagger())))
  const sendDocument = (reply: FastifyReply) => sendConstant(reply, document(), 'no-cache')
  app.get('/openapi.json', { schema: { hide: true } }, async (_request, reply) => sendDocument(reply))
  await app.register(async (docs) => {
    docs.addHook('onRequest', sendConstants(app))
    await docs.register(swaggerUi, {
      routePrefix: '/docs',
      staticCSP: PAGE_POLICY,
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
  })
})

const JSON_TYPE = 'application/json; charset=utf-8'

/** Computes a value when it is first needed. */
function once<T>(compute: () => T): () => T {
  let value: { is: T } | undefined
  return () => {
    value ??= { is: compute() }
    return value.is
  }
}

/** The files of Swagger UI that are large. */
const ASSETS: Record<string, string> = {
  'swagger-ui-bundle.js': 'text/javascript; charset=utf-8',
  'swagger-ui-standalone-preset.js': 'text/javascript; charset=utf-8',
  'swagger-ui.css': 'text/css; charset=utf-8',
}

/** Sends constants that the plugin would render or read again for each request. */
function sendConstants(app: FastifyInstance): onRequestAsyncHookHandler {
  const folder = join(dirname(fileURLToPath(import.meta.resolve('@fastify/swagger-ui'))), 'static')
  // The content security policy lets the page call its own origin only.
  const render = () => JSON.stringify({ ...app.swagger(), servers: SERVERS.slice(0, 1) })
  const constants = new Map<string, () => Constant>([
    ['/docs/json', once(() => createConstant(JSON_TYPE, render()))],
    // Every JSON is YAML: https://yaml.org/spec/1.2.2/#12-yaml-history
    ['/docs/yaml', once(() => createConstant('application/yaml; charset=utf-8', render()))],
    ...Object.entries(ASSETS).map(([name, type]): [string, () => Constant] => [
      `/docs/static/${name}`,
      once(() => createConstant(type, readFileSync(join(folder, name)))),
    ]),
  ])
  return async ({ method, url, headers }, reply) => {
    // Parts of files and preconditions are left to the plugin.
    const isPlain = !url.startsWith('/docs/static/') || !(headers.range || headers['if-match'])
    const constant = method === 'GET' && isPlain ? constants.get(url.split('?', 1)[0]!) : undefined
    if (constant) return sendConstant(reply, constant(), 'no-cache')
  }
}

/**
 * The content security policy of Swagger UI. The plugin's own one has `upgrade-insecure-requests`, with which the page
 * stays blank over plain HTTP on any host but localhost.
 */
const PAGE_POLICY = {
  'default-src': "'none'",
  'script-src': "'self'",
  'style-src': "'self'",
  // Swagger UI shows an image of a response from a blob.
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
  requestBody?: { required: boolean; content: Record<string, { examples?: unknown }> }
}

/** A reference to a component, and the keys beside it that `Body` and `JsonResponse` set. */
interface Described {
  $ref?: string
  description?: string
  headers?: object
  'x-examples': unknown
}

/**
 * The plugin drops every key beside a `$ref`. It keeps the examples of a response that has `content`; for a request
 * there is no such form, so that `transformObject` adds its examples.
 */
function withResponseContent(schema: FastifySchema): FastifySchema {
  const responses = Object.entries((schema.response ?? {}) as Record<string, Described>)
  const response = responses.map(([status, { $ref, 'x-examples': examples, ...rest }]) => [
    status,
    $ref ? { ...rest, content: { 'application/json': { schema: { $ref }, examples } } } : rest,
  ])
  return { ...schema, response: Object.fromEntries(response) }
}

import swagger from '@fastify/swagger'
import type { FastifyInstance, FastifyReply, FastifySchema } from 'fastify'
import fp from 'fastify-plugin'
import { DESCRIPTION, SERVERS, SUMMARY, type Tag } from '../../../schemas/document.ts'
import { components } from '../../../schemas/index.ts'
import { BEARER } from '../../../schemas/operations/define-operation.ts'
import { WEBHOOK_REQUESTS } from '../../../schemas/webhook-document.ts'
import { VERSION } from '../version.ts'
import { basePathOf } from './base-path.ts'
import { createConstant, JSON_TYPE, once, sendConstant } from './constant.ts'

const info = {
  title: 'Postroom',
  version: VERSION,
  summary: SUMMARY,
  description: DESCRIPTION,
  contact: { name: 'The developers of Postroom' },
  license: { name: 'MIT', identifier: 'MIT' },
}

/**
 * Serves the document at `/openapi.json`. It depends on the schemas of the routes alone, so that the served document
 * equals the committed one. Only the path of PUBLIC_URL is added to its servers.
 */
export const openapi = fp(async (app: FastifyInstance, { tags, publicUrl }: OpenApiOptions) => {
  const requestExamples = new Map<string, unknown>()
  const withOptionalBody = new Set<string>()

  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info,
      servers: SERVERS,
      tags,
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
      const [own, ...others] = SERVERS
      return {
        ...(document as { openapiObject: object }).openapiObject,
        servers: [{ ...own!, url: basePathOf(publicUrl()) || own!.url }, ...others],
        webhooks: WEBHOOK_REQUESTS,
      }
    },
  })
  // The plugin lists the schemas of all scopes. Every scope would copy those of the root, and some would compile them.
  await app.register(async (scope) => {
    for (const component of components) scope.addSchema(component)
  })
  const document = once(() => createConstant(JSON_TYPE, JSON.stringify(app.swagger())))
  const sendDocument = (reply: FastifyReply) => sendConstant(reply, document(), 'no-cache')
  app.get('/openapi.json', { schema: { hide: true } }, async (_request, reply) => sendDocument(reply))
})

interface OpenApiOptions {
  tags: Tag[]
  publicUrl(): string
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

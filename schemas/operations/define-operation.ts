import type { TSchema } from '@sinclair/typebox'

/** Everything about an endpoint but its handler: the options of a Fastify route. */
interface Operation {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  url: string
  config?: { failure: string } | { isProbe: true }
  schema: {
    hide?: boolean
    operationId?: string
    tags?: readonly string[]
    summary?: string
    description?: string
    consumes?: readonly string[]
    params?: TSchema
    querystring?: TSchema
    headers?: TSchema
    body?: TSchema
    response?: Record<number, unknown>
  }
}

/** Checks the shape of an operation and keeps its literal types, which the handler's types are inferred from. */
export const defineOperation = <const T extends Operation>(definition: T): T => definition

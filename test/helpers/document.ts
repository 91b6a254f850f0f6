import { readFileSync } from 'node:fs'
import { Ajv2020 } from 'ajv/dist/2020.js'
import type { Scope } from '../../schemas/scopes.ts'
import { parseTime } from '../../schemas/time.ts'

export interface Document {
  openapi: string
  info: { description: string }
  servers: { url: string }[]
  security: Record<string, string[]>[]
  tags: { name: string; description: string }[]
  components: {
    schemas: Record<string, Schema>
    securitySchemes: Record<string, { type: string; scheme: string }>
  }
  paths: Record<string, Record<string, Omit<Operation, 'method' | 'path'>>>
}

export interface Operation {
  /** In upper case, as in Fastify. */
  method: string
  path: string
  operationId: string
  summary: string
  description: string
  tags: string[]
  security?: unknown
  'x-required-scope'?: Scope
  'x-conditional-scope'?: { scope: Scope; when: string }
  'x-takes-account-lists'?: boolean
  parameters?: {
    name: string
    in: 'path' | 'query' | 'header'
    required?: boolean
    description: string
    schema: Schema
    example: unknown
  }[]
  requestBody?: { required: boolean; content: Record<string, Media> }
  responses: Record<string, Response>
}

interface Response {
  description: string
  headers?: Record<string, { schema: Schema; description: string }>
  content: Record<string, Media>
}

interface Media {
  schema: Schema
  examples: Record<string, { summary?: string; value: unknown }>
}

export interface Schema {
  type?: string | string[]
  format?: string
  minItems?: number
  maxLength?: number
  pattern?: string
  minimum?: number
  maximum?: number
  required?: string[]
  discriminator?: { propertyName: string; mapping: Record<string, string> }
  $ref?: string
  description?: string
  examples?: unknown[]
  default?: unknown
  properties?: Record<string, Schema>
  items?: Schema
  anyOf?: Schema[]
  oneOf?: Schema[]
  additionalProperties?: Schema | boolean
  enum?: unknown[]
}

export const COMMITTED = new URL('../../openapi/openapi.json', import.meta.url)

/** The committed document. */
export const readDocument = (): Document => JSON.parse(readFileSync(COMMITTED, 'utf8'))

export const operationsOf = ({ paths }: Document): Operation[] =>
  Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]) => ({ ...operation, method: method.toUpperCase(), path })),
  )

export const json = ({ content }: { content: Record<string, Media> }): Media => content['application/json']!

/**
 * Returns a function that gives the errors of a value by a schema of `document`: an empty string if the value is valid.
 * It uses plain JSON Schema, as readers of the document do: TypeBox checks more than the document says.
 */
export function validatorOf(document: Document): (schema: Schema, value: unknown) => string {
  const ajv = new Ajv2020({ strict: false, allErrors: true })
  ajv.addFormat('date-time', (text) => 'time' in parseTime(text))
  ajv.addSchema(document, 'document')
  return (schema, value) => {
    // Compiled once for each component: the fuzz soak validates a million values.
    const validate = schema.$ref === undefined ? ajv.compile(schema) : ajv.getSchema(`document${schema.$ref}`)!
    return validate(value) ? '' : ajv.errorsText(validate.errors)
  }
}

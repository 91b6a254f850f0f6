import * as operations from '../schemas/operations/index.ts'
import { targetOf } from '../schemas/shared.ts'

interface Schema {
  $ref?: string
  properties?: Record<string, Schema>
  required?: string[]
  enum?: string[]
  content?: object
}

interface Operation {
  method: string
  url: string
  scope: string | null
  sdk?: string
  config: { hasOptionalBody?: boolean }
  schema: {
    description: string
    consumes?: string[]
    params?: Schema
    headers?: Schema
    querystring?: Schema
    body?: Schema
    response: Record<string, Schema>
  }
}

/** The methods of the SDK by group, in the order of their names: what the clients are written from. */
export const GROUPS = Map.groupBy(
  (Object.entries(operations) as [string, Operation][])
    .flatMap(([operationId, operation]) => (operation.sdk ? [toMethod(operationId, operation.sdk, operation)] : []))
    .toSorted((a, b) => (a.sdk < b.sdk ? -1 : 1)),
  ({ sdk }) => sdk.split('.')[0]!,
)

export type Method = ReturnType<typeof toMethod>

function toMethod(operationId: string, sdk: string, { method, url, scope, config, schema }: Operation) {
  const { params, headers, querystring, body, response } = schema
  const [, { $ref: result = '', content = {} }] = Object.entries(response).find(([status]) => status < '300')!
  return {
    operationId,
    sdk,
    name: sdk.split('.')[1]!,
    method,
    url,
    result,
    description: schema.description,
    ids: [...url.matchAll(/:(\w+)/g)].map(([, id]) => ({ name: id!, values: params?.properties?.[id!]?.enum })),
    query: Object.keys(querystring?.properties ?? {}),
    needsQuery: Boolean(querystring?.required?.length),
    body: body && toBody(body, config.hasOptionalBody),
    isForm: schema.consumes?.includes('multipart/form-data'),
    isFile: Object.keys(content).some((type) => /^(?:image|video)\//.test(type)),
    isList: result.endsWith('List'),
    hasKey: 'Idempotency-Key' in (headers?.properties ?? {}),
    hasVersion: 'If-Match' in (headers?.properties ?? {}),
    hasRange: 'Range' in (headers?.properties ?? {}),
    isRead: method === 'GET' || scope?.endsWith(':read'),
  }
}

function toBody(body: Schema, isOptional = false) {
  const { required, properties }: Schema = targetOf(body)!
  return { type: body.$ref!, isOptional, hasRequired: Boolean(required) || !properties }
}

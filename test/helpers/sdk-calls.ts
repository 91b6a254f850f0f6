import * as operations from '../../schemas/operations/index.ts'
import type { ChangeOptions, CreateOptions, Postroom } from '../../src/clients/sdk/index.ts'

/** The parts of a request, beside the ids in its path. */
export interface Parts {
  body: unknown
  query: object
  options: CreateOptions & ChangeOptions
}

type Call = (client: Postroom, parts: Parts, ...ids: string[]) => PromiseLike<object>
type Methods = Record<string, Record<string, (...args: unknown[]) => PromiseLike<object>>>

/** Calls a method of the SDK: it takes the ids, then the body if its operation has one, then the query and options. */
function toCall(method: string, schema: { body?: unknown; consumes?: readonly string[] }): Call {
  const [resource, name] = method.split('.') as [string, string]
  const isForm = schema.consumes?.includes('multipart/form-data')
  return (client, { body, query, options }, ...ids) => {
    const content = isForm ? [new Uint8Array(1), {}] : schema.body ? [body] : []
    return (client as unknown as Methods)[resource]![name]!(...ids, ...content, { ...query, ...options })
  }
}

/** The method of the SDK for each operation. */
export const SDK_CALLS: Record<string, Call> = Object.fromEntries(
  Object.entries(operations).flatMap(([operationId, { sdk, schema }]: [string, { sdk?: string; schema: object }]) =>
    sdk ? [[operationId, toCall(sdk, schema)]] : [],
  ),
)

import type { Reply } from './app.ts'
import { type Operation, operationsOf, readDocument } from './document.ts'

/**
 * The codes that are sent before an operation is chosen, for a request that the HTTP layer cannot read, by `/mcp`, or
 * by the address of an upload.
 * No operation lists them, except for `request_timeout` at `uploadMedia`.
 */
export const WITHOUT_OPERATION: ReadonlySet<unknown> = new Set([
  'route_not_found',
  'malformed_request',
  'missing_host',
  'invalid_host',
  'bad_request',
  'request_timeout',
  'headers_too_large',
  'expectation_failed',
  'method_not_allowed',
  'origin_not_allowed',
  'confirmation_required',
  'upload_not_found',
  'upload_expired',
  'upload_finished',
  'upload_busy',
  'upload_taken_over',
  'upload_offset',
  'upload_range',
  'upload_checksum',
])

interface CodedResponse {
  statusCode: number
  headers: Record<string, unknown>
}

/** The codes that an operation lists for a status. */
export const listedCodes = ({ responses }: Pick<Operation, 'responses'>, status: number | string): unknown[] =>
  responses[status]?.headers?.['x-error-code']?.schema.enum ?? []

/** How the code of a response contradicts the document; empty if it does not. */
export function codeBreach(operation: Operation, { statusCode, headers }: CodedResponse): string {
  const code = headers['x-error-code']
  const isRight =
    statusCode < 400
      ? code === undefined
      : listedCodes(operation, statusCode).includes(code) || WITHOUT_OPERATION.has(code)
  if (isRight) return ''
  const { operationId } = operation
  return `x-error-code ${code} of a ${statusCode}, which ${operationId} does not list: add an error with this code to its response ${statusCode} in schemas/operations, then run \`make openapi\``
}

let routes: { method: string; path: RegExp; operation: Operation }[] | undefined

/** The operation that a request goes to, if the document has it. */
function findOperation(method: string, url: string): Operation | undefined {
  routes ??= operationsOf(readDocument()).map((operation) => ({
    method: operation.method,
    // A fixed name takes precedence over a parameter: /posts/counts is not a post.
    path: new RegExp(`^${operation.path.replace(/\{\w+\}/g, '[^/]+')}$`),
    operation,
  }))
  const [path] = url.split('?')
  const candidates = routes.filter((route) => route.method === method && route.path.test(path!))
  return (candidates.find(({ operation }) => operation.path === path) ?? candidates[0])?.operation
}

/** Throws for a response whose code the operation of its request does not list. */
export function checkCode({ method, url }: { method: string; url: string }, { status, headers }: Reply): void {
  const operation = findOperation(method, url)
  const breach = operation && codeBreach(operation, { statusCode: status, headers })
  if (breach) throw new Error(breach)
}

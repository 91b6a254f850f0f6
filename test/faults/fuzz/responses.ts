import type { LightMyRequestResponse as Response } from 'fastify'
import { json, type Operation, readDocument, validatorOf } from '../../helpers/document.ts'
import { codeBreach } from '../../helpers/error-codes.ts'

/** Why a body is invalid by a schema of the document; empty if it is valid. */
export const problemWith = validatorOf(readDocument())

/** `rejected` has the posts of a batch. */
const ERROR_KEYS: ReadonlySet<string> = new Set(['error', 'details', 'rejected'])

/** How a response contradicts the document: by status, headers, or body. Empty if it does not. */
export function contractBreach(
  operation: Operation,
  response: Pick<Response, 'statusCode' | 'headers' | 'payload'>,
): string {
  const { statusCode, headers, payload } = response
  // The document allows both, but only 502 is caused from outside.
  if (statusCode === 500 || statusCode === 503) return `${statusCode} ${payload}`
  const documented = operation.responses[statusCode]
  if (!documented) return `status ${statusCode}, which the document lacks: ${payload}`
  if (typeof headers['x-request-id'] !== 'string') return 'no x-request-id'
  const breach = codeBreach(operation, response)
  if (breach) return breach
  if (statusCode === 401 && headers['www-authenticate'] !== 'Bearer') return 'no WWW-Authenticate'
  const types = Object.keys(documented.content ?? {})
  const type = String(headers['content-type'] ?? '')
  if (types.length === 0) return payload === '' ? '' : `a body, where the document has none: ${payload}`
  if (!types.includes('application/json')) return types.includes(type) ? '' : `content type ${type}`
  if (type !== 'application/json; charset=utf-8') return `content type ${type}`
  let body: unknown
  try {
    body = JSON.parse(payload)
  } catch {
    return `a body that is not JSON: ${payload}`
  }
  const problem = problemWith(json(documented).schema, body)
  if (problem) return `${problem}: ${payload}`
  const keys = Object.keys(body as object).filter((key) => !ERROR_KEYS.has(key))
  return statusCode >= 400 && keys.length > 0 ? `an error with the keys ${keys.join()}` : ''
}

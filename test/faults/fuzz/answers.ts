import type { LightMyRequestResponse as Answer } from 'fastify'
import { json, type Operation, readDocument, validatorOf } from '../../helpers/document.ts'

/** What is wrong with a body by a schema of the document. */
export const problemWith = validatorOf(readDocument())

/** What about an answer is not as the document has it: its status, its type, or its body. Nothing where all is. */
export function breach({ responses }: Operation, answer: Pick<Answer, 'statusCode' | 'headers' | 'payload'>): string {
  const { statusCode, headers, payload } = answer
  // 502 is a network's fault.
  if (statusCode === 500 || statusCode === 503) return `${statusCode} ${payload}`
  const declared = responses[statusCode]
  if (!declared) return `the status ${statusCode}, which the document does not have: ${payload}`
  if (typeof headers['x-request-id'] !== 'string') return 'no x-request-id'
  if (statusCode === 401 && headers['www-authenticate'] !== 'Bearer') return 'no WWW-Authenticate'
  const types = Object.keys(declared.content ?? {})
  const type = String(headers['content-type'] ?? '')
  if (types.length === 0) return payload === '' ? '' : `a body where the document has none: ${payload}`
  if (!types.includes('application/json')) return types.includes(type) ? '' : `the type ${type}`
  if (type !== 'application/json; charset=utf-8') return `the type ${type}`
  let body: unknown
  try {
    body = JSON.parse(payload)
  } catch {
    return `a body that is no JSON: ${payload}`
  }
  const problem = problemWith(json(declared).schema, body)
  if (problem) return `${problem}: ${payload}`
  const isFailure = statusCode >= 400
  const keys = Object.keys(body as object).filter((key) => isFailure && key !== 'error' && key !== 'details')
  return keys.length > 0 ? `keys that no error has: ${keys.join()}` : ''
}

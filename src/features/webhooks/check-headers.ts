import { HEADER_NAME, RESERVED_HEADER, WEBHOOK_HEADERS_LENGTH_MAX } from '../../../schemas/webhook-headers.ts'
import { invalidRequest } from '../../base/errors.ts'

const NAME = new RegExp(HEADER_NAME)
const RESERVED = new RegExp(RESERVED_HEADER)

/**
 * Checks the headers that a webhook gets with each event, and returns them with small letters. Throws 400. The
 * schema has checked their number and their values.
 */
export function checkHeaders(headers: Record<string, string>): Record<string, string> {
  const entries = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value, name] as const)
  const issue = (name: string | undefined, message: string) =>
    invalidRequest([{ code: 'custom', path: name === undefined ? ['headers'] : ['headers', name], message }])
  const seen = new Set<string>()
  let length = 0
  for (const [lower, value, name] of entries) {
    if (!NAME.test(lower)) throw issue(undefined, 'A name of a header must consist of letters, digits and hyphens')
    if (RESERVED.test(lower)) throw issue(name, 'The service or the connection sets this header: leave it out')
    if (seen.has(lower)) throw issue(name, 'The header is there twice: names do not depend on case')
    seen.add(lower)
    length += lower.length + value.length
  }
  if (length > WEBHOOK_HEADERS_LENGTH_MAX) {
    throw issue(undefined, `Names and values must have at most ${WEBHOOK_HEADERS_LENGTH_MAX} characters together`)
  }
  return Object.fromEntries(entries)
}

import { WEBHOOK_HEADERS_LENGTH_MAX, WEBHOOK_HEADERS_MAX } from '../../schemas/webhook.ts'
import { invalidRequest } from '../errors.ts'

/** https://www.rfc-editor.org/rfc/rfc9110#section-5.6.2 */
const NAME = /^[\w!#$%&'*+.^`|~-]{1,100}$/
/** A line break would begin another header. */
const VALUE = /^[!-~](?:[ -~\t]*[!-~])?$/
/** Those that the service sets, and those of the connection: https://www.rfc-editor.org/rfc/rfc9110#section-7.6.1 */
const RESERVED =
  /^(?:webhook-.*|content-.*|proxy-.*|host|user-agent|accept|accept-encoding|connection|keep-alive|te|trailer|transfer-encoding|upgrade|expect)$/

/**
 * Checks the headers that a webhook gets with each event, and returns them with small letters. Throws 400. No message
 * has a value: it may be a secret.
 */
export function checkHeaders(headers: Record<string, string>): Record<string, string> {
  const entries = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value, name] as const)
  const issue = (name: string | undefined, message: string) =>
    invalidRequest([{ code: 'custom', path: name === undefined ? ['headers'] : ['headers', name], message }])
  if (entries.length > WEBHOOK_HEADERS_MAX) throw issue(undefined, `At most ${WEBHOOK_HEADERS_MAX} headers are allowed`)
  const seen = new Set<string>()
  let length = 0
  for (const [lower, value, name] of entries) {
    if (!NAME.test(lower)) throw issue(undefined, 'A name of a header must consist of letters, digits and hyphens')
    if (RESERVED.test(lower)) throw issue(name, 'The service or the connection sets this header: leave it out')
    if (!VALUE.test(value)) throw issue(name, 'Must be visible ASCII characters, with spaces between them at most')
    if (seen.has(lower)) throw issue(name, 'The header is there twice: names do not depend on case')
    seen.add(lower)
    length += lower.length + value.length
  }
  if (length > WEBHOOK_HEADERS_LENGTH_MAX) {
    throw issue(undefined, `Names and values must have at most ${WEBHOOK_HEADERS_LENGTH_MAX} characters together`)
  }
  return Object.fromEntries(entries)
}

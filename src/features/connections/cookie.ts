import { timingSafeEqual } from 'node:crypto'
import type { ConnectionContext } from './context.ts'
import { hashSecret } from './secrets.ts'

/** As long as a connection lasts. */
const MAX_AGE_SECONDS = 900

/*
 * One cookie for each connection, so that a browser can have several at a time. `__Host-` makes browsers refuse a
 * cookie that another host or a page without TLS has set; they accept it over https only.
 * https://www.rfc-editor.org/rfc/rfc6265#section-4.1.2,
 * https://httpwg.org/http-extensions/draft-ietf-httpbis-rfc6265bis.html
 */
const isSecure = ({ publicUrl }: ConnectionContext) => publicUrl().startsWith('https:')

const nameOf = (context: ConnectionContext, id: string) => `${isSecure(context) ? '__Host-' : ''}postroom-connect-${id}`

/** The header that binds a flow to the browser. Lax: the network's redirect back is a navigation from another site. */
export const cookieHeader = (context: ConnectionContext, id: string, secret: string): string =>
  `${nameOf(context, id)}=${secret}; Path=/; Max-Age=${MAX_AGE_SECONDS}; HttpOnly; SameSite=Lax${isSecure(context) ? '; Secure' : ''}`

/** Whether the browser that sends this header is the one that opened the link. */
export function isSameBrowser(
  context: ConnectionContext,
  { id, cookieHash }: { id: string; cookieHash: Buffer | null },
  header: string | undefined,
): boolean {
  if (!cookieHash) return false
  const name = nameOf(context, id)
  const pairs = (header ?? '').split(';').map((pair) => pair.trim().split('='))
  return pairs.some(([key, value = '']) => key === name && timingSafeEqual(hashSecret(value), cookieHash))
}

/**
 * A reversed domain name, which an app of that domain registers: https://www.rfc-editor.org/rfc/rfc8252#section-7.1.
 * Any other scheme may belong to a program that runs what its addresses say.
 */
const DOMAIN_SCHEME = /^[a-z][a-z0-9-]*(?:\.[a-z0-9-]+)+:$/

/** Cursor registers `cursor://anysphere.cursor-mcp/oauth/callback`: https://github.com/jentic/jentic-one/issues/1245 */
const APP_SCHEMES = ['cursor:']

const isUsable = (scheme: string) =>
  scheme === 'https:' || scheme === 'http:' || DOMAIN_SCHEME.test(scheme) || APP_SCHEMES.includes(scheme)

const URI_LENGTH_MAX = 2_000

/** Printable characters of ASCII that are in no URI: https://www.rfc-editor.org/rfc/rfc3986#section-2 */
const NOT_IN_URIS = /["<>\\^`{|}]/

const isLoopback = ({ protocol, hostname }: URL) =>
  protocol === 'http:' && (hostname === '127.0.0.1' || hostname === '[::1]' || hostname === 'localhost')

/**
 * Returns why a redirect URI cannot be registered; undefined if it can. `http` is for programs on the person's own
 * device, and other schemes for their apps: https://www.rfc-editor.org/rfc/rfc8252#section-7
 */
export function findRedirectProblem(text: string): string | undefined {
  const url = URL.parse(text)
  if (text.length > URI_LENGTH_MAX) return `has more than ${URI_LENGTH_MAX} characters`
  if (!url || /[^\x21-\x7e]/.test(text)) return 'is not an absolute URI'
  // Browsers open the host of `https:evil.example`, which people do not recognise as one.
  if (/^https?:$/.test(url.protocol) && !text.toLowerCase().startsWith(`${url.protocol}//`)) {
    return `must begin with ${url.protocol}//`
  }
  // Only browsers read `\` as `/`: other programs see another host in `http://127.0.0.1:80\@evil.example/`.
  if (NOT_IN_URIS.test(text)) return 'has a character that must be percent-encoded in a URI'
  if (text.includes('#')) return 'has a fragment, which is not allowed'
  if (url.username || url.password) return 'has a user name or a password, which is not allowed'
  if (url.protocol === 'http:' && !isLoopback(url)) return 'must use https; http is for localhost, 127.0.0.1 and [::1]'
  if (!isUsable(url.protocol)) {
    return `has the scheme ${url.protocol}, which is not allowed: use https, http on a loopback address, a reversed domain such as com.example.app:, or ${APP_SCHEMES.join(', ')}`
  }
  return undefined
}

/**
 * Whether a request may use `uri`. Both are compared character by character, except for the port of a loopback
 * address: the system assigns another one each time.
 */
export const isRegistered = (registered: readonly string[], uri: string): boolean =>
  registered.includes(uri) || registered.map(withoutLoopbackPort).includes(withoutLoopbackPort(uri))

function withoutLoopbackPort(text: string): string {
  const url = URL.parse(text)
  return url && isLoopback(url) ? text.replace(/^(http:\/\/(?:\[::1\]|[^/:?#@\\]+)):\d{1,5}(?=[/?]|$)/i, '$1') : text
}

/** The target of a redirect, for people. */
export function describeTarget(uri: string): { name: string; isOnDevice: boolean } {
  const url = new URL(uri)
  if (url.protocol === 'https:') return { name: url.host, isOnDevice: false }
  return { name: isLoopback(url) ? url.host : url.protocol, isOnDevice: true }
}

/** Adds parameters to a redirect URI, and keeps the rest of it as it is. */
export function withParameters(uri: string, parameters: Record<string, string | undefined>): string {
  const added = new URLSearchParams(Object.entries(parameters).filter((entry): entry is [string, string] => !!entry[1]))
  const separator = !uri.includes('?') ? '?' : /[?&]$/.test(uri) ? '' : '&'
  return `${uri}${separator}${added}`
}

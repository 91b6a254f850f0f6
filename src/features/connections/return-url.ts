/**
 * Whether `text` begins with one of `prefixes`: the same origin, and the same path or one below it. Both are compared
 * as browsers read them, so that neither `..` nor a user name before the host leads elsewhere.
 */
export function isListedReturnUrl(text: string, prefixes: string[]): boolean {
  const url = URL.parse(text)
  if (!url || url.username || url.password || url.hash) return false
  return prefixes.some((prefix) => {
    const listed = new URL(prefix)
    const path = listed.pathname.endsWith('/') ? listed.pathname : `${listed.pathname}/`
    return url.origin === listed.origin && `${url.pathname}/`.startsWith(path)
  })
}

/** The address that the browser goes to at the end. It tells the connection and its state, and nothing else. */
export function withOutcome(returnUrl: string, { id, state }: { id: string; state: string }): string {
  const url = new URL(returnUrl)
  url.searchParams.set('connection', id)
  url.searchParams.set('state', state)
  return url.href
}

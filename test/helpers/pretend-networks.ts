/** Networks where Telegram knows everybody, Bluesky nobody, and everything else is not there. Nothing is called. */
export const pretendNetworks: typeof fetch = async (input) => {
  const { host } = new URL(String(input))
  if (host === 'api.telegram.org') return Response.json({ ok: true, result: { id: -1001, title: 'Lighthouses' } })
  if (host === 'bsky.social') {
    const message = 'Invalid identifier or password'
    return Response.json({ error: 'AuthenticationRequired', message }, { status: 401 })
  }
  throw new TypeError('fetch failed', { cause: { code: 'ENOTFOUND' } })
}

/**
 * A `fetch` for tests that connect accounts and do not care about networks. Telegram accepts all credentials, Bluesky
 * rejects all, www.example.com has pages for people, every other host is unknown. Makes no call.
 */
export const stubNetworks: typeof fetch = async (input) => {
  const { host } = new URL(String(input))
  if (host === 'api.telegram.org') {
    const chat = { id: -1001, type: 'channel', title: 'Lighthouses' }
    return Response.json({ ok: true, result: { ...chat, status: 'administrator', can_post_messages: true } })
  }
  if (host === 'bsky.social') {
    const message = 'Invalid identifier or password'
    return Response.json({ error: 'AuthenticationRequired', message }, { status: 401 })
  }
  if (host === 'www.example.com') return new Response('<h1>Not found</h1>', { status: 404 })
  throw new TypeError('fetch failed', { cause: { code: 'ENOTFOUND' } })
}

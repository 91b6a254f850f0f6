import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import t from 'tap'
import { createWorld } from '../helpers/app.ts'
import { collectProblems } from '../helpers/problems.ts'

const PUBLIC = [
  '/openapi.json',
  '/docs/json',
  '/docs/yaml',
  '/docs/posts.md',
  '/docs/errors.md',
  '/docs/operations/createPost.md',
  '/llms.txt',
  '/docs/static/swagger-ui-bundle.js',
  '/docs/static/swagger-ui-standalone-preset.js',
  '/docs/static/swagger-ui.css',
]

t.test('what does not change is compressed as the client accepts, and has an ETag', async (t) => {
  const { app, user } = await createWorld(t, { servesDocument: true })
  const { key } = await user()
  const get = (url: string, headers: Record<string, string> = {}) =>
    app.inject({ url, headers: { ...(url.startsWith('/api/') && { authorization: `Bearer ${key}` }), ...headers } })
  const { problems, check } = collectProblems()
  for (const url of [...PUBLIC, '/api/v1/platforms', '/api/v1/platforms/x']) {
    const { rawPayload: plain, headers: first } = await get(url)
    check([first['content-encoding'], first.vary], [undefined, 'Accept-Encoding'], url)
    const forms: [accepted: string, encoding: string | undefined, decode: (bytes: Buffer) => Buffer][] = [
      ['gzip, deflate, br', 'br', brotliDecompressSync],
      ['gzip;q=0.5', 'gzip', gunzipSync],
      ['br;q=0, GZIP', 'gzip', gunzipSync],
      ['br;q=0.000', undefined, (bytes) => bytes],
      ['identity', undefined, (bytes) => bytes],
    ]
    for (const [accepted, encoding, decode] of forms) {
      const what = `${url} with Accept-Encoding: ${accepted}`
      const { rawPayload, headers } = await get(url, { 'accept-encoding': accepted })
      check([headers['content-encoding'], headers['content-type']], [encoding, first['content-type']], what)
      check(decode(rawPayload).equals(plain), true, `${what} decodes to the same bytes`)
      if (encoding) check(rawPayload.length < plain.length / 2, true, `${what} has ${rawPayload.length} bytes`)
      const known = await get(url, { 'accept-encoding': accepted, 'if-none-match': String(headers.etag) })
      check([known.statusCode, known.payload, known.headers.etag], [304, '', headers.etag], `${what}, known`)
    }
  }
  t.strictSame(problems, [])
})

t.test('the OpenAPI document is rendered once', async (t) => {
  const { app } = await createWorld(t, { servesDocument: true })
  const urls = ['/openapi.json', '/docs/json', '/docs/yaml']
  const read = () => Promise.all(urls.map(async (url) => (await app.inject({ url })).payload))
  const before = await read()
  // The plugin returns the same object for each call.
  app.swagger().info.title = 'rendered again'
  t.strictSame(await read(), before)
})

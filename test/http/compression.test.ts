import { gunzipSync } from 'node:zlib'
import t from 'tap'
import { createWorld } from '../helpers/app.ts'

t.test('long JSON of a read is compressed for clients that accept gzip, and the same otherwise', async (t) => {
  const { app, user } = await createWorld(t)
  const ada = await user()
  const accountIds = [await ada.account()]
  const caption = 'a sentence. '.repeat(20)
  const ids: string[] = []
  for (let post = 0; post < 10; post++) {
    ids.push((await ada.call('POST', '/posts', { accountIds, caption })).body.id as string)
  }
  const get = (path: string, accepted?: string) =>
    app.inject({
      url: `/api/v1${path}`,
      headers: { authorization: `Bearer ${ada.key}`, ...(accepted !== undefined && { 'accept-encoding': accepted }) },
    })

  const plain = await get('/posts')
  t.match(plain.headers, { 'content-encoding': undefined, vary: undefined })
  for (const accepted of ['gzip, deflate, br', 'GZIP;q=0.5']) {
    const { headers, rawPayload } = await get('/posts', accepted)
    t.match(headers, { 'content-encoding': 'gzip', vary: /Accept-Encoding/, 'content-length': `${rawPayload.length}` })
    t.equal(gunzipSync(rawPayload).toString(), plain.payload)
    t.ok(rawPayload.length < plain.payload.length / 4)
  }
  for (const accepted of ['identity', 'br', 'gzip;q=0, br', '']) {
    const { headers, payload } = await get('/posts', accepted)
    t.equal(headers['content-encoding'], undefined, accepted)
    t.equal(payload, plain.payload, accepted)
  }
  const short = await get('/posts?limit=1', 'gzip')
  t.equal(short.headers['content-encoding'], undefined, 'a short one')

  const long = { accountIds, caption: 'a'.repeat(290), firstComment: 'b'.repeat(290), threadParts: null }
  await ada.call('PATCH', `/posts/${ids[0]}`, long)
  const post = await get(`/posts/${ids[0]}`, 'gzip')
  t.match([post.headers['content-encoding'], post.headers.etag], [undefined, /^"/], 'its ETag is for If-Match')
  const change = { caption: 'changed' }
  const { status } = await ada.call('PATCH', `/posts/${ids[0]}`, change, { 'if-match': String(post.headers.etag) })
  t.equal(status, 200)
})

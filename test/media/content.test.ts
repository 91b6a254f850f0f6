import { rm } from 'node:fs/promises'
import t from 'tap'
import { createWorld } from '../helpers/app.ts'
import { filesIn, jpeg, upload } from '../helpers/upload.ts'
import { createScene } from './scene.ts'

t.test('the content is served whole or in part, with security headers', async (t) => {
  const { file, bytes, content } = await createScene(t)
  const whole = await content(file.id)
  t.equal(whole.statusCode, 200)
  t.ok(whole.rawPayload.equals(bytes))
  const { 'content-security-policy': csp, 'cache-control': caching, etag: tag } = whole.headers
  const headers = ['content-type', 'content-length', 'content-disposition', 'x-content-type-options', 'accept-ranges']
  t.strictSame(
    headers.map((name) => whole.headers[name]),
    ['image/jpeg', String(bytes.length), `inline; filename="${file.id}.jpg"`, 'nosniff', 'bytes'],
  )
  t.match(csp, /default-src 'none'/)
  t.equal(caching, 'private, no-cache')
  t.match(tag, /^"[^"]+"$/)
  const etag = String(whole.headers.etag)

  const ranges: [range: string, from: number, to: number][] = [
    ['bytes=0-9', 0, 9],
    ['bytes=10-', 10, bytes.length - 1],
    ['bytes=-5', bytes.length - 5, bytes.length - 1],
    [`bytes=${bytes.length - 1}-${bytes.length * 9}`, bytes.length - 1, bytes.length - 1],
  ]
  for (const [range, from, to] of ranges) {
    const part = await content(file.id, { range })
    t.equal(part.statusCode, 206, range)
    t.equal(part.headers['content-range'], `bytes ${from}-${to}/${bytes.length}`, range)
    t.ok(part.rawPayload.equals(bytes.subarray(from, to + 1)), range)
  }
  for (const range of ['bytes=5-2', 'lines=1-2', 'bytes=a-b', 'bytes=0-1,4-5']) {
    const reply = await content(file.id, { range })
    t.equal(reply.statusCode, 200, range)
    t.ok(reply.rawPayload.equals(bytes), range)
  }
  const beyond = await content(file.id, { range: `bytes=${bytes.length}-` })
  t.strictSame([beyond.statusCode, beyond.json()], [416, { error: 'Range is outside the file' }])
  t.equal(beyond.headers['content-range'], `bytes */${bytes.length}`)

  const known = await content(file.id, { 'if-none-match': etag })
  t.strictSame([known.statusCode, known.body, known.headers.etag], [304, '', etag])
  t.equal((await content(file.id, { 'if-none-match': '"other"' })).statusCode, 200)
  t.equal((await content(file.id, { 'if-range': '"other"', range: 'bytes=0-1' })).statusCode, 200)
  t.equal((await content(file.id, { 'if-range': etag, range: 'bytes=0-1' })).statusCode, 206)
  t.equal((await content(file.id, { 'if-match': etag })).statusCode, 200)
  const failed = await content(file.id, { 'if-match': '"other"' })
  t.strictSame([failed.statusCode, failed.json()], [412, { error: 'Precondition failed: the file does not match.' }])
})

t.test('HEAD has the headers of GET, and no body', async (t) => {
  const { app, ada, file, bytes } = await createScene(t)
  const headers = { authorization: `Bearer ${ada.key}` }
  const reply = await app.inject({ method: 'HEAD', url: `/api/v1/media/${file.id}/content`, headers })
  t.strictSame([reply.statusCode, reply.body], [200, ''])
  t.strictSame([reply.headers['content-type'], reply.headers['content-length']], ['image/jpeg', String(bytes.length)])
})

t.test('a file that is missing from the disk is a 500, and the log has the cause', async (t) => {
  const log: string[] = []
  const { app, user, mediaDir } = await createWorld(t, { logger: { stream: { write: (line) => log.push(line) } } })
  const ada = await user()
  const { body: file } = await upload(app, ada, [['file', await jpeg()]])
  for (const path of await filesIn(mediaDir)) await rm(path)
  const reply = await ada.call('GET', `/media/${file.id}/content`)
  t.strictSame([reply.status, reply.body], [500, { error: 'Internal server error' }])
  t.match(log.join(''), /ENOENT.*request failed/s)
  t.equal((await ada.call('DELETE', `/media/${file.id}`)).status, 200, 'it can still be deleted')
})

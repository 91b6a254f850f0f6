import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import t from 'tap'
import { UPLOADS_MAX, UPLOADS_PENDING_MAX } from '../../schemas/errors.ts'
import { call } from '../helpers/app.ts'
import { until } from '../helpers/until.ts'
import { jpeg, upload } from '../helpers/upload.ts'
import { collect } from './upload-connections.ts'
import { createUploadScene, open, put, videoOf } from './upload-scene.ts'

const KIB = 1024
const MIB = KIB * KIB
const image = await jpeg()

/** Sends a body in chunks, whose length no header tells. */
async function stream(url: string, bytes: number, range?: string) {
  const body = new Blob([new Uint8Array(bytes)]).stream()
  const headers = range ? { 'content-range': range } : {}
  const { status } = await fetch(url, { method: 'PUT', body, duplex: 'half', headers } as RequestInit)
  return status
}

t.test('one address has one request: those that stall leave room for other files', async (t) => {
  const { app, ada, request } = await createUploadScene(t)
  const { uploadUrl } = await request()
  const lengths = Array.from({ length: UPLOADS_MAX + 5 }, (_, index) => (index % 2 === 0 ? MIB : 100 * MIB))
  const stalled = await Promise.all(lengths.map((length) => open(uploadUrl, { length })))
  const responses = stalled.map(({ socket }) => collect(socket))
  await Promise.all(stalled.map(({ send }) => send(Buffer.alloc(KIB))))
  await until('all but one have a response', async () => responses.filter((text) => text().includes('}')).length >= 104)
  t.match(responses.map((text) => text()).join(''), /409 .*upload_taken_over/s)
  t.equal((await upload(app, ada, [['file', image]])).status, 201)
  t.hasStrict(await put(uploadUrl, image), { status: 200, complete: '?1' })
  for (const { socket } of stalled) socket.destroy()
})

t.test('a body in chunks that its headers contradict changes nothing', async (t) => {
  const { db, request, show } = await createUploadScene(t)
  const { id, uploadUrl } = await request()
  const first = 256 * KIB
  t.equal((await put(uploadUrl, Buffer.alloc(first), `bytes 0-${first - 1}/${MIB}`)).status, 200)
  const range = `bytes ${first}-${2 * first - 1}/${MIB}`
  for (const bytes of [1, first - 1, first + 1]) t.equal(await stream(uploadUrl, bytes, range), 400)
  t.hasStrict(await put(uploadUrl, '', 'bytes */0'), { status: 400, code: 'upload_range' })
  t.hasStrict(await show(id), { state: 'pending', receivedBytes: first })
  const announced = await request({ bytes: MIB })
  t.equal(await stream(announced.uploadUrl, 1), 400)
  const { rows } = await sql<{ count: number }>`select count(*) from upload_parts`.execute(db)
  t.equal(rows[0]!.count, 1, 'no part has one byte')
})

t.test('parts at the same time do not exceed the quota together', async (t) => {
  const { ada, request } = await createUploadScene(t, { media: { quotaBytes: 20 * MIB }, poolMax: 10 })
  const uploads = await Promise.all(Array.from({ length: 8 }, () => request()))
  const range = `bytes 0-${8 * MIB - 1}/${9 * MIB}`
  await Promise.all(uploads.map(({ uploadUrl }) => put(uploadUrl, Buffer.alloc(8 * MIB), range).catch(() => {})))
  t.ok((await ada.call('GET', '/media')).body.quota.usedBytes <= 20 * MIB)
})

t.test('requests at the same time do not exceed the limit of pending files, nor do failed ones', async (t) => {
  const { ada, db, request } = await createUploadScene(t, { poolMax: 10 })
  const { id } = await request()
  await sql`
    with file as (
      insert into media (user_id, id, mime_type, bytes)
      select user_id, gen_random_uuid(), mime_type, bytes
      from media, generate_series(3, ${UPLOADS_PENDING_MAX}) where id = ${id}
      returning user_id, id)
    insert into uploads (user_id, media_id, key_id, expires_at)
    select file.user_id, file.id, key_id, expires_at from file, uploads`.execute(db)
  const ask = () => ada.call('POST', '/media/uploads', { fileName: 'a' })
  const statuses = (await Promise.all(Array.from({ length: 10 }, ask))).map(({ status }) => status)
  t.strictSame(statuses.toSorted(), [201, ...Array(9).fill(409)])
  await sql`update uploads set error = '{"code":"file_invalid","message":"a"}'`.execute(db)
  const { status, headers } = await ask()
  t.strictSame([status, headers['x-error-code']], [409, 'too_many_pending_uploads'], 'their addresses still take bytes')
  await ada.call('DELETE', `/media/${id}`)
  t.equal((await ask()).status, 201)
})

t.test('a request that runs ends with the key of its address', async (t) => {
  const { app, ada, show } = await createUploadScene(t)
  for (const length of [MIB, 9 * MIB]) {
    const { key, ...created } = (await ada.call('POST', '/keys', { name: 'a', scopes: ['media:write'] })).body
    const { id, uploadUrl } = (await call(app, key, 'POST', '/media/uploads', { fileName: 'a' })).body
    const { send, socket } = await open(uploadUrl, { length })
    const response = collect(socket)
    const video = videoOf(length)
    await send(video.subarray(0, 100))
    await until('the key is revoked', async () => (await ada.call('DELETE', `/keys/${created.id}`)).status === 200)
    await send(video.subarray(100))
    await until('there is a response', async () => response().includes('}'))
    t.match(response(), /^HTTP\/1\.1 404 .*upload_not_found/s)
    t.equal((await show(id)).state, 'pending')
  }
})

t.test('a key for some accounts cannot have a file by its checksum alone', async (t) => {
  const { app, ada } = await createUploadScene(t)
  await upload(app, ada, [['file', image]])
  const accountIds = [await ada.account()]
  const { key } = (await ada.call('POST', '/keys', { name: 'a', scopes: ['media:read', 'media:write'], accountIds }))
    .body
  const sha256 = createHash('sha256').update(image).digest('hex')
  const ask = () => call(app, key, 'POST', '/media/uploads', { fileName: 'a', sha256 })
  const { body } = await ask()
  t.strictSame([body.state, body.error], ['pending', null])
  t.hasStrict(await put(body.uploadUrl, image), { status: 200, complete: '?1' })
})

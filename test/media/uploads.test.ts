import { createHash } from 'node:crypto'
import { join } from 'node:path'
import t from 'tap'
import { until } from '../helpers/until.ts'
import { filesIn, isClean, jpeg, upload } from '../helpers/upload.ts'
import { ask, createUploadScene, put, videoOf } from './upload-scene.ts'

const KIB = 1024
const MIB = KIB * KIB
const image = await jpeg()
const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')

t.test('an address takes a file without a key, once', async (t) => {
  const { ada, request, show, contentOf, db, mediaDir } = await createUploadScene(t)
  const begun = Date.now()
  const { uploadUrl, ...created } = await request({ bytes: image.length, altText: 'A field.', metadata: { a: 'b' } })
  const { id, expiresAt } = created
  const state = { bytes: image.length, maxBytes: created.maxBytes, expiresAt, error: null, duplicateOf: null }
  t.strictSame(created, { id, state: 'pending', receivedBytes: 0, ...state })
  t.strictSame(await show(id), created)
  t.ok(Math.abs(Date.parse(expiresAt) - begun - 86_400_000) < 60_000, 'it ends after a day')
  t.equal((await ada.call('GET', `/media/${id}`)).status, 404, 'the file is not there yet')

  const sent = await put(uploadUrl, image)
  const ready = { id, state: 'ready', receivedBytes: image.length, ...state }
  t.strictSame([sent.status, sent.complete, sent.body], [200, '?1', ready])
  t.strictSame(await show(id), ready)
  const { body } = await ada.call('GET', `/media/${id}`)
  t.hasStrict(body, { id, mimeType: 'image/jpeg', altText: 'A field.', fileName: 'clip.mp4', metadata: { a: 'b' } })
  t.ok(image.equals(await contentOf(id)))
  await until('only the file is left', () => isClean(db, mediaDir, 1))

  t.hasStrict(await put(uploadUrl, image), { status: 409, code: 'upload_finished' })
  t.hasStrict(await ask(uploadUrl), { status: 200, offset: String(image.length), complete: '?1' })
})

t.test('a file that is rejected fails with the reason, and its address takes another one', async (t) => {
  const { request, show, db, mediaDir } = await createUploadScene(t)
  const { id, uploadUrl } = await request()
  const text = await put(uploadUrl, 'no picture')
  t.hasStrict(text, { status: 400, code: 'file_type_unsupported' })
  const { state, error } = await show(id)
  t.strictSame([state, error], ['failed', { code: 'file_type_unsupported', message: text.body.error }])
  t.hasStrict(await put(uploadUrl, ''), { status: 400, code: 'file_invalid' })
  await until('no bytes are left', () => isClean(db, mediaDir, 0))
  t.hasStrict(await put(uploadUrl, image), { status: 200, body: { state: 'ready' } })
})

t.test('other bytes than those that were announced are rejected', async (t) => {
  const { request, show } = await createUploadScene(t)
  const announced = await request({ bytes: image.length, sha256: sha256(image) })
  t.hasStrict(await put(announced.uploadUrl, await jpeg(400)), { status: 400, code: 'upload_range' })
  t.equal((await show(announced.id)).state, 'pending', 'the request is wrong, and not the file')
  const changed = Buffer.from(image)
  changed[changed.length - 3]! ^= 1
  t.hasStrict(await put(announced.uploadUrl, changed), { status: 400, code: 'upload_checksum' })
  t.hasStrict(await show(announced.id), { state: 'failed', error: { code: 'upload_checksum' } })
  t.hasStrict(await put(announced.uploadUrl, image), { status: 200, body: { state: 'ready' } })
})

t.test('the same bytes are not sent again if their SHA-256 is announced, and else become a copy', async (t) => {
  const { app, ada, request, show, contentOf, mediaDir } = await createUploadScene(t)
  const known = (await upload(app, ada, [['file', image]])).body.id
  t.hasStrict(await request({ sha256: sha256(image).toUpperCase() }), { id: known, state: 'ready', uploadUrl: null })

  const { id, uploadUrl } = await request()
  t.hasStrict(await put(uploadUrl, image), { status: 200, body: { state: 'ready', duplicateOf: null } })
  t.hasStrict(await show(id), { state: 'ready', duplicateOf: known })
  await ada.call('DELETE', `/media/${known}`)
  t.ok(image.equals(await contentOf(id)), 'each has bytes of its own')
  await until('one file is left', async () => (await filesIn(join(mediaDir, 'files'))).length === 1)
  t.equal((await ada.call('GET', `/media/${id}/upload`)).body.duplicateOf, null)
})

t.test('a file in pieces', async (t) => {
  const { request, show, db, mediaDir } = await createUploadScene(t)
  const video = videoOf(9 * MIB)
  const total = video.length
  const { id, uploadUrl } = await request({ bytes: total })
  const send = (from: number, to: number, size: number | string = total) =>
    put(uploadUrl, video.subarray(from, to), `bytes ${from}-${to - 1}/${size}`)
  t.hasStrict(await send(0, 300 * KIB), { status: 200, offset: String(300 * KIB), complete: '?0' })
  t.hasStrict(await show(id), { state: 'pending', receivedBytes: 300 * KIB })
  t.hasStrict(await ask(uploadUrl), { status: 200, offset: String(300 * KIB), complete: '?0' })
  for (const from of [0.25 * MIB, 400 * KIB]) {
    t.hasStrict(await send(from, MIB), { status: 409, code: 'upload_offset', offset: String(300 * KIB) })
  }
  for (const range of [`bytes 307200-${MIB}/*`, 'bytes=307200-', 'bytes 5-4/10', `bytes 0-${total}/${total}`]) {
    t.hasStrict(await put(uploadUrl, image, range), { status: 400, code: 'upload_range' }, range)
  }
  t.hasStrict(await send(300 * KIB, 400 * KIB), { status: 400, code: 'upload_range' }, 'the piece is too small')
  t.hasStrict(await send(300 * KIB, MIB, total + 1), { status: 400, code: 'upload_range' }, 'another size')
  t.hasStrict(await put(uploadUrl, image, `bytes 307200-${MIB}/${total}`), { status: 400, code: 'upload_range' })
  t.hasStrict(await put(uploadUrl, '', `bytes */${total}`), { status: 200, offset: String(300 * KIB) })
  t.hasStrict(await send(300 * KIB, total), { status: 200, complete: '?1', body: { state: 'ready', bytes: total } })
  t.hasStrict(await put(uploadUrl, '', `bytes */${total}`), { status: 200, complete: '?1' }, 'a response may be lost')
  await until('only the file is left', () => isClean(db, mediaDir, 1))
})

t.test('a file of unknown size is sent in chunks, up to the largest size', async (t) => {
  const bytesMax = 9 * MIB
  const { request } = await createUploadScene(t, { media: { bytesMax } })
  const send = async (url: string, bytes: Buffer) => {
    const body = new Blob([new Uint8Array(bytes)]).stream()
    const response = await fetch(url, { method: 'PUT', body, duplex: 'half' } as RequestInit)
    return { status: response.status, code: response.headers.get('x-error-code') }
  }
  const { uploadUrl, maxBytes } = await request()
  t.equal(maxBytes, bytesMax)
  t.hasStrict(await send(uploadUrl, videoOf(bytesMax + 1)), { status: 413, code: 'file_too_large' })
  t.hasStrict(await send(uploadUrl, videoOf(bytesMax)), { status: 200 })
  t.hasStrict(await put((await request()).uploadUrl, videoOf(bytesMax + 1)), { status: 413, code: 'file_too_large' })
})

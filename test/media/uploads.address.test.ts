import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import t from 'tap'
import type { Db } from '../../db/client.ts'
import { sweepMedia } from '../../src/features/media/sweep.ts'
import { uploadAddress } from '../../src/features/media/uploads/address.ts'
import { call, createWorld, mediaOptions } from '../helpers/app.ts'
import { until } from '../helpers/until.ts'
import { filesIn, isClean, jpeg, upload } from '../helpers/upload.ts'
import { ask, createUploadScene, put, videoOf } from './upload-scene.ts'

const MIB = 2 ** 20
const image = await jpeg()
const passTime = (db: Db, interval: string) =>
  sql`update uploads set expires_at = expires_at - ${interval}::interval`.execute(db)

t.test('an address works for its file, until it expires or its key is revoked', async (t) => {
  const { ada, db, keyring, origin, request, show, user } = await createUploadScene(t)
  const { id, uploadUrl } = await request()
  const bob = await user()
  const others = ['x', ada.id, bob.id, '../x'].map((name) => uploadUrl.replace(id, name))
  const unsigned = [uploadUrl.slice(0, -1), uploadUrl.replace('expires=', 'expires=9'), uploadUrl.split('?')[0]!]
  for (const url of [...others, ...unsigned, uploadUrl.replace(ada.id, bob.id)]) {
    for (const method of ['HEAD', 'GET']) t.equal((await ask(url, method)).status, 404)
    t.equal((await put(url, image)).status, 404, url)
  }
  const file = { userId: ada.id, id }
  const past = uploadAddress(origin.url, keyring, file, new Date(Date.now() - 1_000)).href
  t.hasStrict(await put(past, image), { status: 410, code: 'upload_expired' })

  await passTime(db, '2 days')
  t.hasStrict(await show(id), { state: 'failed', error: { code: 'upload_expired' } })

  const own = (await ada.call('GET', '/key')).body
  const another = await request()
  await ada.call('DELETE', `/keys/${own.id}`)
  t.hasStrict(await put(another.uploadUrl, image), { status: 404, code: 'upload_not_found' })
  t.equal((await ask(another.uploadUrl)).status, 404)
})

t.test('what is not finished is swept', async (t) => {
  const { ada, db, draft, mediaDir, request, show } = await createUploadScene(t)
  const library = { db, ...mediaOptions(mediaDir) }
  const accountIds = [await ada.account()]
  const video = videoOf(9 * MIB)
  const unfinished = await request()
  const inDraft = await request()
  const finished = await request()
  for (const { uploadUrl } of [unfinished, inDraft]) {
    t.equal((await put(uploadUrl, video.subarray(0, MIB), `bytes 0-${MIB - 1}/${video.length}`)).status, 200)
  }
  t.equal((await put(finished.uploadUrl, image)).status, 200)
  await draft([inDraft.id], { accountIds })
  await sweepMedia(library)
  t.equal((await filesIn(mediaDir)).length, 3, 'the sweep leaves uploads alone')

  await passTime(db, '24 hours 59 minutes')
  await sweepMedia(library)
  t.equal((await filesIn(mediaDir)).length, 3, 'a request may have begun in time')
  await passTime(db, '2 minutes')
  await sweepMedia(library)
  await until('the parts are deleted', () => isClean(db, mediaDir, 1))
  t.hasStrict(await show(unfinished.id), { state: 'failed', receivedBytes: 0, error: { code: 'upload_expired' } })
  t.hasStrict(await show(finished.id), { state: 'ready', error: null })

  await passTime(db, '7 days')
  await sweepMedia(library)
  t.equal((await ada.call('GET', `/media/${unfinished.id}/upload`)).status, 404)
  t.hasStrict(await show(inDraft.id), { state: 'failed' }, 'a draft has it')
  t.hasStrict(await show(finished.id), { state: 'ready', expiresAt: null, bytes: image.length })
  t.equal((await filesIn(mediaDir)).length, 1)
})

t.test('a file can be deleted at any time, unless a draft has it', async (t) => {
  const { ada, db, draft, mediaDir, request } = await createUploadScene(t)
  const { id, uploadUrl } = await request()
  await put(uploadUrl, videoOf(9 * MIB).subarray(0, MIB), `bytes 0-${MIB - 1}/${9 * MIB}`)
  const { body: post } = await draft([id], { accountIds: [await ada.account()] })
  t.equal((await ada.call('DELETE', `/media/${id}`)).status, 409)
  await ada.call('DELETE', `/posts/${post.id}`)
  t.equal((await ada.call('DELETE', `/media/${id}`)).status, 200)
  t.hasStrict(await put(uploadUrl, image), { status: 404, code: 'upload_not_found' })
  await sweepMedia({ db, ...mediaOptions(mediaDir) })
  t.ok(await isClean(db, mediaDir, 0))
})

t.test('bytes count towards the quota while they arrive', async (t) => {
  const quotaBytes = 12 * MIB
  const { ada, request, show } = await createUploadScene(t, { media: { quotaBytes } })
  t.equal((await ada.call('POST', '/media/uploads', { fileName: 'a', bytes: quotaBytes + 1 })).status, 409)
  const first = await request({ bytes: 9 * MIB })
  const video = videoOf(9 * MIB)
  await put(first.uploadUrl, video.subarray(0, 5 * MIB), `bytes 0-${5 * MIB - 1}/${9 * MIB}`)
  t.equal((await ada.call('GET', '/media')).body.quota.usedBytes, 5 * MIB)
  t.equal((await ada.call('POST', '/media/uploads', { fileName: 'a', bytes: 8 * MIB })).status, 409)
  const second = await request()
  t.hasStrict(await put(second.uploadUrl, videoOf(8 * MIB)), { status: 409, code: 'media_quota' })
  t.hasStrict(await put(second.uploadUrl, videoOf(10 * MIB)), { status: 409, code: 'media_quota' })
  t.hasStrict(await show(second.id), { state: 'failed', receivedBytes: 0, error: { code: 'media_quota' } })
  const rest = `bytes ${5 * MIB}-${9 * MIB - 1}/${9 * MIB}`
  t.hasStrict(await put(first.uploadUrl, video.subarray(5 * MIB), rest), { status: 200, body: { state: 'ready' } })
  t.equal((await ada.call('GET', '/media')).body.quota.usedBytes, 9 * MIB)
})

t.test('the request is checked', async (t) => {
  const { ada } = await createUploadScene(t, { media: { bytesMax: 1_000 } })
  const valid = { fileName: 'a' }
  for (const [change, path] of [
    [{ fileName: undefined }, ['fileName']],
    [{ fileName: '' }, ['fileName']],
    [{ bytes: 0 }, ['bytes']],
    [{ bytes: 1.5 }, ['bytes']],
    [{ sha256: 'abc' }, ['sha256']],
    [{ metadata: { a: 1 } }, ['metadata', 'a']],
    [{ filename: 'a' }, []],
  ] as const) {
    const { status, body } = await ada.call('POST', '/media/uploads', { ...valid, ...change })
    t.strictSame([status, body.details?.[0].path], [400, path])
  }
  t.equal((await ada.call('POST', '/media/uploads', { ...valid, bytes: 1_001 })).status, 413)
  const headers = { 'idempotency-key': 'one' }
  const [first, again] = [
    await ada.call('POST', '/media/uploads', valid, headers),
    await ada.call('POST', '/media/uploads', valid, headers),
  ]
  t.strictSame([again.status, again.body, again.headers['idempotent-replayed']], [201, first.body, 'true'])
})

t.test('an address is no secret that the database tells', async (t) => {
  const { ada, db, request } = await createUploadScene(t)
  const { uploadUrl } = await request()
  await ada.call('POST', '/media/uploads', { fileName: 'a' }, { 'idempotency-key': 'one' })
  const { rows } = await sql<{ text: string }>`
    select concat((select string_agg(uploads::text, ' ') from uploads),
      (select string_agg(idempotency_keys::text, ' ') from idempotency_keys)) as text`.execute(db)
  t.notMatch(rows[0]!.text, /signature=/)
  t.notMatch(rows[0]!.text, new URL(uploadUrl).searchParams.get('signature')!)
})

t.test('a key for some accounts sees its own uploads', async (t) => {
  const { app, ada, request } = await createUploadScene(t)
  const accountIds = [await ada.account()]
  const [limited, other] = await Promise.all(
    [accountIds, [await ada.account()]].map(async (accountIds) => {
      const { key } = (
        await ada.call('POST', '/keys', { name: 'a', scopes: ['media:read', 'media:write', 'posts:write'], accountIds })
      ).body
      return (...[method, path, body]: Parameters<typeof ada.call>) => call(app, key, method, path, body)
    }),
  )
  const hidden = (await upload(app, ada, [['file', image]])).body.id
  const own = (await limited!('POST', '/media/uploads', { fileName: 'a' })).body
  t.equal((await limited!('GET', `/media/${own.id}/upload`)).status, 200)
  t.equal((await other!('GET', `/media/${own.id}/upload`)).status, 404)
  t.equal((await limited!('GET', `/media/${(await request()).id}/upload`)).status, 404)
  t.equal((await limited!('POST', '/posts', { accountIds, mediaIds: [own.id] })).status, 201)
  t.equal((await put(own.uploadUrl, image)).status, 200)
  const { state, duplicateOf } = (await limited!('GET', `/media/${own.id}/upload`)).body
  t.strictSame([state, duplicateOf], ['ready', null], 'the key does not see the other file')
  const sha256 = createHash('sha256').update(image).digest('hex')
  const known = (await limited!('POST', '/media/uploads', { fileName: 'a', sha256 })).body
  t.equal(known.state, 'pending', 'it has to send the bytes')
  t.equal((await limited!('GET', `/media/${hidden}/upload`)).status, 404)
})

t.test('without a key that signs addresses, there are none', async (t) => {
  const { user } = await createWorld(t, { keyring: undefined })
  const { status, headers } = await (await user()).call('POST', '/media/uploads', { fileName: 'a' })
  t.strictSame([status, headers['x-error-code']], [503, 'credentials_key_missing'])
})

t.test('pages of other origins may send a file', async (t) => {
  const { request } = await createUploadScene(t, { corsOrigins: ['https://app.example.com'] })
  const { uploadUrl } = await request()
  const headers = {
    origin: 'https://other.example.com',
    'access-control-request-method': 'PUT',
    'access-control-request-headers': 'content-range,content-type',
  }
  const preflight = await fetch(uploadUrl, { method: 'OPTIONS', headers })
  const [allowed, methods, names] = ['origin', 'methods', 'headers'].map((name) =>
    preflight.headers.get(`access-control-allow-${name}`),
  )
  t.strictSame([preflight.status, allowed], [204, '*'])
  t.match(methods, /PUT/)
  t.match(names, /content-range.*content-type/)
  const sent = await fetch(uploadUrl, { method: 'PUT', body: image as never, headers: { origin: headers.origin } })
  t.strictSame([sent.status, sent.headers.get('access-control-allow-origin')], [200, '*'])
  t.match(sent.headers.get('access-control-expose-headers'), /upload-offset/)
})

import { createHash } from 'node:crypto'
import t from 'tap'
import { folderStorage } from '../../src/base/storage/folder.ts'
import { createFolder } from '../helpers/app.ts'
import { until } from '../helpers/until.ts'
import { isClean, jpeg } from '../helpers/upload.ts'
import { collect } from './upload-connections.ts'
import { ask, createUploadScene, open, put, videoOf } from './upload-scene.ts'

const KIB = 1024
const MIB = KIB * KIB
const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')

const stored = (url: string) => async () => Number((await ask(url)).offset)

t.test('an upload goes on where its connection was cut', async (t) => {
  const { contentOf, db, mediaDir, request } = await createUploadScene(t)
  const video = videoOf(30 * MIB)
  const total = video.length
  const { id, uploadUrl } = await request({ bytes: total, sha256: sha256(video) })
  let offset = 0
  for (const sent of [2 * MIB, 10 * MIB, 10 * MIB + 1]) {
    const socket = await open(uploadUrl, { length: total - offset, range: `bytes ${offset}-${total - 1}/${total}` })
    await socket.send(video.subarray(offset, offset + sent))
    socket.end()
    // The last bytes of a connection may be lost with it.
    const least = offset + sent - MIB
    offset = await until('what arrived is stored', stored(uploadUrl), { isMet: (bytes) => bytes > least })
  }
  const rest = await put(uploadUrl, video.subarray(offset), `bytes ${offset}-${total - 1}/${total}`)
  t.hasStrict(rest, { status: 200, complete: '?1' })
  t.equal(sha256(await contentOf(id)), sha256(video))
  await until('only the file is left', () => isClean(db, mediaDir, 1))
})

t.test('a few bytes are dropped: nobody makes millions of parts', async (t) => {
  const { db, mediaDir, request } = await createUploadScene(t)
  const { uploadUrl } = await request()
  const socket = await open(uploadUrl, { length: 20 * MIB })
  await socket.send(Buffer.alloc(200 * KIB))
  socket.end()
  await until('the request has ended', () => isClean(db, mediaDir, 0))
  t.equal((await ask(uploadUrl)).offset, '0')
  const small = await open(uploadUrl, { length: MIB })
  await small.send(Buffer.alloc(900 * KIB))
  small.end()
  await until('a small file begins anew', () => isClean(db, mediaDir, 0))
  t.equal((await ask(uploadUrl)).offset, '0')
})

t.test('a later request takes over, and the bytes of the earlier one are not mixed in', async (t) => {
  const { contentOf, db, mediaDir, request } = await createUploadScene(t)
  const video = videoOf(20 * MIB)
  const total = video.length
  const { id, uploadUrl } = await request()
  const earlier = await open(uploadUrl, { length: total })
  const response = collect(earlier.socket)
  await earlier.send(Buffer.alloc(9 * MIB, 1))
  await until('a part is stored', stored(uploadUrl), { isMet: (bytes) => bytes > 0 })
  t.hasStrict(await put(uploadUrl, video), { status: 200, complete: '?1' })
  await earlier.send(Buffer.alloc(total - 9 * MIB, 1))
  await until('the earlier one has a response', async () => response().includes('}'))
  t.match(response(), /^HTTP\/1\.1 (?:409 .*upload_taken_over|408 )/s, 'on a busy machine, it may have stalled before')
  t.equal(sha256(await contentOf(id)), sha256(video))
  await until('only the file is left', () => isClean(db, mediaDir, 1))
})

t.test('requests at the same time make one file', async (t) => {
  const { contentOf, db, mediaDir, request } = await createUploadScene(t)
  const small = await jpeg()
  for (const bytes of [small, videoOf(9 * MIB)]) {
    const { id, uploadUrl } = await request()
    // A reset is one way to refuse the rest of a body, and a body may stall on a busy machine.
    const lost = { status: 408, code: null }
    const sent = await Promise.all(Array.from({ length: 6 }, () => put(uploadUrl, bytes).catch(() => lost)))
    const isExpected = ({ status, code }: (typeof sent)[number]) =>
      status === 200 || status === 408 || (status === 409 && /^upload_/.test(code ?? ''))
    t.ok(sent.every(isExpected), `${sent.map(({ code }) => code)}`)
    const isThere = async () => {
      if ((await ask(uploadUrl)).complete === '?1') return true
      await put(uploadUrl, bytes).catch(() => lost)
      return false
    }
    await until('the file is there', isThere)
    t.equal(sha256(await contentOf(id)), sha256(bytes))
  }
  await until('only the files are left', () => isClean(db, mediaDir, 2))
})

t.test('while the file is being stored, others wait', async (t) => {
  const folder = folderStorage(await createFolder(t))
  const gate = Promise.withResolvers<void>()
  let isStoring = false
  const put_ = async (key: string, path: string, type: string) => {
    if (type === 'video/mp4') {
      isStoring = true
      await gate.promise
    }
    return folder.put(key, path, type)
  }
  const { request } = await createUploadScene(t, { media: { storage: { ...folder, put: put_ } } })
  const video = videoOf(9 * MIB)
  const { uploadUrl } = await request()
  const first = put(uploadUrl, video)
  await until('the file is being stored', async () => isStoring)
  const other = await fetch(uploadUrl, { method: 'PUT', body: video as never })
  t.strictSame(
    [other.status, other.headers.get('x-error-code'), other.headers.get('retry-after')],
    [409, 'upload_busy', '1'],
  )
  t.hasStrict(await ask(uploadUrl), { offset: String(video.length), complete: '?0' })
  gate.resolve()
  t.equal((await first).status, 200)
})

t.test('an upload whose storage is away keeps its bytes, and is completed later', async (t) => {
  const folder = folderStorage(await createFolder(t))
  let isAway = true
  const failing = async (key: string, path: string, type: string) => {
    if (isAway && type === 'video/mp4') throw Object.assign(new Error('away'), { code: 'EIO', syscall: 'open' })
    return folder.put(key, path, type)
  }
  const { request, show } = await createUploadScene(t, { media: { storage: { ...folder, put: failing } } })
  const video = videoOf(9 * MIB)
  const { id, uploadUrl } = await request()
  t.equal((await put(uploadUrl, video)).status >= 500, true)
  t.hasStrict(await show(id), { state: 'pending', receivedBytes: video.length, error: null })
  isAway = false
  t.hasStrict(await put(uploadUrl, '', `bytes */${video.length}`), { status: 200, body: { state: 'ready' } })
})

t.test('a stranger gets neither time nor room', async (t) => {
  const { request } = await createUploadScene(t)
  const { uploadUrl } = await request()
  const socket = await open(uploadUrl.replace('signature=', 'signature=a'), { length: 100 * MIB })
  const response = collect(socket.socket)
  await until('the response is there, although no byte was sent', async () => response().includes('}'))
  t.match(response(), /^HTTP\/1\.1 404 /)
  await until('the connection is closed', async () => {
    if (!socket.socket.destroyed) socket.socket.write(Buffer.alloc(1_000))
    return socket.socket.destroyed
  })
})

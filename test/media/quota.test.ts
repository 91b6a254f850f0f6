import { rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import t, { type Test } from 'tap'
import { lockUser } from '../../db/queries/staged-files.ts'
import { addMedia } from '../../src/features/media/add.ts'
import { readConfig } from '../../src/run/config/config.ts'
import { createFolder, createWorld, mediaOptions } from '../helpers/app.ts'
import { postroom } from '../helpers/command.ts'
import { createDatabase } from '../helpers/database.ts'
import { until, untilBlocked } from '../helpers/until.ts'
import { filesIn, isClean, jpeg, upload } from '../helpers/upload.ts'
import { collect, listening } from './upload-connections.ts'

const pictures = await Promise.all([1, 2, 3, 4].map((shade) => jpeg(40, 30, shade * 40)))
const [first, second] = pictures as [Buffer, Buffer, Buffer, Buffer]

/** A service whose quota has room for one of the pictures. */
async function createScene(t: Test) {
  const quotaBytes = Math.floor(1.5 * first.length)
  const fetchFile = async () => Readable.from([second])
  const world = await createWorld(t, { media: { quotaBytes, fetchFile }, poolMax: 8 })
  const ada = await world.user()
  const add = (bytes: Buffer, person = ada) => upload(world.app, person, [['file', bytes]])
  return { ...world, ada, add, quotaBytes }
}

const message = (bytes: number, used: number, allowed: number) =>
  `File has ${bytes} bytes, but your files use ${used} of ${allowed} bytes: delete files that you no longer need`

t.test('a file that would exceed the quota is refused, and nothing is kept', async (t) => {
  const { db, ada, add, quotaBytes, mediaDir } = await createScene(t)
  const added = await add(first)
  t.equal(added.status, 201)
  const { status, body, headers } = await add(second)
  const error = message(second.length, first.length, quotaBytes)
  t.strictSame([status, headers['x-error-code'], body], [409, 'media_quota', { error }])
  const imported = await ada.call('POST', '/media/import', { url: 'https://example.com/second.jpg' })
  t.strictSame([imported.status, imported.body], [409, { error }])
  await until('only the first file is left', () => isClean(db, mediaDir, 1))
  t.equal((await add(first)).status, 200, 'the same bytes do not count again')
  await ada.call('DELETE', `/media/${added.body.id}`)
  t.equal((await add(second)).status, 201, 'a deleted file does not count')
})

t.test('a lost file that is stored again does not count twice', async (t) => {
  const { add, mediaDir } = await createScene(t)
  const { body } = await add(first)
  const [path] = await filesIn(join(mediaDir, 'files'))
  await rm(path!)
  const again = await add(first)
  t.strictSame([again.status, again.body], [200, body])
})

t.test('uploads at the same time cannot exceed the quota together', async (t) => {
  const { db, ada, mediaDir, quotaBytes } = await createScene(t)
  const library = { ...mediaOptions(mediaDir), db, quotaBytes }
  const lock = Promise.withResolvers<void>()
  const isLocked = Promise.withResolvers<void>()
  const holder = db.transaction().execute(async (transaction) => {
    await lockUser(transaction, { userId: ada.id })
    isLocked.resolve()
    await lock.promise
  })
  t.teardown(lock.resolve)
  await isLocked.promise
  const uploads = pictures.map((bytes) =>
    addMedia(library, ada.id, async (save) => {
      await save(Readable.from([bytes]))
      return {}
    }),
  )
  await untilBlocked(db, { count: pictures.length })
  lock.resolve()
  await holder
  const outcomes = (await Promise.allSettled(uploads)).map(({ status }) => status)
  t.strictSame(outcomes.sort(), ['fulfilled', 'rejected', 'rejected', 'rejected'])
  await until('one file is left', () => isClean(db, mediaDir, 1))
})

t.test('each user has a quota, and sees how much of it is used', async (t) => {
  const { ada, add, user, quotaBytes } = await createScene(t)
  const bob = await user()
  await add(first)
  t.equal((await add(first, bob)).status, 201)
  t.strictSame((await ada.call('GET', '/media')).body.quota, { usedBytes: first.length, allowedBytes: quotaBytes })
})

t.test('without MEDIA_QUOTA there is no quota', async (t) => {
  const { app, user } = await createWorld(t)
  const ada = await user()
  t.equal((await upload(app, ada, [['file', first]])).status, 201)
  t.notOk('quota' in (await ada.call('GET', '/media')).body)
})

t.test('media add obeys the quota', async (t) => {
  const folder = await createFolder(t)
  const quotaBytes = first.length + second.length - 1
  const env = { DATABASE_URL: await createDatabase(t), MEDIA_DIR: folder, MEDIA_QUOTA: String(quotaBytes) }
  const { stdout } = await postroom(['user', 'create', '--name', 'Ada', '--json'], env)
  const add = async (bytes: Buffer) => {
    const path = join(folder, 'photo.jpg')
    await writeFile(path, bytes)
    const { code, stderr } = await postroom(['media', 'add', path, '--user', JSON.parse(stdout).id], env)
    await rm(path)
    return { code, stderr }
  }
  t.equal((await add(first)).code, 0)
  t.match(await add(second), { code: 1, stderr: message(second.length, first.length, quotaBytes) })
  const larger = Buffer.alloc(quotaBytes + 1)
  t.match(await add(larger), { code: 1, stderr: `File is larger than ${quotaBytes} bytes` })
  t.equal((await filesIn(folder)).length, 1)
})

t.test('no file is received that is larger than the whole quota', async (t) => {
  const largest = (MEDIA_QUOTA: string) => readConfig({ MEDIA_MAX_BYTES: '2000', MEDIA_QUOTA }).mediaBytesMax
  t.strictSame([largest('1000'), largest('3000')], [1000, 2000])
})

t.test('files that arrive at the same time take no more of the disk than the quota and one file', async (t) => {
  const MIB = 2 ** 20
  const media = { quotaBytes: 2 * MIB, bytesMax: MIB }
  const { connect, head, mediaDir } = await listening(t, { media, poolMax: 8 })
  const responses = await Promise.all(
    Array.from({ length: 12 }, async () => {
      const socket = await connect()
      const response = collect(socket)
      socket.write(head('multipart/form-data; boundary=b', 2 * MIB))
      socket.write('--b\r\ncontent-disposition: form-data; name="file"; filename="a"\r\n\r\n')
      socket.write(Buffer.alloc(0.9 * MIB))
      return response
    }),
  )
  await until('the others have a response', async () => responses.filter((text) => text() !== '').length >= 9)
  t.match(responses.map((text) => text()).join(''), /HTTP\/1\.1 429 .*too_many_uploads/s)
  const sizes = await Promise.all((await filesIn(mediaDir)).map(async (path) => (await stat(path)).size))
  const sum = sizes.reduce((a, b) => a + b, 0)
  t.ok(sum <= 3 * MIB, `${sum} bytes`)
})

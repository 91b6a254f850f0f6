import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import sharp from 'sharp'
import t, { type Test } from 'tap'
import { fileAddress } from '../../src/features/media/file-address.ts'
import { makeRendition } from '../../src/features/media/make-rendition.ts'
import { EditList } from '../../src/features/media/metadata/edits.ts'
import { createWorld, mediaOptions, type Options } from '../helpers/app.ts'
import { createNetworkWorld } from '../helpers/network-world.ts'
import { collectProblems } from '../helpers/problems.ts'
import { findStoredFileOf } from '../helpers/stored-file.ts'
import { filesIn, upload } from '../helpers/upload.ts'
import { images, inspect, reason, videos } from './inspect-scene.ts'
import { movie, privateFiles, SECRET } from './metadata-scene.ts'

async function createScene(t: Test, media: Options['media'] = {}) {
  const world = await createWorld(t, { media })
  const ada = await world.user()
  /** Uploads a file. Returns its id. */
  const add = async (bytes: Buffer): Promise<string> => {
    const { body } = await upload(world.app, ada, [['file', bytes]])
    if (!body.id) throw new Error(body.error)
    return body.id
  }
  /** Fetches a file from its public address, as a network does. */
  const fetchPublic = async (id: string, headers: Record<string, string> = {}): Promise<Buffer> => {
    const file = await findStoredFileOf(world.db, id)
    const { pathname, search } = fileAddress('https://postroom.example', world.keyring, file)
    const { statusCode, rawPayload } = await world.app.inject({ url: `${pathname}${search}`, headers })
    if (statusCode !== 200 && statusCode !== 206) throw new Error(`The public address responded with ${statusCode}`)
    return rawPayload
  }
  return { ...world, ada, add, fetchPublic, publish: async (bytes: Buffer) => fetchPublic(await add(bytes)) }
}

/** An image as a viewer sees it. */
async function seen(bytes: Buffer) {
  const { orientation = 1, icc, pages, delay, loop, autoOrient } = await sharp(bytes, { animated: true }).metadata()
  const pixels = await sharp(bytes, { animated: true, failOn: 'warning' }).raw().toBuffer()
  return { orientation, icc: icc && digest(icc), pages, delay, loop, autoOrient, pixels: digest(pixels) }
}
const digest = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')

t.test('networks get files of all types without metadata', async (t) => {
  const { publish } = await createScene(t)
  const { problems, check } = collectProblems()
  for (const [name, { type, bytes }] of Object.entries(privateFiles)) {
    check(bytes.includes(SECRET), true, `${name} as it is uploaded`)
    const published = await publish(bytes)
    check(published.length, bytes.length, `${name}: its length`)
    for (const text of [SECRET, '+53.5+009.9/', 'rdf:RDF']) check(published.includes(text), false, `${name}: ${text}`)
    check(await inspect(published), await inspect(bytes), `${name}: its facts`)
    if (!type.startsWith('image/')) continue
    check(await seen(published), await seen(bytes), `${name}: its picture`)
    const { exif, xmp, iptc, comments } = await sharp(published).metadata()
    check([xmp, iptc, comments], [undefined, undefined, undefined], `${name}: its metadata`)
    // The last byte before the zeros is the orientation.
    const orientationEnd = (exif?.indexOf('MM\0*') ?? 0) + 20
    check(exif?.subarray(orientationEnd).every((byte) => byte === 0) ?? true, true, `${name}: its EXIF`)
  }
  t.strictSame(problems, [])
})

t.test('the owner downloads the file as it was uploaded', async (t) => {
  const { app, ada, add } = await createScene(t)
  const bytes = readFileSync('test/samples/gps-and-serial.jpg')
  const id = await add(bytes)
  const headers = { authorization: `Bearer ${ada.key}` }
  const { rawPayload } = await app.inject({ url: `/api/v1/media/${id}/content`, headers })
  t.ok(rawPayload.equals(bytes))
  t.equal(await add(bytes), id, 'the same bytes are the same file')
})

t.test('every part of a published file is equal to that part of the whole', async (t) => {
  const { add, fetchPublic } = await createScene(t)
  const { problems, check } = collectProblems()
  const { bytes } = privateFiles.jpeg!
  const id = await add(bytes)
  const whole = await fetchPublic(id)
  for (let from = 0; from < bytes.length; from += 7) {
    const to = Math.min(from + (from % 90), bytes.length - 1)
    const part = await fetchPublic(id, { range: `bytes=${from}-${to}` })
    check(part.toString('hex'), whole.subarray(from, to + 1).toString('hex'), `${from} to ${to}`)
  }
  t.strictSame(problems, [])
})

t.test('the metadata of a file of an earlier version is removed when it is first published', async (t) => {
  const { add, fetchPublic, db, mediaDir } = await createScene(t)
  const id = await add(privateFiles.mov!.bytes)
  const published = await fetchPublic(id)
  await db.updateTable('media').set({ edits: null }).execute()
  const first = await Promise.all([fetchPublic(id), fetchPublic(id)])
  for (const again of first) t.ok(again.equals(published))
  const { edits } = await db.selectFrom('media').select('edits').executeTakeFirstOrThrow()
  t.type(edits, 'string', 'for the next time')
  t.strictSame(await readdir(join(mediaDir, 'incoming')), [])
})

t.test('pictures are decoded from copies without metadata, also those of an earlier version', async (t) => {
  const { add, ada, db, mediaDir } = await createScene(t)
  const library = { db, ...mediaOptions(mediaDir), keepsMetadata: true }
  const { problems, check } = collectProblems()
  for (const [name, { type, bytes }] of Object.entries(privateFiles)) {
    if (!type.startsWith('image/')) continue
    const id = await add(bytes)
    const { storageKey } = await findStoredFileOf(db, id)
    for (const target of ['edits are known', 'edits are not known']) {
      let source: Buffer | undefined
      await makeRendition(library, { userId: ada.id, id, target }, storageKey, async (path) => {
        source = readFileSync(path)
        return { problem: null }
      })
      check([source?.length, source?.includes(SECRET)], [bytes.length, false], `${name}, ${target}`)
      await db.updateTable('media').set({ edits: null }).execute()
    }
  }
  t.strictSame(problems, [])
})

const tooManyPositions = movie(videos.mov, 300_000)

t.test('samples that follow each other are one place', async (t) => {
  const edits = new EditList()
  for (let at = 0; at < 300_001; at++) edits.fill(at, 1)
  t.equal(edits.plan(), `0+${(300_001).toString(36)}`)
})

t.test('positions of a long video that are in a chunk for each frame are removed', async (t) => {
  const { publish } = await createScene(t)
  const bytes = movie(videos.mov, 20_000)
  const published = await publish(bytes)
  t.notOk(published.includes(SECRET))
  t.strictSame(await inspect(published), await inspect(bytes))
})

t.test('a file of an earlier version is not published if its metadata cannot be removed', async (t) => {
  const { add, fetchPublic, db, mediaDir } = await createScene(t)
  const id = await add(videos.mov)
  const [path] = await filesIn(join(mediaDir, 'files'))
  await writeFile(path!, tooManyPositions)
  await db.updateTable('media').set({ edits: null }).execute()
  await t.rejects(fetchPublic(id), { message: 'The public address responded with 404' })
})

t.test('a delivery whose file cannot be published without metadata fails at once, with the reason', async (t) => {
  const { connect, uploadFile, post, work, readDelivery, db, mediaDir } = await createNetworkWorld(t)
  const mediaIds = [await uploadFile(videos.mov)]
  const [path] = await filesIn(join(mediaDir, 'files'))
  await writeFile(path!, tooManyPositions)
  await db.updateTable('media').set({ edits: null }).execute()
  const id = await post({ accountIds: [await connect('mastodon')], caption: 'A ride', mediaIds })
  await work()
  const problem = 'file has metadata in more than 300000 places'
  const message = `The metadata of a file of the post cannot be removed: ${problem}. Convert it, and upload the result`
  t.hasStrict(await readDelivery(id), {
    state: 'failed',
    attempts: 1,
    error: { code: 'media_unreadable', message, retryable: false },
  })
})

t.test('MEDIA_KEEP_METADATA publishes files as they were uploaded', async (t) => {
  const { publish } = await createScene(t, { keepsMetadata: true })
  const { bytes } = privateFiles.png!
  t.ok((await publish(bytes)).equals(bytes))
})

t.test('a file without metadata is published as it was uploaded', async (t) => {
  const { publish } = await createScene(t)
  const { problems, check } = collectProblems()
  for (const [name, bytes] of Object.entries(images)) {
    check((await publish(bytes)).equals(bytes), true, name)
  }
  t.strictSame(problems, [])
})

t.test('a file whose metadata cannot be removed within limits is refused', async (t) => {
  t.equal(await reason(tooManyPositions), 'file has metadata in more than 300000 places')
})

t.test('Bluesky gets no position, serial number or author', async (t) => {
  const { connect, uploadFile, post, work, bluesky } = await createNetworkWorld(t)
  const mediaIds = [await uploadFile(readFileSync('test/samples/gps-and-serial.jpg'))]
  const accountId = await connect('bluesky')
  await post({ accountIds: [accountId], caption: 'A lighthouse', mediaIds })
  await work()
  const [blob] = bluesky.calls.filter(({ path }) => path === '/xrpc/com.atproto.repo.uploadBlob')
  const { orientation, exif } = await sharp(blob!.files[0]!.bytes).metadata()
  t.equal(orientation, 6)
  t.strictSame(exif!.indexOf('Ada Example'), -1)
})

import { readFileSync } from 'node:fs'
import sharp from 'sharp'
import t, { type Test } from 'tap'
import { createWorld } from '../helpers/app.ts'
import { callsOf, createNetworkWorld } from '../helpers/network-world.ts'
import { upload } from '../helpers/upload.ts'

/** A green picture of 64 by 48 pixels. */
const HEIC = readFileSync(new URL('../samples/photo.heic', import.meta.url))

async function createScene(t: Test) {
  const world = await createWorld(t)
  const ada = await world.user()
  const instagram = await ada.account('instagram')
  const add = async (bytes: Buffer) => (await upload(world.app, ada, [['file', bytes]])).body
  const create = (file: string, mediaFit = 'crop') =>
    ada.call('POST', '/posts', { accountIds: [instagram], caption: 'Hi', mediaIds: [file], mediaFit })
  const read = (path: string) =>
    world.app.inject({ url: `/api/v1${path}`, headers: { authorization: `Bearer ${ada.key}` } })
  return { ...world, ada, add, create, read }
}

const isGreen = async (bytes: Buffer) => {
  const { channels } = await sharp(bytes).stats()
  return channels.every(({ mean }, index) => Math.abs(mean - [0, 255, 0][index]!) < 12)
}

t.test('a HEIC is stored as it is, and has a preview', async (t) => {
  const { add, read } = await createScene(t)
  const file = await add(HEIC)
  t.match(file, { kind: 'image', mimeType: 'image/heic', width: 64, height: 48, bytes: HEIC.length })
  const content = await read(`/media/${file.id}/content`)
  t.same([content.headers['content-type'], content.rawPayload], ['image/heic', HEIC])
  const preview = await read(`/media/${file.id}/preview`)
  t.equal(preview.headers['content-type'], 'image/webp')
  t.ok(await isGreen(preview.rawPayload))
})

t.test('a HEIC with appended data is refused', async (t) => {
  const { add } = await createScene(t)
  t.match(await add(Buffer.concat([HEIC, Buffer.from('x')])), { error: 'file has 1 byte after its end' })
})

t.test('networks get a JPEG of a HEIC', async (t) => {
  const { connect, uploadFile, post, work, bluesky } = await createNetworkWorld(t)
  const accountIds = [await connect('bluesky')]
  await post({ accountIds, caption: 'Hi', mediaIds: [await uploadFile(HEIC)], mediaFit: 'auto' })
  await work()
  const {
    headers,
    files: [file],
  } = callsOf(bluesky, 'uploadBlob')[0]!
  const { bytes } = file!
  t.equal(headers['content-type'], 'image/jpeg')
  t.match(await sharp(bytes).metadata(), { format: 'jpeg', width: 64, height: 48 })
  t.ok(await isGreen(bytes))
})

t.test('a HEIC that cannot be decoded is a violation, and the service goes on', async (t) => {
  const { add, create } = await createScene(t)
  const broken = Buffer.from(HEIC)
  // The compressed picture.
  broken.fill(255, broken.indexOf('mdat') + 4)
  const large = Buffer.from(HEIC)
  const sizeAt = large.lastIndexOf('ispe') + 8
  large.writeUInt32BE(10_000, sizeAt)
  large.writeUInt32BE(8_000, sizeAt + 4)
  for (const [bytes, reason] of [
    [broken, 'the image cannot be decoded'],
    [large, 'images of more than 26000000 pixels are not decoded'],
  ] as const) {
    const { status, body } = await create((await add(bytes)).id)
    t.match([status, body.error], [400, new RegExp(`mediaFit changes nothing: ${reason}$`)])
  }
  t.equal((await create((await add(HEIC)).id)).status, 201)
})

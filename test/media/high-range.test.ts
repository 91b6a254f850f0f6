import { readFileSync } from 'node:fs'
import { crc32 } from 'node:zlib'
import sharp from 'sharp'
import t, { type Test } from 'tap'
import { createWorld } from '../helpers/app.ts'
import { filesIn, upload } from '../helpers/upload.ts'

/** The numbers of ITU-T H.273. */
type Colours = [primaries: number, transfer: number]
const PQ: Colours = [9, 16]
const SRGB: Colours = [1, 13]

const sample = (name: string) => readFileSync(new URL(`../samples/${name}`, import.meta.url))

/** An AVIF whose colours are named otherwise. */
function withColours(avif: Buffer, [primaries, transfer]: Colours): Buffer {
  const bytes = Buffer.from(avif)
  const at = bytes.indexOf('colrnclx') + 'colrnclx'.length
  bytes.writeUInt16BE(primaries, at)
  bytes.writeUInt16BE(transfer, at + 2)
  return bytes
}

async function png(avif: Buffer, colours: Colours): Promise<Buffer> {
  const bytes = await sharp(avif).png().toBuffer()
  const chunk = Buffer.alloc(16)
  chunk.writeUInt32BE(4)
  chunk.write('cICP', 4)
  chunk.set([...colours, 0, 1], 8)
  chunk.writeUInt32BE(crc32(chunk.subarray(4, 12)), 12)
  const at = bytes.indexOf('IDAT') - 4
  return Buffer.concat([bytes.subarray(0, at), chunk, bytes.subarray(at)])
}

async function createScene(t: Test) {
  const { app, user, mediaDir } = await createWorld(t)
  const ada = await user()
  const instagram = await ada.account('instagram')
  const read = async (path: string) =>
    (await app.inject({ url: `/api/v1${path}`, headers: { authorization: `Bearer ${ada.key}` } })).rawPayload
  /** The greys of the preview and of the JPEG that a network gets. */
  const draw = async (bytes: Buffer, count: number) => {
    const { id } = (await upload(app, ada, [['file', bytes]])).body
    const before = new Set(await filesIn(mediaDir))
    const { status, body } = await ada.call('POST', '/posts', {
      accountIds: [instagram],
      caption: 'Hi',
      mediaIds: [id],
      mediaFit: 'pad',
    })
    t.equal(status, 201, JSON.stringify(body))
    const [rendition] = (await filesIn(mediaDir)).filter((path) => !before.has(path))
    return [await greys(await read(`/media/${id}/preview`), count), await greys(rendition!, count)]
  }
  return { draw }
}

/** The grey in the middle of each part of a picture. */
async function greys(image: Buffer | string, count: number): Promise<number[]> {
  const { data, info } = await sharp(image).raw().toBuffer({ resolveWithObject: true })
  return Array.from({ length: count }, (_, index) => {
    const row = Math.floor(((index + 0.5) * info.height) / count)
    const at = (row * info.width + Math.floor(info.width / 2)) * info.channels
    const colours = [...data.subarray(at, at + 3)]
    if (Math.max(...colours) - Math.min(...colours) > 6) throw new Error(`${colours} is no grey`)
    return colours[1]!
  })
}

t.test('previews and renditions of pictures with a high dynamic range have the standard one', async (t) => {
  const { draw } = await createScene(t)
  const [pq, hlg] = [sample('pq.avif'), sample('hlg.avif')]
  // The greys are black, 20 or 15, 203 and 1,000 cd/m². Those below a third of 203 stay, and others are compressed.
  for (const [name, bytes, wanted] of [
    ['PQ in AVIF', pq, [0, 89, 211, 243]],
    ['HLG in AVIF', hlg, [0, 77, 212, 249]],
    ['PQ in PNG', await png(pq, PQ), [0, 89, 211, 243]],
    ['sRGB in AVIF', withColours(pq, SRGB), [0, 91, 148, 192]],
    ['sRGB in PNG', await png(pq, SRGB), [0, 91, 148, 192]],
  ] as const) {
    for (const seen of await draw(bytes, wanted.length)) {
      const isNear = seen.every((grey, index) => Math.abs(grey - wanted[index]!) <= 5)
      t.ok(isNear, `${name}: ${seen}, not ${wanted}`)
    }
  }
})

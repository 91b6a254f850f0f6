import { crc32 } from 'node:zlib'
import sharp from 'sharp'
import type { MediaType } from '../../schemas/media.ts'
import { sample, videos } from './inspect-scene.ts'

/** A text that no published file may contain. */
export const SECRET = 'Ada Example 12345'

const exif = {
  IFD0: { Make: SECRET, Artist: SECRET, Copyright: SECRET },
  IFD2: { BodySerialNumber: SECRET, CameraOwnerName: SECRET },
  IFD3: { GPSLatitudeRef: 'N', GPSLatitude: '53/1 30/1 0/1' },
}
const xmp = `<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
  <rdf:Description rdf:about="" xmlns:photoshop="http://ns.adobe.com/photoshop/1.0/" photoshop:City="${SECRET}"/>
</rdf:RDF></x:xmpmeta>`

/** A picture that is turned by its orientation, with a colour profile, and with metadata where sharp writes them. */
const picture = (orientation?: number) =>
  sharp({ create: { width: 40, height: 30, channels: 3, background: 'teal', noise: { type: 'gaussian', sigma: 30 } } })
    .withMetadata(orientation === undefined ? {} : { orientation })
    .withIccProfile('p3')
    .withExifMerge(exif)
    .withXmp(xmp)

const length = (bytes: number, count: number) => {
  const field = Buffer.alloc(bytes)
  field.writeUIntBE(count, 0, bytes)
  return field
}

/** A segment of a JPEG. */
const segment = (marker: number, content: string) =>
  Buffer.concat([Buffer.from([0xff, marker]), length(2, content.length + 2), Buffer.from(content, 'latin1')])

const pngChunk = (type: string, content: string) => {
  const bytes = Buffer.from(type + content, 'latin1')
  return Buffer.concat([length(4, content.length), bytes, length(4, crc32(bytes))])
}

const box = (type: string, ...content: (Buffer | string)[]) => {
  const bytes = Buffer.concat([
    Buffer.from(type, 'latin1'),
    ...content.map((part) => Buffer.from(part as string, 'latin1')),
  ])
  return Buffer.concat([length(4, bytes.length + 4), bytes])
}

const insert = (bytes: Buffer, at: number, ...more: Buffer[]) =>
  Buffer.concat([bytes.subarray(0, at), ...more, bytes.subarray(at)])

async function jpegs() {
  const turned = await picture(6).jpeg().toBuffer()
  const plain = await picture().jpeg({ progressive: true }).toBuffer()
  const added = [
    segment(0xed, `Photoshop 3.0\0${SECRET}`),
    segment(0xfe, SECRET),
    segment(0xe1, `http://ns.adobe.com/xmp/extension/\0${SECRET}`),
    segment(0xe2, `MPF\0${SECRET}`),
    segment(0xe0, `JFXX\0${SECRET}`),
    segment(0xec, SECRET),
  ]
  // The Multi-Picture segment announces the preview that follows.
  return { jpeg: insert(turned, 2, ...added), preview: Buffer.concat([insert(plain, 2, ...added), turned]) }
}

async function png() {
  const bytes = await picture(8).png().toBuffer()
  const end = bytes.length - 12
  const text = [
    pngChunk('tEXt', `Author\0${SECRET}`),
    pngChunk('zTXt', `Location\0\0${SECRET}`),
    pngChunk('prVt', SECRET),
  ]
  return insert(bytes, end, ...text, pngChunk('iTXt', `Comment\0\0\0\0\0${SECRET}`))
}

async function gif() {
  const bytes = await sharp(await picture().png().toBuffer())
    .gif()
    .toBuffer()
  const block = (label: number, ...blocks: string[]) =>
    Buffer.concat([
      Buffer.from([0x21, label]),
      ...blocks.map((text) => Buffer.concat([length(1, text.length), Buffer.from(text)])),
      length(1, 0),
    ])
  const end = bytes.length - 1
  return insert(bytes, end, block(0xfe, SECRET), block(0xfe, `${SECRET}!`), block(0xff, 'XMP DataXMP', SECRET))
}

/**
 * The samples of a track of positions, after the movie, and the track. Each is a chunk of its own, before a byte of
 * others.
 */
const positions = (at: number, chunks = 2) => {
  const text = `GPS ${SECRET}`
  const offsets = Buffer.alloc(4 * chunks)
  for (let chunk = 0; chunk < chunks; chunk++) offsets.writeUInt32BE(at + chunk * (text.length + 1), 4 * chunk)
  const full = (type: string, ...numbers: number[]) => box(type, length(4, 0), ...numbers.map((n) => length(4, n)))
  const table = box(
    'stbl',
    box('stsd', length(4, 0), length(4, 1), box('gpmd', length(6, 0), length(2, 1))),
    full('stts', 1, chunks, 1),
    full('stsc', 1, 1, 1, 1),
    full('stsz', text.length, chunks),
    box('stco', length(4, 0), length(4, chunks), offsets),
  )
  const header = box('tkhd', length(4, 7), length(4, 0), length(4, 0), length(4, 9), Buffer.alloc(68))
  const handler = box('hdlr', length(4, 0), length(4, 0), 'meta', Buffer.alloc(12), `${SECRET}\0`)
  const media = box(
    'mdia',
    full('mdhd', 0, 0, 1_000, chunks, 0),
    handler,
    box('minf', box('nmhd', length(4, 0)), table),
  )
  return { samples: `${text}.`.repeat(chunks), track: box('trak', header, media) }
}

/** A movie whose `moov` box is the last one, with metadata in all places that writers use. */
export function movie(bytes: Buffer, chunks?: number): Buffer {
  const moovAt = bytes.indexOf('moov') - 4
  const more = (at: number) => {
    const { samples, track } = positions(at, chunks)
    const user = box('udta', box('\xa9xyz', length(2, 18), length(2, 0), '+53.5+009.9/'), box('\xa9mak', SECRET))
    const key = box('mdta', 'com.apple.quicktime.location.ISO6709')
    const value = box('data', length(4, 1), length(4, 0), SECRET)
    const keys = box(
      'meta',
      box('hdlr', length(4, 0), length(4, 0), 'mdta', Buffer.alloc(14)),
      box('keys', length(4, 0), length(4, 1), key),
      box('ilst', box('\0\0\0\x01', value)),
    )
    return { samples, moov: Buffer.concat([bytes.subarray(moovAt), track, user, keys, box('loci', SECRET)]) }
  }
  const { moov } = more(0)
  const samplesAt = moovAt + moov.length + 8
  const { moov: placed, samples } = more(samplesAt)
  placed.writeUInt32BE(placed.length)
  return Buffer.concat([
    bytes.subarray(0, moovAt),
    placed,
    box('mdat', samples),
    box('uuid', Buffer.from('be7acfcb97a942e89c71999491e3afac', 'hex'), SECRET),
    box('free', SECRET),
  ])
}

const webm = Buffer.concat([
  videos.live,
  // Tags with one element of a size that no reader expects.
  Buffer.from('1254c367', 'hex'),
  length(1, 0x80 + SECRET.length),
  Buffer.from(SECRET),
])

const fragmented = await sample('fragmented-subtitles.mp4')

/**
 * The data of each track begin where those of the one before end, as ISO/IEC 14496-12, 8.8.7.1 defines without a base.
 */
function withoutBases(): Buffer {
  const bytes = Buffer.from(fragmented)
  for (let at = bytes.indexOf('tfhd'), traf = 0; at >= 0; at = bytes.indexOf('tfhd', at + 4), traf++) {
    bytes[at + 5]! &= ~2
    if (traf > 0) bytes.writeInt32BE(0, bytes.indexOf('trun', at) + 12)
  }
  return bytes
}

/** A file of each type with metadata in all places that writers use. */
export const privateFiles: Record<string, { type: MediaType; bytes: Buffer }> = {
  ...Object.fromEntries(Object.entries(await jpegs()).map(([name, bytes]) => [name, { type: 'image/jpeg', bytes }])),
  png: { type: 'image/png', bytes: await png() },
  gif: { type: 'image/gif', bytes: await gif() },
  webp: { type: 'image/webp', bytes: await picture(6).webp().toBuffer() },
  'upright webp': { type: 'image/webp', bytes: await picture().webp().toBuffer() },
  avif: { type: 'image/avif', bytes: await picture(6).avif({ effort: 0 }).toBuffer() },
  mov: { type: 'video/quicktime', bytes: movie(videos.mov) },
  mp4: { type: 'video/mp4', bytes: movie(await sample('rotated.mp4')) },
  fragmented: { type: 'video/mp4', bytes: fragmented },
  'fragmented, without bases': { type: 'video/mp4', bytes: withoutBases() },
  webm: { type: 'video/webm', bytes: webm },
}

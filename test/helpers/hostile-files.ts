import { readFileSync } from 'node:fs'
import { crc32, deflateSync } from 'node:zlib'
import sharp from 'sharp'

/** Makes a file of about `bytes` bytes, piece by piece. */
type MakeFile = (bytes: number) => Iterable<Buffer>

const sample = (name: string) => readFileSync(new URL(`../samples/${name}`, import.meta.url))
const hex = (text: string) => Buffer.from(text.replaceAll(' ', ''), 'hex')
const u32 = (...values: number[]) => {
  const bytes = Buffer.alloc(4 * values.length)
  for (const [index, value] of values.entries()) bytes.writeUInt32BE(value, 4 * index)
  return bytes
}

/** `unit` as often as it fits into `bytes`. */
const repeated = (unit: Buffer, bytes: number) => Buffer.alloc(Math.floor(bytes / unit.length) * unit.length, unit)

/* ISO/IEC 14496-12: size, type, content. */

const boxHead = (type: string, contentBytes: number) =>
  Buffer.concat([u32(8 + contentBytes), Buffer.from(type, 'latin1')])
const box = (type: string, ...content: Buffer[]) => {
  const whole = Buffer.concat(content)
  return Buffer.concat([boxHead(type, whole.length), whole])
}

/** Boxes in boxes, each of which has nothing else. */
function nested(types: string[], bytes: number): Buffer {
  const whole = Buffer.alloc(bytes - (bytes % 8))
  for (let at = 0; at < whole.length; at += 8) {
    whole.writeUInt32BE(whole.length - at, at)
    whole.write(types[(at / 8) % types.length]!, at + 4, 'latin1')
  }
  return whole
}

/** The box at a path of types, from its size on. */
function find(bytes: Buffer, [type, ...inner]: string[]): Buffer {
  for (let at = 0; at < bytes.length; at += bytes.readUInt32BE(at)) {
    const found = bytes.subarray(at, at + bytes.readUInt32BE(at))
    if (found.toString('latin1', 4, 8) === type) return inner.length > 0 ? find(found.subarray(8), inner) : found
  }
  throw new Error(`There is no ${type}`)
}

/** Replaces a box, or adds one to the end of a container, whose size and those of the containers around it change. */
function change(bytes: Buffer, [type, ...inner]: string[], replace: (old: Buffer) => Buffer): Buffer {
  const old = find(bytes, [type!])
  const content = old.subarray(8)
  const fresh = inner.length > 0 ? box(type!, change(content, inner, replace)) : replace(old)
  return Buffer.concat([
    bytes.subarray(0, old.byteOffset - bytes.byteOffset),
    fresh,
    bytes.subarray(old.byteOffset - bytes.byteOffset + old.length),
  ])
}

const mp4 = sample('plain.mp4')
const fragmented = sample('fragmented.mp4')
const MOVIE = ['moov']
const TABLES = ['moov', 'trak', 'mdia', 'minf', 'stbl']

/** A video with other content in a box, which has the wrong offsets for its frames then. */
const withIn = (path: string[], content: Buffer, video = mp4) =>
  change(video, path, (old) =>
    Buffer.concat([boxHead(path.at(-1)!, old.length - 8 + content.length), old.subarray(8), content]),
  )
const instead = (path: string[], fresh: Buffer, video = mp4) => change(video, path, () => fresh)
/** A table with a count of entries that fill it. */
const table = (type: string, entry: Buffer, bytes: number, before: Buffer = Buffer.alloc(0)) => {
  const entries = repeated(entry, bytes)
  return box(type, u32(0), before, u32(entries.length / entry.length), entries)
}
const tableFile = (type: string, entry: Buffer, before?: Buffer) => (bytes: number) => [
  instead([...TABLES, type], table(type, entry, bytes, before)),
]
const movieFile = (make: (bytes: number) => Buffer) => (bytes: number) => [withIn(MOVIE, make(bytes))]

/* RFC 8794: id, size, content. */

const element = (id: string, ...content: Buffer[]) => {
  const whole = Buffer.concat(content)
  const size = Buffer.alloc(8)
  size.writeBigUInt64BE(BigInt(whole.length))
  size[0] = 0x01
  return Buffer.concat([hex(id), size, whole])
}
const webm = sample('plain.webm')
const CLUSTER = '1f43b675'
const firstCluster = webm.indexOf(hex(CLUSTER))
const segmentAt = webm.indexOf(hex('18538067'))
/** A recording with more elements in front of its first cluster. Its segment lasts to the end of the file. */
const webmFile =
  (make: (bytes: number) => Buffer, at: 'before' | 'after' = 'before') =>
  (bytes: number) => {
    const head = Buffer.concat([webm.subarray(0, segmentAt), hex('18538067 01ffffffffffffff')])
    const body = webm.subarray(segmentAt + 12, webm.length)
    const split = firstCluster - segmentAt - 12
    return at === 'before'
      ? [head, body.subarray(0, split), make(bytes), body.subarray(split)]
      : [head, body, make(bytes)]
  }
function nestedElements(ids: string[], bytes: number): Buffer {
  const units = ids.map(hex)
  const unitBytes = Math.max(...units.map(({ length }) => length)) + 8
  const whole = Buffer.alloc(Math.floor(bytes / unitBytes) * unitBytes, hex('ec80'))
  for (let at = 0, turn = 0; at < whole.length; at += unitBytes, turn++) {
    const id = units[turn % units.length]!
    id.copy(whole, at)
    whole.writeBigUInt64BE(BigInt(whole.length - at - id.length - 8), at + id.length)
    whole[at + id.length] = 0x01
    // The rest of the unit belongs to the inner element as Void, which has two bytes.
  }
  return whole
}

/* Images. */

const picture = { create: { width: 40, height: 30, channels: 3 as const, background: 'red' } }
const jpeg = await sharp(picture).jpeg().toBuffer()
const png = await sharp(picture).png().toBuffer()
const gif = await sharp(picture).gif().toBuffer()
const webp = await sharp(picture).webp().toBuffer()
const avif = await sharp(picture)
  .withExif({ IFD0: { Copyright: 'Ada' } })
  .avif({ effort: 0 })
  .toBuffer()

const segment = (marker: string, content: Buffer) => {
  const length = Buffer.alloc(2)
  length.writeUInt16BE(content.length + 2)
  return Buffer.concat([hex(marker), length, content])
}
const jpegFile = (unit: Buffer) => (bytes: number) => [jpeg.subarray(0, 2), repeated(unit, bytes), jpeg.subarray(2)]
const scanAt = jpeg.indexOf(hex('ffda')) + 2 + jpeg.readUInt16BE(jpeg.indexOf(hex('ffda')) + 2)
const scanFile = (unit: Buffer) => (bytes: number) => [
  jpeg.subarray(0, scanAt),
  repeated(unit, bytes),
  jpeg.subarray(scanAt),
]

const chunk = (type: string, content: Buffer) => {
  const typed = Buffer.concat([Buffer.from(type), content])
  return Buffer.concat([u32(content.length), typed, u32(crc32(typed))])
}
/** After the header, which is the first chunk. */
const pngFile = (make: (bytes: number) => Buffer) => (bytes: number) => [
  png.subarray(0, 33),
  make(bytes),
  png.subarray(33),
]
/** Zeros that are compressed to a thousandth. */
const bomb = (bytes: number) => deflateSync(Buffer.alloc(Math.min(1000 * bytes, 2 ** 31)), { level: 9 })

const gifFile = (head: Buffer, unit: Buffer, tail: Buffer) => (bytes: number) => [
  gif.subarray(0, -1),
  head,
  repeated(unit, bytes),
  tail,
  hex('3b'),
]
const gifFrame = gif.subarray(gif.indexOf(0x2c), -1)

const riffChunk = (type: string, content: Buffer) => {
  const length = Buffer.alloc(4)
  length.writeUInt32LE(content.length)
  return Buffer.concat([Buffer.from(type), length, content, Buffer.alloc(content.length % 2)])
}
function webpFile(flags: number, make: (bytes: number) => Buffer): MakeFile {
  return (bytes) => {
    const extended = Buffer.alloc(10)
    extended[0] = flags
    extended.writeUIntLE(39, 4, 3)
    extended.writeUIntLE(29, 7, 3)
    const body = Buffer.concat([Buffer.from('WEBP'), riffChunk('VP8X', extended), make(bytes)])
    return [riffChunk('RIFF', body)]
  }
}
const webpPicture = webp.subarray(12)
const webpFrame = riffChunk('ANMF', Buffer.concat([Buffer.alloc(6), hex('270000 1d0000 640000 00'), webpPicture]))

const avifFile =
  (path: string[], make: (bytes: number, old: Buffer) => Buffer): MakeFile =>
  (bytes) => {
    // `meta` has four bytes of version and flags before its boxes.
    const meta = find(avif, ['meta'])
    const inner = change(meta.subarray(12), path, (old) => make(bytes, old))
    return [instead(['meta'], box('meta', u32(0), inner), avif)]
  }

/** The EXIF of the picture, its second item, consists of this many extents, each of which is the whole file. */
const avifExif =
  (extents: number): MakeFile =>
  (bytes) => {
    const { length } = find(find(avif, ['meta']).subarray(12), ['iloc'])
    const more = 8 * (extents - 1)
    const moved = avif.readUInt32BE(avif.indexOf('iloc') + 4 + 8 + 4) + more
    const head = hex('4440 0002')
    const first = Buffer.concat([
      hex('0001 0000'),
      u32(moved),
      hex('0001'),
      u32(0, avif.readUInt32BE(avif.indexOf('iloc') + 4 + 8 + 4 + 10)),
    ])
    const count = Buffer.alloc(2)
    count.writeUInt16BE(extents)
    const second = Buffer.concat([hex('0002 0000'), u32(0), count, ...Array<Buffer>(extents).fill(u32(0, bytes))])
    const iloc = box('iloc', u32(0), head, first, second)
    if (iloc.length !== length + more) throw new Error('The encoder writes another iloc')
    const meta = find(avif, ['meta'])
    return [
      instead(
        ['meta'],
        box(
          'meta',
          u32(0),
          change(meta.subarray(12), ['iloc'], () => iloc),
        ),
        avif,
      ),
      box('free', Buffer.alloc(bytes)),
    ]
  }

/** A file of each kind that costs a parser more than its share: much memory, much time, or deep recursion. */
export const hostileFiles: Record<string, MakeFile> = {
  'mp4: nested trak': movieFile((bytes) => nested(['trak'], bytes)),
  'mp4: nested mdia': movieFile((bytes) => nested(['mdia'], bytes)),
  'mp4: nested trak, mdia, minf, stbl': movieFile((bytes) => nested(['trak', 'mdia', 'minf', 'stbl'], bytes)),
  'mp4: nested udta, meta': movieFile((bytes) => nested(['udta', 'meta'], bytes)),
  'mp4: empty trak': movieFile((bytes) => repeated(boxHead('trak', 0), bytes)),
  'mp4: empty boxes of unknown type': movieFile((bytes) => repeated(boxHead('zzzz', 0), bytes)),
  'mp4: stts': tableFile('stts', u32(0, 1)),
  'mp4: ctts': (bytes) => [withIn(TABLES, table('ctts', u32(0, 1), bytes))],
  'mp4: stsz': tableFile('stsz', u32(1), u32(0)),
  'mp4: stsc': tableFile('stsc', u32(1, 1, 1)),
  'mp4: stco': tableFile('stco', u32(48)),
  'mp4: co64': (bytes) => [instead([...TABLES, 'stco'], table('co64', u32(0, 48), bytes))],
  'mp4: stss': (bytes) => [instead([...TABLES, 'stss'], table('stss', u32(1), bytes))],
  'mp4: stsd': (bytes) => [withIn(TABLES, table('stsd', boxHead('avc1', 0), bytes))],
  'mp4: elst': (bytes) => [withIn(['moov', 'trak'], box('edts', table('elst', u32(0, 0, 0x10000), bytes)))],
  'mp4: sgpd and sbgp': (bytes) => [withIn(TABLES, table('sbgp', u32(1, 1), bytes, Buffer.from('roll')))],
  'mp4: tags': movieFile((bytes) =>
    box(
      'udta',
      box('meta', u32(0), box('ilst', repeated(box('©nam', box('data', u32(1, 0), Buffer.from('x'))), bytes))),
    ),
  ),
  'mp4: uuid of the movie': movieFile((bytes) => box('uuid', Buffer.alloc(bytes))),
  'mp4: compressed movie': (bytes) => [
    instead(
      MOVIE,
      box('moov', box('cmov', box('dcom', Buffer.from('zlib')), box('cmvd', u32(2 ** 31), bomb(bytes / 1000)))),
    ),
  ],
  'mp4: samples without values': (bytes) => [
    change(fragmented, ['moof', 'traf', 'trun'], () => box('trun', u32(0, bytes))),
    box('free', Buffer.alloc(bytes)),
  ],
  'mp4: a long trun': (bytes) => [
    change(fragmented, ['moof', 'traf', 'trun'], () =>
      box('trun', u32(0x200), u32(bytes / 4), repeated(u32(1), bytes)),
    ),
  ],
  'mp4: many trun': (bytes) => [withIn(['moof', 'traf'], repeated(box('trun', u32(0, 1)), bytes), fragmented)],
  'mp4: many traf': (bytes) => [withIn(['moof'], repeated(boxHead('traf', 0), bytes), fragmented)],
  'mp4: many moof': (bytes) => [
    fragmented,
    repeated(Buffer.concat([box('moof', box('mfhd', u32(0, 1))), box('mdat')]), bytes),
  ],
  'mp4: mfra': (bytes) => [
    ...[fragmented, box('mfra', table('tfra', u32(0, 0, 0x01010100), bytes, u32(1, 0)), box('mfro', u32(0, bytes)))],
  ],
  'mp4: sidx': (bytes) => [mp4.subarray(0, 32), table('sidx', u32(1, 1, 1), bytes, u32(1, 1, 0, 0)), mp4.subarray(32)],
  'mp4: free boxes': (bytes) => [mp4.subarray(0, 32), repeated(boxHead('free', 0), bytes), mp4.subarray(32)],
  'mp4: an ID3 tag in front': (bytes) => [Buffer.from('ID3\x04\0\0\0\x7f\x7f\x7f'), Buffer.alloc(bytes), mp4],
  'webm: void': webmFile((bytes) => repeated(hex('ec80'), bytes)),
  'webm: void at the end': webmFile((bytes) => repeated(hex('ec80'), bytes), 'after'),
  'webm: empty clusters': webmFile((bytes) => repeated(hex('1f43b67580'), bytes)),
  'webm: clusters of unknown size': webmFile((bytes) => repeated(hex('1f43b675ff'), bytes)),
  'webm: cues': webmFile((bytes) => element('1c53bb6b', repeated(hex('bb8b b38101 b786 f78101 f18101'), bytes))),
  'webm: seek head': webmFile((bytes) =>
    element('114d9b74', repeated(hex('4dbb8d 53ab841654ae6b 53ac8400000001'), bytes)),
  ),
  'webm: empty blocks': webmFile((bytes) => element(CLUSTER, hex('e78100'), repeated(hex('a384 81000080'), bytes))),
  'webm: empty blocks in an endless cluster': webmFile(
    (bytes) => Buffer.concat([hex('1f43b675ff e78100'), repeated(hex('a384 81000080'), bytes)]),
    'after',
  ),
  'webm: laced blocks': webmFile((bytes) =>
    element(CLUSTER, hex('e78100'), repeated(Buffer.concat([hex('a34105 81000082 ff'), Buffer.alloc(256)]), bytes)),
  ),
  'webm: block groups': webmFile((bytes) =>
    element(CLUSTER, hex('e78100'), repeated(hex('a086 a184 81000000'), bytes)),
  ),
  'webm: nested tags': webmFile((bytes) => element('1254c367', element('7373', nestedElements(['67c8'], bytes)))),
  'webm: nested block groups': webmFile((bytes) => element(CLUSTER, hex('e78100'), nestedElements(['a0'], bytes))),
  'webm: tags': webmFile((bytes) => element('1254c367', repeated(hex('737380'), bytes))),
  'webm: track entries': webmFile((bytes) => element('1654ae6b', repeated(hex('ae80'), bytes))),
  'webm: tracks': webmFile((bytes) => element('1654ae6b', repeated(hex('ae89 d78101 73c58101 838101'), bytes))),
  'webm: attachments': webmFile((bytes) => element('1941a469', repeated(hex('61a780'), bytes))),
  'webm: one block': webmFile((bytes) =>
    element(CLUSTER, hex('e78100'), element('a3', hex('81000080'), Buffer.alloc(bytes))),
  ),
  'jpeg: empty comments': jpegFile(hex('fffe0002')),
  'jpeg: empty application segments': jpegFile(hex('ffe50002')),
  'jpeg: long application segments': jpegFile(segment('ffe5', Buffer.alloc(65_533))),
  'jpeg: long EXIF segments': jpegFile(segment('ffe1', Buffer.concat([Buffer.from('Exif\0\0'), Buffer.alloc(65_527)]))),
  'jpeg: long profiles': jpegFile(
    segment('ffe2', Buffer.concat([Buffer.from('ICC_PROFILE\0\x01\xff', 'latin1'), Buffer.alloc(65_519)])),
  ),
  'jpeg: fill bytes': jpegFile(hex('ff')),
  'jpeg: quantization tables': jpegFile(segment('ffdb', Buffer.alloc(65, 1))),
  'jpeg: stuffed bytes': scanFile(hex('ff00')),
  'jpeg: restarts': scanFile(hex('ffd0')),
  'jpeg: empty scans': scanFile(hex('ffda0002')),
  'jpeg: announced pictures': (bytes) => [
    ...[jpeg.subarray(0, 2), segment('ffe2', Buffer.from('MPF\0MM\0*')), jpeg.subarray(2)],
    repeated(hex('ffd8ffda0002ffd9'), bytes),
  ],
  'png: empty chunks': pngFile((bytes) => repeated(chunk('teSt', Buffer.alloc(0)), bytes)),
  'png: empty data': pngFile((bytes) => repeated(chunk('IDAT', Buffer.alloc(0)), bytes)),
  'png: texts': pngFile((bytes) => repeated(chunk('tEXt', Buffer.from('a\0b')), bytes)),
  'png: a long text': pngFile((bytes) => chunk('tEXt', Buffer.concat([Buffer.from('a\0'), Buffer.alloc(bytes, 'x')]))),
  'png: a compressed text': pngFile((bytes) => chunk('zTXt', Buffer.concat([Buffer.from('a\0\0'), bomb(bytes / 100)]))),
  'png: a compressed XMP': pngFile((bytes) =>
    chunk('iTXt', Buffer.concat([Buffer.from('XML:com.adobe.xmp\0\x01\0\0\0'), bomb(bytes / 100)])),
  ),
  'png: a compressed profile': pngFile((bytes) =>
    chunk('iCCP', Buffer.concat([Buffer.from('a\0\0'), bomb(bytes / 100)])),
  ),
  // Each is short, also when it is inflated. All together are not.
  'png: many compressed texts': pngFile((bytes) =>
    repeated(chunk('zTXt', Buffer.concat([Buffer.from('a\0\0'), bomb(1_000)])), bytes / 100),
  ),
  'png: a compressed text that is cut off': pngFile((bytes) =>
    chunk('zTXt', Buffer.concat([Buffer.from('a\0\0'), bomb(bytes / 100).subarray(0, -8)])),
  ),
  'png: a long EXIF': pngFile((bytes) => chunk('eXIf', Buffer.alloc(bytes))),
  'png: suggested palettes': pngFile((bytes) => repeated(chunk('sPLT', Buffer.from('a\0\x08123456')), bytes)),
  'gif: sub-blocks of a comment': gifFile(hex('21fe'), hex('0141'), hex('00')),
  'gif: sub-blocks of a picture': gifFile(gifFrame.subarray(0, 11), hex('0141'), hex('00')),
  'gif: empty extensions': gifFile(Buffer.alloc(0), hex('21fe00'), Buffer.alloc(0)),
  'gif: application extensions': gifFile(
    Buffer.alloc(0),
    Buffer.concat([hex('21ff0b'), Buffer.from('NETSCAPE2.0'), hex('0301000000')]),
    Buffer.alloc(0),
  ),
  'gif: frames': gifFile(Buffer.alloc(0), gifFrame, Buffer.alloc(0)),
  'gif: the most frames, of the largest size': (bytes) => {
    const large = Buffer.from(gifFrame)
    large.writeUInt32LE(0xffff_ffff, 5)
    return [gif.subarray(0, -1), repeated(large, Math.min(bytes, 9_999 * large.length)), hex('3b')]
  },
  'webp: empty chunks': webpFile(0, (bytes) =>
    Buffer.concat([webpPicture, repeated(riffChunk('zzzz', Buffer.alloc(0)), bytes)]),
  ),
  'webp: frames': webpFile(2, (bytes) =>
    Buffer.concat([riffChunk('ANIM', Buffer.alloc(6)), repeated(webpFrame, bytes)]),
  ),
  'webp: the most frames': webpFile(2, (bytes) =>
    Buffer.concat([
      riffChunk('ANIM', Buffer.alloc(6)),
      repeated(webpFrame, Math.min(bytes, 10_000 * webpFrame.length)),
    ]),
  ),
  'webp: chunks in a frame': webpFile(2, (bytes) =>
    Buffer.concat([
      riffChunk('ANIM', Buffer.alloc(6)),
      riffChunk(
        'ANMF',
        Buffer.concat([webpFrame.subarray(8, 24), repeated(riffChunk('zzzz', Buffer.alloc(0)), bytes), webpPicture]),
      ),
    ]),
  ),
  'webp: a long EXIF': webpFile(8, (bytes) => Buffer.concat([webpPicture, riffChunk('EXIF', Buffer.alloc(bytes))])),
  'webp: a long profile': webpFile(0x20, (bytes) =>
    Buffer.concat([riffChunk('ICCP', Buffer.alloc(bytes)), webpPicture]),
  ),
  'avif: iinf': avifFile(['iinf'], (bytes) =>
    box(
      'iinf',
      u32(0x01000000, bytes / 21),
      repeated(box('infe', u32(0x02000000), hex('0001 0000'), Buffer.from('av01\0')), bytes),
    ),
  ),
  'avif: iloc': avifFile(['iloc'], (bytes) => {
    const item = hex('00000001 0000 0000 0001 00000100 00000001')
    const items = repeated(item, bytes)
    return box('iloc', u32(0x02000000), hex('4400'), u32(items.length / item.length), items)
  }),
  'avif: a long EXIF': avifExif(1),
  'avif: extents of EXIF': avifExif(65_535),
  'avif: ipma': avifFile(['iprp', 'ipma'], (bytes) => {
    const entries = repeated(hex('0001 01 01'), bytes)
    return box('ipma', u32(0, entries.length / 4), entries)
  }),
  'avif: properties': avifFile(['iprp', 'ipco'], (bytes, old) =>
    box('ipco', old.subarray(8), repeated(box('ispe', u32(0, 40, 30)), bytes)),
  ),
  'avif: nested boxes': avifFile(['iprp', 'ipco'], (bytes, old) =>
    box('ipco', old.subarray(8), nested(['ipco'], bytes)),
  ),
  'avif: references': avifFile(['iprp'], (bytes, old) =>
    Buffer.concat([old, box('iref', u32(0), repeated(box('cdsc', hex('0002 0001 0001')), bytes))]),
  ),
  'avif: idat': avifFile(['iprp'], (bytes, old) => Buffer.concat([old, box('idat', Buffer.alloc(bytes))])),
}

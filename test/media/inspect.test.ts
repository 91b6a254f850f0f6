import { mkdtemp, readFile, rm, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import sharp, { type Sharp } from 'sharp'
import t from 'tap'
import { AppError } from '../../src/errors.ts'
import { inspectFile, type MediaFile } from '../../src/media/inspect.ts'
import { platforms } from '../../src/platforms/catalogue.ts'

const folder = await mkdtemp(join(tmpdir(), 'postroom-inspect-'))
t.teardown(() => rm(folder, { recursive: true }))

let files = 0
async function written(bytes: Uint8Array): Promise<string> {
  const path = join(folder, String(files++))
  await writeFile(path, bytes)
  return path
}

const inspect = async (bytes: Uint8Array) => inspectFile(await written(bytes))

/** The public message of the 400 that a file is refused with; `taken` where it is not, and the error where it is another. */
async function reasonAt(path: string, options?: { videoMaxMs: number }): Promise<string> {
  try {
    await inspectFile(path, options)
    return 'taken'
  } catch (error) {
    return error instanceof AppError && error.statusCode === 400 ? error.message : String(error)
  }
}
const reason = async (bytes: Uint8Array) => reasonAt(await written(bytes))

const sample = (name: string) => readFile(new URL(`../samples/${name}`, import.meta.url))
const videos = {
  mp4: await sample('plain.mp4'),
  fragmented: await sample('fragmented.mp4'),
  mov: await sample('plain.mov'),
  webm: await sample('plain.webm'),
  live: await sample('live.webm'),
}

const picture = (background = 'red') => sharp({ create: { width: 40, height: 30, channels: 3, background } })
const frames = await Promise.all(['red', 'green', 'blue'].map((colour) => picture(colour).png().toBuffer()))
const animation = () => sharp(frames, { join: { animated: true } })
const delay = [100, 50, 200]
const images = {
  jpeg: await picture().jpeg().toBuffer(),
  progressive: await picture().jpeg({ progressive: true }).toBuffer(),
  png: await picture().png().toBuffer(),
  gif: await picture().gif().toBuffer(),
  animatedGif: await animation().gif({ delay }).toBuffer(),
  webp: await picture().webp().toBuffer(),
  lossless: await picture().webp({ lossless: true }).toBuffer(),
  animatedWebp: await animation().webp({ delay }).toBuffer(),
  avif: await picture().avif({ effort: 0 }).toBuffer(),
}

const still = {
  kind: 'image',
  width: 40,
  height: 30,
  durationSeconds: null,
  fps: null,
  frames: 1,
  videoCodec: null,
  audioCodec: null,
}

t.test('a still image is told by its content', async (t) => {
  const expected: [keyof typeof images, string][] = [
    ['jpeg', 'image/jpeg'],
    ['progressive', 'image/jpeg'],
    ['png', 'image/png'],
    ['gif', 'image/gif'],
    ['webp', 'image/webp'],
    ['lossless', 'image/webp'],
    ['avif', 'image/avif'],
  ]
  for (const [name, mimeType] of expected) t.strictSame(await inspect(images[name]), { ...still, mimeType }, name)
})

t.test('an image is as wide and high as it is shown', async (t) => {
  const turned = (format: (image: Sharp) => Sharp) => format(picture().withMetadata({ orientation: 6 })).toBuffer()
  for (const bytes of [
    await turned((image) => image.jpeg()),
    await turned((image) => image.png()),
    await turned((image) => image.webp()),
    await turned((image) => image.avif({ effort: 0 })),
  ]) {
    t.match(await inspect(bytes), { width: 30, height: 40 })
  }
  const generic = Buffer.from(images.avif)
  generic.write('mif1', 8)
  t.strictSame(await inspect(generic), { ...still, mimeType: 'image/avif' }, 'AVIF that calls itself HEIF first')
  t.match(await inspect(await picture().withMetadata({ orientation: 3 }).jpeg().toBuffer()), { width: 40, height: 30 })
})

t.test('an animated image has a duration, frames and a rate', async (t) => {
  const moving = { ...still, kind: 'gif', durationSeconds: 0.35, fps: 3 / 0.35, frames: 3 }
  t.strictSame(await inspect(images.animatedGif), { ...moving, mimeType: 'image/gif' })
  t.strictSame(await inspect(images.animatedWebp), { ...moving, mimeType: 'image/webp' })
  const noDelay = await animation()
    .gif({ delay: [0, 0, 0] })
    .toBuffer()
  t.match(await inspect(noDelay), { kind: 'gif', durationSeconds: 0, fps: null, frames: 3 })
})

t.test('a video is told by its content and its tables', async (t) => {
  const mp4: MediaFile = {
    kind: 'video',
    mimeType: 'video/mp4',
    width: 64,
    height: 36,
    durationSeconds: 1,
    fps: 25,
    frames: null,
    videoCodec: 'avc',
    audioCodec: 'aac',
  }
  const webm = { ...mp4, mimeType: 'video/webm', durationSeconds: 1.007, videoCodec: 'vp9', audioCodec: 'opus' }
  const mov = { ...mp4, mimeType: 'video/quicktime' }
  t.strictSame(await inspect(videos.mp4), mp4)
  t.strictSame(await inspect(videos.mov), mov)
  t.strictSame(await inspect(videos.webm), webm)
  t.strictSame(await inspect(videos.live), { ...webm, durationSeconds: 1.008 }, 'recorded live: of unknown size')
  const fragmented = { ...mp4, durationSeconds: 1.128046875, fps: 23.85389489377562 }
  t.strictSame(await inspect(videos.fragmented), fragmented, 'in fragments')
  t.strictSame(await inspect(await sample('rotated.mp4')), { ...mp4, width: 36, height: 64 }, 'turned by 90 degrees')
  t.strictSame(
    await inspect(await sample('anamorphic.mp4')),
    { ...mp4, width: 128, durationSeconds: 0.2, audioCodec: null },
    'pixels twice as wide as high, and no sound',
  )
  const old = Buffer.from(videos.mov)
  old.write('free', 4)
  t.strictSame(await inspect(old), mov, 'QuickTime without a type, as it was before 2005')
  const toTheEnd = Buffer.from(videos.mp4)
  toTheEnd.writeUInt32BE(0, toTheEnd.indexOf('mdat') - 4)
  t.strictSame(await inspect(toTheEnd), mp4, 'the last box lasts to the end of the file')
})

t.test('what is no media file of these types is refused, whatever its name', async (t) => {
  t.equal(await reason(Buffer.alloc(0)), 'file is empty')
  const box = (brands: string) => Buffer.from(`\0\0\0${String.fromCharCode(8 + brands.length)}ftyp${brands}`, 'latin1')
  const brand = (name: string) => Buffer.concat([box(`${name}\0\0\0\0${name}`), videos.mp4.subarray(32)])
  const others: Record<string, Uint8Array> = {
    text: Buffer.from('hello'),
    'one byte': Buffer.from('h'),
    zeros: Buffer.alloc(1000),
    HTML: Buffer.from('<!doctype html><script>alert(1)</script>'),
    SVG: Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>'),
    PDF: Buffer.concat([Buffer.from('%PDF-1.7\n'), images.jpeg]),
    'a ZIP in front of a PNG': Buffer.concat([Buffer.from('PK\x03\x04'), images.png]),
    BMP: Buffer.from(`BM${'\0'.repeat(60)}`),
    TIFF: await picture().tiff().toBuffer(),
    WAV: Buffer.from('RIFF\x24\0\0\0WAVEfmt '),
    HEIC: Buffer.concat([box('heic\0\0\0\0mif1heic'), images.avif.subarray(32)]),
    'HEIF of no kind': box('mif1\0\0\0\0mif1heic'),
    'a sequence of AVIF': brand('avis'),
    'a raw file': brand('crx '),
    M4A: brand('M4A '),
    '3GP': brand('3gp4'),
    Matroska: Buffer.concat([
      Buffer.from('1a45dfa38b428288', 'hex'),
      Buffer.from('matroska'),
      videos.webm.subarray(40),
    ]),
  }
  for (const [name, bytes] of Object.entries(others)) {
    t.match(await reason(bytes), /^file type is not supported: use JPEG, PNG, GIF, WebP, AVIF, MP4, MOV or/, name)
  }
  t.equal(await reason(await sample('sound.mp4')), 'file has no video track')
})

t.test('a file that was cut off is refused, wherever that was', async (t) => {
  for (const [name, bytes] of Object.entries({ ...images, ...videos })) {
    // A live recording may end after any block. There, and where the first byte of the type is missing:
    const lawful = name === 'live' ? /^(?:taken|file )/ : /^file /
    const offsets = Array.from({ length: bytes.length }, (_, index) => index)
    const edges = (at: number) => at < 50 || at > bytes.length - 50 || at % 23 === 0
    const reasons = await Promise.all(
      offsets.filter((at) => edges(at) && (name !== 'live' || at < 200)).map((at) => reason(bytes.subarray(0, at))),
    )
    for (const reason of reasons) if (!lawful.test(reason)) t.fail(`${name}: ${reason}`)
    t.match(await reason(bytes.subarray(0, -1)), /^file is (?:cut off|damaged): /, name)
  }
  t.match(await reason(videos.live.subarray(0, -1)), /^file is cut off: /, 'in the last block of a live recording')

  const toTheEnd = Buffer.from(videos.mp4)
  toTheEnd.writeUInt32BE(0, toTheEnd.indexOf('mdat') - 4)
  t.equal(await reason(toTheEnd.subarray(0, -500)), 'file is cut off: it ends before its last frame')
})

t.test('a file that something was appended to is refused', async (t) => {
  const zip = Buffer.concat([Buffer.from('PK\x05\x06'), Buffer.alloc(18)])
  const appended = [zip, Buffer.from('<script>alert(1)</script>'), Buffer.from('x'), images.jpeg, videos.mp4]
  for (const [name, bytes] of Object.entries({ ...images, ...videos })) {
    for (const more of appended) {
      const expected = `file has ${more.length} ${more.length === 1 ? 'byte' : 'bytes'} after its end`
      // Where nothing says how long it is, what follows is a part that makes no sense.
      t.match(await reason(Buffer.concat([bytes, more])), name === 'live' ? /^file / : expected, name)
    }
  }
  t.match(await reason(Buffer.concat([images.jpeg, Buffer.alloc(9), zip])), /^file has 31 bytes/, 'after zeros')
  t.match(
    await reason(Buffer.concat([images.png, Buffer.alloc(9)])),
    /^file has 9 bytes/,
    'zeros, where no camera does',
  )
})

t.test('a GIF that is a script as well is refused', async (t) => {
  const script = Buffer.from('GIF89a/*\0\0\0\0\0*/=1;alert(1)')
  t.match(await reason(script), /^file is (?:cut off|damaged): /)
})

/** A segment of a JPEG, behind its first two bytes. */
function withSegment(jpeg: Buffer, marker: number, content: string): Buffer {
  const header = Buffer.from([0xff, marker, 0, 0])
  header.writeUInt16BE(content.length + 2, 2)
  return Buffer.concat([jpeg.subarray(0, 2), header, Buffer.from(content, 'latin1'), jpeg.subarray(2)])
}

const xmp = (attributes: string) =>
  `http://ns.adobe.com/xap/1.0/\0<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:Description ${attributes}/></x:xmpmeta>`

t.test('what cameras append to a JPEG is taken, as far as it is announced and whole', async (t) => {
  const { jpeg } = images
  const taken = { ...still, mimeType: 'image/jpeg' }
  const gainMap = await sharp({ create: { width: 10, height: 8, channels: 3, background: 'grey' } })
    .jpeg()
    .toBuffer()
  const padded = Buffer.concat([jpeg, Buffer.alloc(70_000)])
  t.strictSame(await inspect(padded), taken, 'zeros')

  const announcements = [
    withSegment(jpeg, 0xe2, 'MPF\0MM\0*'),
    withSegment(jpeg, 0xe1, xmp('xmlns:Container="http://ns.google.com/photos/1.0/container/"')),
  ]
  for (const announced of announcements) {
    t.strictSame(await inspect(Buffer.concat([announced, gainMap])), taken, 'a further image')
    t.strictSame(await inspect(Buffer.concat([announced, Buffer.alloc(5), gainMap, gainMap, Buffer.alloc(3)])), taken)
    t.match(await reason(Buffer.concat([announced, gainMap.subarray(0, -9)])), /^file is cut off/)
    t.match(await reason(Buffer.concat([announced, gainMap, Buffer.from('PK')])), /^file has 2 bytes after/)
    t.match(await reason(Buffer.concat([announced, videos.mp4])), /^file has \d+ bytes after/)
  }

  for (const flag of ['GCamera:MotionPhoto="1"', 'GCamera:MicroVideo="1"']) {
    const announced = withSegment(jpeg, 0xe1, xmp(flag))
    t.strictSame(await inspect(Buffer.concat([announced, videos.mp4])), taken, 'a motion photo')
    t.match(await reason(Buffer.concat([announced, videos.mp4.subarray(0, -9)])), /^file is cut off/)
    t.match(await reason(Buffer.concat([announced, videos.mp4, Buffer.from('PK')])), /^file has 2 bytes after/)
    t.match(await reason(Buffer.concat([announced, images.png])), /^file has \d+ bytes after/)
  }
  const denied = withSegment(jpeg, 0xe1, xmp('GCamera:MotionPhoto="0"'))
  t.match(await reason(Buffer.concat([denied, videos.mp4])), /^file has \d+ bytes after/)
})

t.test('the blocks that Samsung appends to a JPEG are taken, as far as their directory leads to its end', async (t) => {
  const { jpeg } = images
  const numbers = (...values: number[]) => Buffer.from(Uint32Array.from(values).buffer)
  const type = 0x0a300000
  const block = (content: Uint8Array) => Buffer.concat([numbers(type, 16), Buffer.from('MotionPhoto_Data'), content])
  const trailerOf = (entries: { type: number; distance: number; bytes: number }[]) => {
    const rows = entries.map(({ type, distance, bytes }) => numbers(type, distance, bytes))
    const directory = Buffer.concat([Buffer.from('SEFH'), numbers(106, entries.length), ...rows])
    return Buffer.concat([directory, numbers(directory.length), Buffer.from('SEFT')])
  }
  const trailer = (blocks: Buffer[], distanceMore = 0) => {
    const distances = blocks.map((_, index) => Buffer.concat(blocks.slice(index)).length + distanceMore)
    const entries = blocks.map((block, index) => ({ type, distance: distances[index]!, bytes: block.length }))
    return Buffer.concat([...blocks, trailerOf(entries)])
  }
  const blocks = [block(videos.mp4), block(Buffer.from('1605170220000'))]
  t.strictSame(await inspect(Buffer.concat([jpeg, trailer(blocks)])), { ...still, mimeType: 'image/jpeg' })

  const after = (bytes: Buffer) => new RegExp(`^file has ${bytes.length} bytes after its end$`)
  const refused = [
    Buffer.concat([Buffer.from('<script>'), trailer(blocks)]),
    trailer(blocks, 8),
    trailer(blocks, -4),
    Buffer.concat([trailer(blocks), Buffer.from('PK')]),
    trailer(blocks).subarray(1),
    trailer([]),
    // One block, which is all that there is from the first byte on.
    trailerOf([{ type: jpeg.readUInt32LE(), distance: jpeg.length, bytes: 8 }]),
  ]
  for (const bytes of refused) t.match(await reason(Buffer.concat([jpeg, bytes])), after(bytes))
})

t.test('an image of more pixels than can be decoded is refused by its header', async (t) => {
  const large = 'file is 50000x50000 pixels large, at most 268402689 pixels are allowed'
  const png = Buffer.from(images.png)
  png.writeUInt32BE(50_000, 16)
  png.writeUInt32BE(50_000, 20)
  png.writeUInt32BE(crc32(png.subarray(12, 29)), 29)
  t.equal(await reason(png), large)

  const gif = Buffer.from(images.gif)
  gif.writeUInt16LE(50_000, 6)
  gif.writeUInt16LE(50_000, 8)
  // The decoder goes by the pictures where the canvas is as large as this.
  gif.writeUInt16LE(50_000, gif.indexOf(0x2c) + 5)
  gif.writeUInt16LE(50_000, gif.indexOf(0x2c) + 7)
  t.equal(await reason(gif), large)

  const jpeg = Buffer.from(images.jpeg)
  jpeg.fill('c350c350', jpeg.indexOf('ffc0', 'hex') + 5, jpeg.indexOf('ffc0', 'hex') + 9, 'hex')
  t.equal(await reason(jpeg), large)

  const frame = images.gif.subarray(images.gif.indexOf(0x2c), -1)
  const many = Buffer.concat([images.gif.subarray(0, -1), ...Array<Buffer>(10_000).fill(frame), Buffer.from(';')])
  t.equal(await reason(many), 'file has too many frames, at most 10000 are allowed')
})

t.test('an image larger than any network takes is refused, before it is read', async (t) => {
  const jpeg = await written(images.jpeg)
  await truncate(jpeg, 104_857_601)
  t.equal(await reasonAt(jpeg), 'file is an image of 104857601 bytes, at most 104857600 are allowed')
  await truncate(jpeg, 104_857_600)
  t.equal(await reasonAt(jpeg), 'taken')
  const gif = await written(images.gif)
  await truncate(gif, 300_000_001)
  t.equal(await reasonAt(gif), 'file is an image of 300000001 bytes, at most 300000000 are allowed')

  for (const { id, postTypes } of Object.values(platforms)) {
    for (const { image, gif } of Object.values(postTypes)) {
      t.ok((image?.bytesMax ?? 0) <= 104_857_600, `${id}: images`)
      t.ok((gif?.bytesMax ?? 0) <= 300_000_000, `${id}: GIFs`)
    }
  }
})

t.test('no length in a file is trusted', async (t) => {
  const lies: [string, Buffer, string, number][] = [
    ['a box of 2 GB', videos.mp4, 'moov', -4],
    ['a box of 2 GB', videos.fragmented, 'moof', -4],
    ['a chunk of 2 GB', images.png, 'IDAT', -4],
    ['a chunk of 2 GB', images.webp, 'VP8 ', 4],
    ['the whole', images.webp, 'RIFF', 4],
  ]
  for (const [name, bytes, mark, offset] of lies) {
    const lie = Buffer.from(bytes)
    lie.fill('7fffff7f', lie.indexOf(mark) + offset, lie.indexOf(mark) + offset + 4, 'hex')
    t.match(await reason(lie), /^file is (?:cut off|damaged): /, name)
  }
  const large = Buffer.from('0000000166726565ffffffffffffffff', 'hex')
  t.equal(await reason(Buffer.concat([videos.mp4, large])), 'file is cut off: it ends in its free box')
  const element = Buffer.concat([videos.live, Buffer.from('ec01fffffffffffffe', 'hex')])
  t.match(await reason(element), /^file is cut off/)

  // Read as a whole by who reads the tables, and as large as the file is.
  const tables = await written(videos.mp4.subarray(0, 32))
  await writeFile(tables, Buffer.from('07000000', 'hex'), { flag: 'a' })
  await writeFile(tables, 'moov', { flag: 'a' })
  await truncate(tables, 32 + 0x07000000)
  t.equal(await reasonAt(tables), 'file is damaged: its moov box is too large')

  const boxes = Buffer.alloc(8 * 1_000_000, Buffer.from('0000000866726565', 'hex'))
  t.equal(await reason(Buffer.concat([videos.mp4, boxes])), 'file is damaged: it has too many boxes')
})

t.test('tables that tell of more than there is are refused before anybody goes by them', async (t) => {
  const refused = 'file is damaged: its tables do not agree'
  const change = (video: Buffer, table: string, offset: number, value: number) => {
    const copy = Buffer.from(video)
    copy.writeUInt32BE(value, copy.lastIndexOf(table) + offset)
    return reason(copy)
  }
  t.equal(await change(videos.mp4, 'stsc', 16, 0xff000001), refused, 'samples in a chunk')
  t.equal(await change(videos.mp4, 'stsc', 12, 0xffffffff), refused, 'the first chunk of a run')
  t.equal(await change(videos.mp4, 'stts', 12, 0x7fffffff), refused, 'samples of one duration')
  t.match(await change(videos.mp4, 'stts', 8, 0x7fffffff), /^file is damaged: a table is longer than its box/)
  const alike = Buffer.from(videos.mp4)
  alike.writeUInt32BE(1, alike.indexOf('stsz') + 8)
  alike.writeUInt32BE(0x7fffffff, alike.indexOf('stsz') + 12)
  t.equal(await reason(alike), refused, 'samples of one size')
  const hungry = Buffer.from(videos.fragmented)
  // No values for each sample, and four billion of them.
  hungry.writeUInt32BE(0, hungry.indexOf('trun') + 4)
  hungry.writeUInt32BE(0xffffffff, hungry.indexOf('trun') + 8)
  t.equal(await reason(hungry), refused, 'samples in a fragment')
})

t.test('a video that takes too long to read is given up, and others are read as before', async (t) => {
  t.equal(await reasonAt(await written(videos.mp4), { videoMaxMs: 0 }), 'file could not be read in time')
  t.match(await inspect(videos.mp4), { kind: 'video' })
})

t.test('a file that is one of another type as well is refused', async (t) => {
  const zip = Buffer.alloc(46 + 22)
  zip.write('PK\x01\x02', 0, 'latin1')
  zip.write('PK\x05\x06', 46, 'latin1')
  zip.writeUInt32LE(46, 46 + 12)
  const box = Buffer.alloc(8)
  box.writeUInt32BE(8 + zip.length)
  box.write('free', 4)
  t.equal(await reason(Buffer.concat([videos.mp4, box, zip])), 'file is damaged: it is a ZIP archive as well')
  const comment = (text: Buffer) => {
    const head = Buffer.from([0xff, 0xd8, 0xff, 0xfe, 0, 0])
    head.writeUInt16BE(text.length + 2, 4)
    return Buffer.concat([head, text, images.jpeg.subarray(2)])
  }
  t.equal(await reason(comment(zip)), 'file is damaged: it is a ZIP archive as well')
  t.equal(await reason(comment(Buffer.from('%PDF-1.7'))), 'file is damaged: it is a PDF as well')
  t.match(await inspect(comment(Buffer.from('PK\x05\x06 is how they end'))), { kind: 'image' })
})

t.test('a file that was changed at random gives facts or a 400, and nothing else', async (t) => {
  let seed = 1
  const random = (below: number) => {
    seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((seed / 2 ** 32) * below)
  }
  const changed = (bytes: Buffer) => {
    const at = random(bytes.length)
    const copy = Buffer.from(bytes)
    if (random(2)) copy[at] = random(256)
    else return Buffer.concat([copy.subarray(0, at), Buffer.alloc(1 + random(9), random(256)), copy.subarray(at)])
    return copy
  }
  const check = async (name: string, bytes: Buffer) => {
    const reason = await reasonAt(await written(changed(bytes)), { videoMaxMs: 1_000 })
    if (!/^(?:taken|file )/.test(reason)) t.fail(`${name}: ${reason}`)
    t.notMatch(reason, folder)
  }
  for (const [name, bytes] of Object.entries(images)) for (let i = 0; i < 60; i++) await check(name, bytes)
  for (const [name, bytes] of Object.entries(videos)) await Promise.all([0, 1, 2, 3].map(() => check(name, bytes)))
})

t.test('a failure of the machine is no fault of the file', async (t) => {
  await t.rejects(inspectFile(join(folder, 'missing')), { code: 'ENOENT' })
  await t.rejects(inspectFile(folder), { code: 'EISDIR' })
})

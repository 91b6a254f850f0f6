import { join } from 'node:path'
import sharp, { type Sharp } from 'sharp'
import t from 'tap'
import { inspectFile } from '../../src/features/media/inspect.ts'
import type { MediaFile } from '../../src/features/media/inspected.ts'
import {
  animation,
  folder,
  images,
  inspect,
  picture,
  reason,
  reasonAt,
  sample,
  still,
  USER,
  videos,
  written,
} from './inspect-scene.ts'

t.test('a still image is recognised by its content', async (t) => {
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

t.test('width and height are those of the displayed image', async (t) => {
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
  t.strictSame(await inspect(generic), { ...still, mimeType: 'image/avif' }, 'AVIF with HEIF as its major brand')
  t.match(await inspect(await picture().withMetadata({ orientation: 3 }).jpeg().toBuffer()), { width: 40, height: 30 })
})

t.test('an animated image has a duration, frames and a rate', async (t) => {
  const moving = { ...still, kind: 'gif', durationSeconds: 0.35, fps: 3 / 0.35, frames: 3 }
  t.strictSame(await inspect(images.animatedGif), { ...moving, mimeType: 'image/gif' })
  t.strictSame(await inspect(images.animatedWebp), { ...moving, mimeType: 'image/webp' })
  // Frames of one colour: their data reads like chunks without content.
  const plain = [1, 2, 3].map((shade) => ({
    create: { width: 320, height: 320, channels: 3, background: { r: shade * 50, g: 99, b: 129 } },
  }))
  const webp = await sharp(plain as unknown as string[], { join: { animated: true } })
    .webp()
    .toBuffer()
  t.match(await inspect(webp), { mimeType: 'image/webp', frames: 3 })
  const noDelay = await animation()
    .gif({ delay: [0, 0, 0] })
    .toBuffer()
  t.match(await inspect(noDelay), { kind: 'gif', durationSeconds: 0, fps: null, frames: 3 })
})

t.test('a video is recognised by its content and its tables', async (t) => {
  const mp4: MediaFile = {
    kind: 'video',
    mimeType: 'video/mp4',
    width: 64,
    height: 36,
    durationSeconds: 1,
    fps: 25,
    frames: null,
    pages: null,
    tracks: {
      video: {
        codec: 'avc',
        codecString: 'avc1.64000a',
        chromaSubsampling: '4:2:0',
        bitDepth: 8,
        scan: 'progressive',
        pixelAspectRatio: '1:1',
        closedGop: true,
      },
      audio: { codec: 'aac', codecString: 'mp4a.40.2', channels: 1, sampleRate: 8000 },
    },
  }
  const vp9 = { ...mp4.tracks!.video, codec: 'vp9', codecString: 'vp09.00.10.08.01.02.02.02.00' }
  const opus = { codec: 'opus', codecString: 'opus', channels: 1, sampleRate: 48_000 }
  const webm = { ...mp4, mimeType: 'video/webm', durationSeconds: 1.007, tracks: { video: vp9, audio: opus } }
  const mov = { ...mp4, mimeType: 'video/quicktime' }
  t.strictSame(await inspect(videos.mp4), mp4)
  t.strictSame(await inspect(videos.mov), mov)
  t.strictSame(await inspect(videos.webm), webm)
  t.strictSame(await inspect(videos.live), { ...webm, durationSeconds: 1.008 }, 'recorded live, with unknown sizes')
  const fragmented = { ...mp4, durationSeconds: 1.128046875, fps: 23.85389489377562 }
  t.strictSame(await inspect(videos.fragmented), fragmented, 'fragmented')
  t.strictSame(await inspect(await sample('rotated.mp4')), { ...mp4, width: 36, height: 64 }, 'rotated by 90 degrees')
  t.strictSame(
    await inspect(await sample('anamorphic.mp4')),
    {
      ...mp4,
      width: 128,
      durationSeconds: 0.2,
      tracks: { video: { ...mp4.tracks!.video, pixelAspectRatio: '2:1' }, audio: null },
    },
    'pixels twice as wide as high, and no sound',
  )
  const old = Buffer.from(videos.mov)
  old.write('free', 4)
  t.strictSame(await inspect(old), mov, 'QuickTime without an ftyp box, as before 2005')
  const toTheEnd = Buffer.from(videos.mp4)
  toTheEnd.writeUInt32BE(0, toTheEnd.indexOf('mdat') - 4)
  t.strictSame(await inspect(toTheEnd), mp4, 'the last box has size 0: it lasts to the end of the file')
})

t.test('a file of any other type is refused', async (t) => {
  t.equal(await reason(Buffer.alloc(0)), 'file is empty')
  const box = (brands: string) => Buffer.from(`\0\0\0${String.fromCharCode(8 + brands.length)}ftyp${brands}`, 'latin1')
  const brand = (name: string) => Buffer.concat([box(`${name}\0\0\0\0${name}`), videos.mp4.subarray(32)])
  const others: Record<string, Uint8Array> = {
    text: Buffer.from('hello'),
    'one byte': Buffer.from('h'),
    zeros: Buffer.alloc(1000),
    HTML: Buffer.from('<!doctype html><script>alert(1)</script>'),
    SVG: Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>'),
    PostScript: Buffer.concat([Buffer.from('%!PS-Adobe-3.0\n'), images.jpeg]),
    'a ZIP in front of a PNG': Buffer.concat([Buffer.from('PK\x03\x04'), images.png]),
    BMP: Buffer.from(`BM${'\0'.repeat(60)}`),
    TIFF: await picture().tiff().toBuffer(),
    WAV: Buffer.from('RIFF\x24\0\0\0WAVEfmt '),
    HEIC: Buffer.concat([box('heim\0\0\0\0mif1heim'), images.avif.subarray(32)]),
    'generic HEIF': box('mif1\0\0\0\0mif1heic'),
    'an AVIF sequence': brand('avis'),
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
    t.match(
      await reason(bytes),
      /^file type is not supported: use JPEG, PNG, GIF, WebP, AVIF, MP4, MOV, WebM or PDF/,
      name,
    )
  }
  t.match(await reason(others.HEIC!), /\. This file is HEIC: convert it to JPEG\.$/)
  t.match(await reason(others['generic HEIF']!), /\. This file is HEIC: convert it to JPEG\.$/)
  t.match(await reason(others['3GP']!), /\. This file is 3GP: convert it to MP4\.$/)
  t.equal(await reason(await sample('sound.mp4')), 'file has no video track')
})

t.test('a file that is cut off anywhere is refused', async (t) => {
  const problems: string[] = []
  const isCut = (text: string) => /^file is (?:cut off|damaged): /.test(text)
  for (const [name, bytes] of Object.entries({ ...images, ...videos })) {
    // A live recording may end after any block, so that a shorter one can be valid.
    const allowed = name === 'live' ? /^(?:accepted|file )/ : /^file /
    const offsets = Array.from({ length: bytes.length }, (_, index) => index)
    const edges = (at: number) => at < 50 || at > bytes.length - 50 || at % 23 === 0
    const reasons = await Promise.all(
      offsets.filter((at) => edges(at) && (name !== 'live' || at < 200)).map((at) => reason(bytes.subarray(0, at))),
    )
    const last = await reason(bytes.subarray(0, -1))
    const wrong = [
      ...reasons.filter((text) => !allowed.test(text)),
      ...(isCut(last) ? [] : [`at the last byte: ${last}`]),
    ]
    problems.push(...wrong.map((text) => `${name}: ${text}`))
  }
  t.strictSame(problems, [])
  t.match(await reason(videos.live.subarray(0, -1)), /^file is cut off: /, 'in the last block of a live recording')

  const toTheEnd = Buffer.from(videos.mp4)
  toTheEnd.writeUInt32BE(0, toTheEnd.indexOf('mdat') - 4)
  t.equal(await reason(toTheEnd.subarray(0, -500)), 'file is cut off: it ends before its last frame')
})

t.test('a randomly modified file gets facts or a 400', async (t) => {
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
  const problems: string[] = []
  const check = async (name: string, bytes: Buffer) => {
    const reason = await reasonAt(await written(changed(bytes)), { cpuMaxMs: 1_000 })
    if (!/^(?:accepted|file )/.test(reason) || reason.includes(folder)) problems.push(`${name}: ${reason}`)
  }
  for (const [name, bytes] of Object.entries(images)) for (let i = 0; i < 60; i++) await check(name, bytes)
  for (const [name, bytes] of Object.entries(videos)) await Promise.all([0, 1, 2, 3].map(() => check(name, bytes)))
  t.strictSame(problems, [])
})

t.test('an I/O error is not reported as an error of the file', async (t) => {
  await t.rejects(inspectFile(join(folder, 'missing'), USER), { code: 'ENOENT' })
  await t.rejects(inspectFile(folder, USER), { code: 'EISDIR' })
})

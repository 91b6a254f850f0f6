import sharp from 'sharp'
import t from 'tap'
import { images, inspect, reason, still, videos } from './inspect-scene.ts'

t.test('a file with appended data is refused', async (t) => {
  const zip = Buffer.concat([Buffer.from('PK\x05\x06'), Buffer.alloc(18)])
  const appended = [zip, Buffer.from('<script>alert(1)</script>'), Buffer.from('x'), images.jpeg, videos.mp4]
  for (const [name, bytes] of Object.entries({ ...images, ...videos })) {
    for (const more of appended) {
      const refused = await reason(Buffer.concat([bytes, more]))
      // A live recording has no length: appended data is read as an invalid element.
      if (name === 'live') t.match(refused, /^file /, name)
      else t.equal(refused, `file has ${more.length} ${more.length === 1 ? 'byte' : 'bytes'} after its end`, name)
    }
  }
  t.match(await reason(Buffer.concat([images.jpeg, Buffer.alloc(9), zip])), /^file has 31 bytes/, 'after zeros')
  t.match(
    await reason(Buffer.concat([images.png, Buffer.alloc(9)])),
    /^file has 9 bytes/,
    'zeros, which cameras append to JPEGs only',
  )
})

t.test('a GIF that is also a script is refused', async (t) => {
  const script = Buffer.from('GIF89a/*\0\0\0\0\0*/=1;alert(1)')
  t.match(await reason(script), /^file is (?:cut off|damaged): /)
})

/** Inserts a segment after the first two bytes of a JPEG. */
function withSegment(jpeg: Buffer, marker: number, content: string): Buffer {
  const header = Buffer.from([0xff, marker, 0, 0])
  header.writeUInt16BE(content.length + 2, 2)
  return Buffer.concat([jpeg.subarray(0, 2), header, Buffer.from(content, 'latin1'), jpeg.subarray(2)])
}

const xmp = (attributes: string) =>
  `http://ns.adobe.com/xap/1.0/\0<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:Description ${attributes}/></x:xmpmeta>`

t.test('complete data that a camera announces and appends to a JPEG is accepted', async (t) => {
  const { jpeg } = images
  const accepted = { ...still, mimeType: 'image/jpeg' }
  const gainMap = await sharp({ create: { width: 10, height: 8, channels: 3, background: 'grey' } })
    .jpeg()
    .toBuffer()
  const padded = Buffer.concat([jpeg, Buffer.alloc(70_000)])
  t.strictSame(await inspect(padded), accepted, 'zeros')

  const announcements = [
    withSegment(jpeg, 0xe2, 'MPF\0MM\0*'),
    withSegment(jpeg, 0xe1, xmp('xmlns:Container="http://ns.google.com/photos/1.0/container/"')),
  ]
  for (const announced of announcements) {
    t.strictSame(await inspect(Buffer.concat([announced, gainMap])), accepted, 'a further image')
    t.strictSame(
      await inspect(Buffer.concat([announced, Buffer.alloc(5), gainMap, gainMap, Buffer.alloc(3)])),
      accepted,
    )
    t.match(await reason(Buffer.concat([announced, gainMap.subarray(0, -9)])), /^file is cut off/)
    t.match(await reason(Buffer.concat([announced, gainMap, Buffer.from('PK')])), /^file has 2 bytes after/)
    t.match(await reason(Buffer.concat([announced, videos.mp4])), /^file has \d+ bytes after/)
  }

  for (const flag of ['GCamera:MotionPhoto="1"', 'GCamera:MicroVideo="1"']) {
    const announced = withSegment(jpeg, 0xe1, xmp(flag))
    t.strictSame(await inspect(Buffer.concat([announced, videos.mp4])), accepted, 'a motion photo')
    t.match(await reason(Buffer.concat([announced, videos.mp4.subarray(0, -9)])), /^file is cut off/)
    t.match(await reason(Buffer.concat([announced, videos.mp4, Buffer.from('PK')])), /^file has 2 bytes after/)
    t.match(await reason(Buffer.concat([announced, images.png])), /^file has \d+ bytes after/)
  }
  const denied = withSegment(jpeg, 0xe1, xmp('GCamera:MotionPhoto="0"'))
  t.match(await reason(Buffer.concat([denied, videos.mp4])), /^file has \d+ bytes after/)
})

t.test('blocks that Samsung appends to a JPEG are accepted if their directory covers them', async (t) => {
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
    // One block that covers the file from its first byte on.
    trailerOf([{ type: jpeg.readUInt32LE(), distance: jpeg.length, bytes: 8 }]),
  ]
  for (const bytes of refused) t.match(await reason(Buffer.concat([jpeg, bytes])), after(bytes))
})

t.test('a file that is also a ZIP archive or a PDF is refused', async (t) => {
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

t.test('a file that decoders would read in spite of its structure is refused', async (t) => {
  const { jpeg, png } = images
  const { mp4, live } = videos
  const insert = (bytes: Buffer, at: number, more: string) =>
    Buffer.concat([bytes.subarray(0, at), Buffer.from(more, 'hex'), bytes.subarray(at)])
  const moovAt = mp4.indexOf('moov') - 4
  const moov = mp4.subarray(moovAt, moovAt + mp4.readUInt32BE(moovAt))
  const files: [file: Buffer, problem: string][] = [
    [insert(jpeg, 2, 'fffe0001'), 'a segment has no length'],
    [insert(png, png.indexOf('IEND') - 4, '0000000061313c6200000000'), 'there is unexpected data between its chunks'],
    [insert(live, live.indexOf('1f43b675', 0, 'hex'), '4abc8100'), 'there is unexpected data between its elements'],
    [insert(mp4, 32, '0000000801020304'), 'there is unexpected data between its boxes'],
    [insert(mp4, 32, moov.toString('hex')), 'it has two moov boxes'],
  ]
  for (const [file, problem] of files) t.equal(await reason(file), `file is damaged: ${problem}`)
})

import { execFileSync } from 'node:child_process'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { open, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { crc32 } from 'node:zlib'
import t from 'tap'
import { inspectFile } from '../../src/features/media/inspect.ts'
import { platforms } from '../../src/platforms/limits.ts'
import { hostileFiles } from '../helpers/hostile-files.ts'
import { collectProblems } from '../helpers/problems.ts'
import { until } from '../helpers/until.ts'
import { images, inspect, reason, reasonAt, videos, written } from './inspect-scene.ts'

t.test('an image with too many pixels or frames is refused by its header', async (t) => {
  const large = 'file is 50000x50000 pixels large, at most 268402689 pixels are allowed'
  const png = Buffer.from(images.png)
  png.writeUInt32BE(50_000, 16)
  png.writeUInt32BE(50_000, 20)
  png.writeUInt32BE(crc32(png.subarray(12, 29)), 29)
  t.equal(await reason(png), large)

  const gif = Buffer.from(images.gif)
  gif.writeUInt16LE(50_000, 6)
  gif.writeUInt16LE(50_000, 8)
  // For a canvas of this size, the decoder uses the size of the frames.
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

t.test('an image above the size limit of every network is refused before it is read', async (t) => {
  const jpeg = await written(images.jpeg)
  await truncate(jpeg, 104_857_601)
  t.equal(await reasonAt(jpeg), 'file is an image of 104857601 bytes, at most 104857600 are allowed')
  await truncate(jpeg, 104_857_600)
  t.equal(await reasonAt(jpeg), 'accepted')
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
    ['the whole file', images.webp, 'RIFF', 4],
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

  // A parser would read this box, which fills the file, as a whole.
  const tables = await written(videos.mp4.subarray(0, 32))
  await writeFile(tables, Buffer.from('07000000', 'hex'), { flag: 'a' })
  await writeFile(tables, 'moov', { flag: 'a' })
  await truncate(tables, 32 + 0x07000000)
  t.equal(await reasonAt(tables), 'file is damaged: its moov box is too large')

  const boxes = Buffer.alloc(8 * 1_000_000, Buffer.from('0000000866726565', 'hex'))
  t.equal(await reason(Buffer.concat([videos.mp4, boxes])), 'file is damaged: it has too many boxes')
})

t.test('tables that describe too many samples are refused before a parser uses them', async (t) => {
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
  const huge = Buffer.from(videos.fragmented)
  // Four billion samples without values of their own.
  huge.writeUInt32BE(0, huge.indexOf('trun') + 4)
  huge.writeUInt32BE(0xffffffff, huge.indexOf('trun') + 8)
  t.equal(await reason(huge), refused, 'samples in a fragment')
})

t.test('a file that counts or nests more than any real one is refused before a parser reads it', async (t) => {
  const refused: Record<string, [bytes: number, problem: string]> = {
    'mp4: nested trak': [1_000, 'its boxes are nested too deeply'],
    'mp4: nested mdia': [1_000, 'its boxes are nested too deeply'],
    'mp4: empty trak': [90_000, 'it has too many boxes'],
    'mp4: many traf': [90_000, 'it has too many boxes'],
    'mp4: stts': [33_600_000, 'its moov box is too large'],
    'webm: cues': [16_800_000, 'an element is too large'],
    'webm: empty blocks': [50_400_000, 'an element is too large'],
    'jpeg: empty comments': [40_004, 'it has too many segments'],
    'jpeg: empty scans': [404, 'it has too many scans'],
    'jpeg: announced pictures': [90_000, 'it has too many segments'],
    'jpeg: long EXIF segments': [33_700_000, 'its header is too long'],
    'png: empty chunks': [1_200_000, 'it has too many chunks'],
    'png: a long text': [8_400_000, 'its metadata are too long'],
    'gif: empty extensions': [150_003, 'it has too many extensions'],
    'webp: empty chunks': [320_000, 'it has too many chunks'],
    'webp: chunks in a frame': [320_000, 'it has too many chunks'],
    'webp: a long EXIF': [33_600_000, 'its metadata are too long'],
    'avif: iinf': [33_600_000, 'its meta box is too large'],
    ...Object.fromEntries(
      ['text', 'XMP', 'profile', 'text that is cut off'].map((what) => [
        `png: a compressed ${what}`,
        [2_000_000, 'its metadata are too long'],
      ]),
    ),
    'png: many compressed texts': [2_000_000, 'its metadata are too long'],
  }
  const { problems, check } = collectProblems()
  for (const [name, [bytes, problem]] of Object.entries(refused)) {
    const file = Buffer.concat([...hostileFiles[name]!(bytes)])
    check(await reason(file), `file is damaged: ${problem}`, name)
  }
  t.strictSame(problems, [])
})

t.test('reading a file ends at its limit of CPU time, and later files are read as usual', async (t) => {
  t.equal(await reasonAt(await written(videos.mp4), { cpuMaxMs: 0 }), 'file takes too much time to read')
  t.match(await inspect(videos.mp4), { kind: 'video' })
  t.equal(await reasonAt(await written(images.jpeg), { cpuMaxMs: 0 }), 'file takes too much time to read')
  t.match(await inspect(images.jpeg), { kind: 'image' })
})

t.test('reading a file ends at its limit of memory, and later files are read as usual', async (t) => {
  const file = await written(Buffer.concat([...hostileFiles['mp4: samples without values']!(8_000_000)]))
  t.equal(await reasonAt(file, { cpuMaxMs: 60_000 }), 'file takes too much memory to read')
  t.match(await inspect(videos.mp4), { kind: 'video' })
})

t.test('without cpuUsage, which Node has since 24.6, the time limits reading a file', async (t) => {
  t.intercept(Worker.prototype, 'cpuUsage', { value: undefined })
  t.equal(await reasonAt(await written(videos.mp4), { cpuMaxMs: 0 }), 'file takes too much time to read')
  const { facts } = await inspectFile(await written(videos.mp4), 'ada', { cpuMaxMs: 60_000 })
  t.match(facts, { kind: 'video' })
})

t.test('a file gets another thread if the one before left much in the heap', async (t) => {
  let threads = 0
  const count = () => threads++
  subscribe('worker_threads', count)
  t.teardown(() => unsubscribe('worker_threads', count))
  await inspect(videos.mp4)
  const before = threads
  await inspect(videos.mp4)
  t.equal(threads, before, 'a small one leaves the thread')
  await reasonAt(await written(Buffer.concat([...hostileFiles['mp4: samples without values']!(1_000_000)])))
  await inspect(videos.mp4)
  t.equal(threads, before + 1)
})

t.test('users take turns: the files of one do not keep another waiting', async (t) => {
  const path = await written(videos.mp4)
  const order: string[] = []
  const read = (user: string) => inspectFile(path, user).then(() => order.push(user))
  await Promise.all([...Array.from({ length: 4 }, () => read('mallory')), read('ada'), read('bob'), read('ada')])
  t.strictSame(order, ['mallory', 'ada', 'bob', 'mallory', 'ada', 'mallory', 'mallory'])
})

t.test('a disk that does not respond fails the reading, and keeps one thread', async (t) => {
  // A pipe without a writer holds the thread as a disk does that hangs.
  const path = join(t.testdir(), 'pipe')
  execFileSync('mkfifo', [path])
  const hang = () => inspectFile(path, 'ada', { wallMaxMs: 100 })
  await t.rejects(hang(), { code: 'storage_unavailable' })
  await t.rejects(hang(), { code: 'storage_unavailable' }, 'while the thread waits')
  const png = await written(images.png)
  await t.rejects(inspectFile(png, 'ben'), { code: 'storage_unavailable' }, 'of another user')
  await (await open(path, 'w')).close()
  await until('the thread has exited', async () => {
    const read = await inspectFile(png, 'ben').catch(() => undefined)
    return read?.facts.mimeType === 'image/png'
  })
})

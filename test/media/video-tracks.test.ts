import t from 'tap'
import type { MediaTracks } from '../../schemas/media.ts'
import { collectProblems } from '../helpers/problems.ts'
import { inspect, sample } from './inspect-scene.ts'

const tracksOf = async (bytes: Buffer) => (await inspect(bytes)).tracks!

t.test('codec, profile, chroma, bit depth, scan and groups of pictures are read from the content', async (t) => {
  const avc = {
    codec: 'avc',
    codecString: 'avc1.64000a',
    chromaSubsampling: '4:2:0',
    bitDepth: 8,
    scan: 'progressive',
    pixelAspectRatio: '1:1',
    closedGop: true,
  } as const
  const unknown = { codecString: null, chromaSubsampling: null, bitDepth: null, scan: null, closedGop: null }
  const expected: Record<string, MediaTracks['video']> = {
    'full-chroma.mp4': { ...avc, codecString: 'avc1.f4000a', chromaSubsampling: '4:4:4' },
    'interlaced.mp4': { ...avc, codecString: 'avc1.640015', scan: 'interlaced' },
    'open-gop.mp4': { ...avc, closedGop: false },
    'anamorphic.mp4': { ...avc, pixelAspectRatio: '2:1' },
    'hevc.mp4': {
      ...avc,
      codec: 'hevc',
      codecString: 'hev1.4.10.L30.9D.8',
      chromaSubsampling: '4:2:2',
      bitDepth: 10,
      closedGop: false,
    },
    'av1.mp4': { ...avc, codec: 'av1', codecString: 'av01.1.00M.08.0.000.01.01.01.0', chromaSubsampling: '4:4:4' },
    'vp8.webm': { ...avc, codec: 'vp8', codecString: 'vp8' },
    'prores.mov': {
      ...avc,
      codec: 'prores',
      codecString: 'apco',
      chromaSubsampling: '4:2:2',
      bitDepth: null,
      scan: null,
    },
    'surround.mp4': { ...avc, ...unknown, codec: 'mp4v' },
    'h263.mov': { ...avc, ...unknown, codec: 'h263' },
  }
  const { problems, check } = collectProblems()
  for (const [name, video] of Object.entries(expected)) check((await tracksOf(await sample(name))).video, video, name)
  t.strictSame(problems, [])
  t.strictSame((await tracksOf(await sample('surround.mp4'))).audio, {
    codec: 'aac',
    codecString: 'mp4a.40.2',
    channels: 6,
    sampleRate: 48_000,
  })
})

t.test('H.264 that only may have fields is progressive, and two fields in a frame are interlaced', async (t) => {
  const mayHaveFields = Buffer.from(await sample('interlaced.mp4'))
  // mb_adaptive_frame_field_flag of this file: bit 3 of byte 8 in the sequence parameter set.
  const at = mayHaveFields.indexOf('avcC') + 12 + 8
  mayHaveFields[at] = mayHaveFields[at]! & ~0x08
  t.equal((await tracksOf(mayHaveFields)).video.scan, 'progressive')

  // The comment of the encoder becomes a slice that begins with macroblock 0, as the one after it does.
  const pair = Buffer.from(mayHaveFields)
  pair.set([0x65, 0x88], pair.indexOf('mdat') + 8)
  t.equal((await tracksOf(pair)).video.scan, 'interlaced')
})

t.test('a configuration that is cut off leaves the facts unknown', async (t) => {
  const bytes = Buffer.from(await sample('plain.mp4'))
  // The length of the sequence parameter set.
  bytes.writeUInt16BE(5, bytes.indexOf('avcC') + 10)
  t.match((await tracksOf(bytes)).video, { chromaSubsampling: null, bitDepth: null, scan: null, closedGop: true })
})

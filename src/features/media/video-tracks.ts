import {
  type EncodedPacket,
  EncodedPacketSink,
  type InputAudioTrack,
  type InputTrack,
  type InputVideoTrack,
} from 'mediabunny'
import { HDR_TRANSFERS, type MediaTracks } from '../../../schemas/media.ts'
import { readSequence } from './h264.ts'

/** A codec's description of its pictures. Null: not known. */
type Picture = Pick<MediaTracks['video'], 'chromaSubsampling' | 'bitDepth' | 'scan' | 'closedGop'>

const UNKNOWN: Picture = { chromaSubsampling: null, bitDepth: null, scan: null, closedGop: null }

/** Enough to tell an encoder that opens its groups of pictures from one that does not. */
const KEY_FRAMES_MAX = 8
/** More than the slices of any frame. */
const UNITS_MAX = 1_000

/** By codec: where the configuration of the decoder has the size of a unit's length, less 1, in the last two bits. */
const LENGTH_AT: Record<string, number> = { avc: 4, hevc: 21 }

/** Reads the contents of a video. Packets of more than `packetBytesMax` are not read. */
export async function readTracks(
  video: InputVideoTrack,
  audio: InputAudioTrack | null,
  packetBytesMax: number,
): Promise<MediaTracks> {
  const { num, den } = await video.getPixelAspectRatio()
  const config = await video.getDecoderConfig()
  const { transfer } = await video.getColorSpace()
  const codec = await nameCodec(video)
  const codecString = config?.codec ?? null
  const lengthAt = LENGTH_AT[codec]
  const record = lengthAt && config?.description && toBytes(config.description)
  const bitstream = record
    ? { record, keyFrames: await readKeyFrames(video, ((record[lengthAt] ?? 0) & 3) + 1, packetBytesMax) }
    : null
  return {
    video: {
      codec,
      codecString,
      pixelAspectRatio: `${num}:${den}`,
      ...(isHdr(transfer) && { transfer }),
      ...describePicture(codec, codecString, bitstream),
    },
    audio: audio && {
      codec: await nameCodec(audio),
      codecString: (await audio.getDecoderConfig())?.codec ?? null,
      channels: await audio.getNumberOfChannels(),
      sampleRate: await audio.getSampleRate(),
    },
  }
}

const isHdr = (transfer: unknown): transfer is (typeof HDR_TRANSFERS)[number] =>
  HDR_TRANSFERS.some((each) => each === transfer)

/** The library's name, else the code that the file has. */
async function nameCodec(track: InputTrack): Promise<string> {
  const code = await track.getInternalCodecId()
  const isReadable = typeof code === 'string' && /^[!-~]{1,40} *$/.test(code)
  return (await track.getCodec()) ?? (isReadable ? code.trim() : 'unknown')
}

interface Bitstream {
  /** The configuration of the decoder. */
  record: Uint8Array
  keyFrames: readonly KeyFrame[]
}

const CHROMA_FORMATS = ['4:0:0', '4:2:0', '4:2:2', '4:4:4'] as const

const describePicture = (codec: string, codecString: string | null, bitstream: Bitstream | null): Picture => {
  switch (codec) {
    case 'avc':
      return bitstream ? describeAvc(bitstream) : UNKNOWN
    case 'hevc':
      return bitstream ? describeHevc(bitstream) : UNKNOWN
    // These three have no fields, and no frame that refers across a key frame.
    case 'vp8':
      return { chromaSubsampling: '4:2:0', bitDepth: 8, scan: 'progressive', closedGop: true }
    case 'vp9':
      return { ...readCodecString(codecString, VP9), scan: 'progressive', closedGop: true }
    case 'av1':
      return { ...readCodecString(codecString, AV1), scan: 'progressive', closedGop: true }
    // Each frame is a key frame.
    case 'prores':
      return { ...UNKNOWN, chromaSubsampling: codecString?.startsWith('ap4') ? '4:4:4' : '4:2:2', closedGop: true }
    default:
      return UNKNOWN
  }
}

/** ISO/IEC 14496-15, 5.3.3. */
function describeAvc({ record, keyFrames }: Bitstream): Picture {
  const pictures = keyFrames.map(({ units }) => units.filter(([first]) => (first & 31) >= 1 && (first & 31) <= 5))
  // Type 5 is a picture that no later frame refers across.
  const closedGop = pictures.length > 0 ? pictures.flat().every(([first]) => (first & 31) === 5) : null
  try {
    const length = new DataView(record.buffer, record.byteOffset).getUint16(6)
    const { chromaFormat, bitDepth, hasFields, isAdaptive } = readSequence(record.subarray(8, 8 + length))
    // Each field begins with macroblock 0, whose number is the single bit 1.
    const isPair = pictures.some((slices) => slices.filter(([, second]) => second >= 128).length > 1)
    const scan = hasFields && (isAdaptive || isPair) ? 'interlaced' : 'progressive'
    return { chromaSubsampling: CHROMA_FORMATS[chromaFormat] ?? null, bitDepth, scan, closedGop }
  } catch {
    return { ...UNKNOWN, closedGop }
  }
}

/** ISO/IEC 14496-15, 8.3.3. */
function describeHevc({ record, keyFrames }: Bitstream): Picture {
  const [constraints = 0, chromaFormat, bitDepth = 0] = [6, 16, 17].map((at) => record[at])
  if (chromaFormat === undefined) return UNKNOWN
  const scans = { 2: 'progressive', 1: 'interlaced' } as const
  // Types 8 and 9 are shown before the key frame, and refer to frames before it.
  const isOpen = keyFrames.some(({ next }) => next.some(([first]) => [8, 9].includes((first >> 1) & 63)))
  return {
    chromaSubsampling: CHROMA_FORMATS[chromaFormat & 3]!,
    bitDepth: 8 + (bitDepth & 7),
    scan: scans[(constraints >> 6) as keyof typeof scans] ?? null,
    closedGop: keyFrames.length > 0 ? !isOpen : null,
  }
}

interface CodecStringParts {
  chromaAt: number
  chroma: Readonly<Record<string, Picture['chromaSubsampling']>>
}

/** https://www.webmproject.org/vp9/mp4/#codecs-parameter-string */
const VP9: CodecStringParts = {
  chromaAt: 4,
  chroma: { '00': '4:2:0', '01': '4:2:0', '02': '4:2:2', '03': '4:4:4' },
}
/** https://aomediacodec.github.io/av1-isobmff/#codecsparam: subsampling in both directions, and a position. */
const AV1: CodecStringParts = {
  chromaAt: 5,
  chroma: { '110': '4:2:0', '111': '4:2:0', '112': '4:2:0', '100': '4:2:2', '000': '4:4:4' },
}

/** The bit depth is the third part after the name. 4:2:0 is the default of both codecs. */
function readCodecString(codecString: string | null, { chromaAt, chroma }: CodecStringParts) {
  const parts = codecString?.split('.') ?? []
  const named = parts[chromaAt]
  return {
    chromaSubsampling: named === undefined ? ('4:2:0' as const) : (chroma[named] ?? null),
    bitDepth: Number(parts[3]) || null,
  }
}

/** The first two bytes of a unit. */
type UnitStart = readonly [number, number]

/** A key frame, and the frame that is stored after it. */
interface KeyFrame {
  units: UnitStart[]
  next: UnitStart[]
}

/** The first key frames. A frame that is too large to be read is left out. */
async function readKeyFrames(video: InputVideoTrack, lengthBytes: number, bytesMax: number): Promise<KeyFrame[]> {
  const sink = new EncodedPacketSink(video)
  const read = async (packet: EncodedPacket | null) => {
    if (!packet || packet.byteLength > bytesMax) return []
    return listUnits((await sink.getPacket(packet.timestamp))?.data ?? new Uint8Array(), lengthBytes)
  }
  const frames: KeyFrame[] = []
  let key = await sink.getFirstKeyPacket({ metadataOnly: true })
  while (key && frames.length < KEY_FRAMES_MAX) {
    frames.push({ units: await read(key), next: await read(await sink.getNextPacket(key, { metadataOnly: true })) })
    key = await sink.getNextKeyPacket(key, { metadataOnly: true })
  }
  return frames
}

/** The units of a frame. Each has its length in front. */
function listUnits(frame: Uint8Array, lengthBytes: number): UnitStart[] {
  const units: UnitStart[] = []
  for (let at = 0; at + lengthBytes < frame.length && units.length < UNITS_MAX; ) {
    let length = 0
    for (const byte of frame.subarray(at, at + lengthBytes)) length = length * 256 + byte
    at += lengthBytes
    units.push([frame[at] ?? 0, frame[at + 1] ?? 0])
    at += length
  }
  return units
}

const toBytes = (source: ArrayBufferView | ArrayBufferLike) =>
  ArrayBuffer.isView(source)
    ? new Uint8Array(source.buffer, source.byteOffset, source.byteLength)
    : new Uint8Array(source)

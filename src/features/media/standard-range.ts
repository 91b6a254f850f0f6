import { open } from 'node:fs/promises'
import type { Sharp } from 'sharp'
import { withProfile } from './with-profile.ts'

/** A picture with a high dynamic range: its curve, and the colours of red, green and blue. */
interface HighRange {
  curve: Curve
  primaries: readonly (readonly number[])[]
}

interface Curve {
  /** The light of a value between 0 and 1. White paper has 1, which is 203 cd/m² by ITU-R BT.2408. */
  toLight: (value: number) => number
  /** The light that becomes the brightest of the standard range: that of the filter `tonemap` of ffmpeg. */
  peak: number
}

/** Tables 4 and 5 of https://www.itu.int/rec/R-REC-BT.2100 */
const PQ: Curve = {
  toLight: (value) => {
    const power = value ** (32 / 2523)
    return (10_000 / 203) * (Math.max(0, power - 0.8359375) / (18.8515625 - 18.6875 * power)) ** (8192 / 1305)
  },
  peak: 100,
}
const HLG: Curve = {
  toLight: (value) => {
    const scene = value <= 0.5 ? value ** 2 / 3 : (Math.exp((value - 0.55991073) / 0.17883277) + 0.28466892) / 12
    return (1_000 / 203) * scene ** 1.2
  },
  peak: 10,
}

/** By the numbers of https://www.itu.int/rec/T-REC-H.273 for transfer characteristics. */
const CURVES: ReadonlyMap<number, Curve> = new Map([
  [16, PQ],
  [18, HLG],
])

const BT_2020 = [
  [0.67347, 0.27904, -0.00193],
  [0.16566, 0.67534, 0.02998],
  [0.12508, 0.04562, 0.79686],
]
const P3 = [
  [0.5151, 0.2412, -0.00105],
  [0.29198, 0.69225, 0.04189],
  [0.1571, 0.06657, 0.78407],
]
/** By the numbers of H.273 for colour primaries. The values are XYZ, adapted to the white of profiles. */
const PRIMARIES: ReadonlyMap<number, number[][]> = new Map([
  [9, BT_2020],
  [12, P3],
])

/** The properties of an AVIF or a HEIC are before its pictures, and the chunk of a PNG is before its rows. */
const HEAD_BYTES = 65_536

/** Places that name the colours, up to the number of the primaries, and the bytes of each number. */
const NAMES = [
  { start: Buffer.from('\0\0\0\x13colrnclx', 'latin1'), bytes: 2 },
  { start: Buffer.from('\0\0\0\x04cICP', 'latin1'), bytes: 1 },
]

/** The range of an AVIF, a HEIC or a PNG; undefined for the standard one. */
export async function findHighRange(path: string): Promise<HighRange | undefined> {
  const head = await readHead(path)
  for (const { start, bytes } of NAMES) {
    const at = head.indexOf(start) + start.length
    if (at < start.length || at + 2 * bytes > head.length) continue
    const curve = CURVES.get(head.readUIntBE(at + bytes, bytes))
    return curve && { curve, primaries: PRIMARIES.get(head.readUIntBE(at, bytes)) ?? BT_2020 }
  }
  return undefined
}

async function readHead(path: string): Promise<Buffer> {
  const file = await open(path)
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0)
    return buffer.subarray(0, bytesRead)
  } finally {
    await file.close()
  }
}

/**
 * A JPEG of the picture, whose profile maps its range to the standard one. sharp applies profiles outside of the main
 * thread.
 */
export async function toStandardRange(picture: Sharp, range: HighRange): Promise<Buffer> {
  const jpeg = await picture
    .flatten({ background: '#ffffff' })
    .jpeg({ quality: 100, chromaSubsampling: '4:4:4', optimiseCoding: false })
    .toBuffer()
  return withProfile(jpeg, createProfile(range))
}

/** The filter `mobius` of ffmpeg, which draws videos: https://ffmpeg.org/ffmpeg-filters.html#tonemap */
function compress(light: number, peak: number): number {
  const kept = 0.3
  if (light <= kept) return light
  const a = (-(kept ** 2) * (peak - 1)) / (kept ** 2 - 2 * kept + peak)
  const b = (kept ** 2 - 2 * kept * peak + peak) / (peak - 1)
  return (((b + kept) ** 2 / (b - a)) * (light + a)) / (light + b)
}

const CURVE_POINTS = 4_096
const HEADER_BYTES = 128
const TAG_BYTES = 12
/** D50: the white of all profiles. */
const WHITE = [0.9642, 1, 0.8249]

/** An ICC profile of version 2 with a curve and three colours: https://www.color.org/icc32.pdf */
function createProfile({ curve: { toLight, peak }, primaries: [red, green, blue] }: HighRange): Buffer {
  const points = Array.from({ length: CURVE_POINTS }, (_, index) =>
    Math.round(65_535 * Math.min(1, compress(toLight(index / (CURVE_POINTS - 1)), peak))),
  )
  const curve = Buffer.concat([Buffer.from('curv\0\0\0\0'), uint32(CURVE_POINTS), ...points.map(uint16)])
  const text = Buffer.from('text\0\0\0\0CC0\0')
  const name = Buffer.concat([Buffer.from('desc\0\0\0\0'), uint32(4), Buffer.from('HDR\0'), Buffer.alloc(78)])
  const contents: [name: string, content: Buffer][] = [
    ['desc', name],
    ['cprt', text],
    ['wtpt', xyz(WHITE)],
    ['rXYZ', xyz(red!)],
    ['gXYZ', xyz(green!)],
    ['bXYZ', xyz(blue!)],
    ['rTRC', curve],
    ['gTRC', curve],
    ['bTRC', curve],
  ]
  const tags: Buffer[] = []
  const bodies: Buffer[] = []
  let at = HEADER_BYTES + 4 + TAG_BYTES * contents.length
  for (const [name, content] of contents) {
    const padded = Buffer.concat([content, Buffer.alloc(-content.length & 3)])
    tags.push(Buffer.from(name), uint32(at), uint32(content.length))
    bodies.push(padded)
    at += padded.length
  }
  const header = Buffer.alloc(HEADER_BYTES)
  header.writeUInt32BE(at)
  header.writeUInt32BE(0x02400000, 8)
  header.write('mntrRGB XYZ ', 12)
  header.write('acsp', 36)
  xyz(WHITE).copy(header, 68, 8)
  return Buffer.concat([header, uint32(contents.length), ...tags, ...bodies])
}

function uint16(value: number): Buffer {
  const bytes = Buffer.alloc(2)
  bytes.writeUInt16BE(value)
  return bytes
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value)
  return bytes
}

/** Numbers with 16 bits after the point. */
function xyz(values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(8 + 4 * values.length)
  bytes.write('XYZ ')
  for (const [index, value] of values.entries()) bytes.writeInt32BE(Math.round(value * 65_536), 8 + 4 * index)
  return bytes
}

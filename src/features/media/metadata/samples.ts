import { type Box, boxesIn, findBox, uint, VERSION_BYTES } from '../structure/boxes.ts'
import { type FileBytes, tooComplex } from '../structure/bytes.ts'

/** Metadata tracks have up to some hundred samples a second. */
const SAMPLES_MAX = 2_000_000

/** The places of a track's samples, one range for each of its chunks: ISO/IEC 14496-12, 8.7. */
export function* sampleRanges(file: FileBytes, track: Box): Generator<[at: number, bytes: number]> {
  const stbl = findBox(file, track, ['mdia', 'minf', 'stbl'])
  if (!stbl) return
  const table = (type: string) => findBox(file, stbl, [type])
  const sizes = readSizes(file, table('stsz'), table('stz2'))
  const runs = readTable(file, table('stsc'), 12)
  const offsets = table('co64')
  const chunks = readTable(file, offsets ?? table('stco'), offsets ? 8 : 4)
  let run = 0
  let sample = 0
  for (let chunk = 0; chunk < chunks.count; chunk++) {
    if (run + 1 < runs.count && runs.bytes.readUInt32BE(12 * (run + 1)) <= chunk + 1) run++
    const inChunk = runs.count > 0 ? runs.bytes.readUInt32BE(12 * run + 4) : 0
    let bytes = 0
    for (const last = Math.min(sample + inChunk, sizes.length); sample < last; sample++) bytes += sizes[sample]!
    yield [offsets ? Number(chunks.bytes.readBigUInt64BE(8 * chunk)) : chunks.bytes.readUInt32BE(4 * chunk), bytes]
  }
}

/**
 * The places of a track's samples that a fragment describes in a `traf` box, one range for each run: ISO/IEC 14496-12,
 * 8.8.7 and 8.8.8. `defaultBytes` is the size of its samples if the fragment states none, and `impliedBase` the start
 * of its data.
 */
export function* runRanges(
  file: FileBytes,
  traf: Box,
  moof: Box,
  { defaultBytes, impliedBase }: { defaultBytes: number; impliedBase: number },
): Generator<[at: number, bytes: number]> {
  const header = findBox(file, traf, ['tfhd'])
  if (!header) return
  const flags = uint(file, header.start + 1, 3)
  let at = header.start + VERSION_BYTES + 4
  const base = flags & HAS_BASE ? uint(file, at, 8) : flags & IS_MOOF_BASE ? moof.at : impliedBase
  at += (flags & HAS_BASE ? 8 : 0) + (flags & HAS_DESCRIPTION ? 4 : 0) + (flags & HAS_DURATION ? 4 : 0)
  const sampleBytes = flags & HAS_SIZE ? uint(file, at, 4) : defaultBytes
  let next = base
  for (const run of boxesIn(file, traf.start, traf.end)) {
    if (run.type !== 'trun') continue
    const { offset, bytes } = readRun(file, run, sampleBytes)
    const start = offset === undefined ? next : base + offset
    yield [start, bytes]
    next = start + bytes
  }
}

/** Flags of `tfhd`. */
const HAS_BASE = 0x1
const HAS_DESCRIPTION = 0x2
const HAS_DURATION = 0x8
const HAS_SIZE = 0x10
const IS_MOOF_BASE = 0x20000
/** Flags of `trun`. The last four are fields of each sample, in this order. */
const HAS_OFFSET = 0x1
const HAS_FIRST_FLAGS = 0x4
const SAMPLE_DURATION = 0x100
const SAMPLE_SIZE = 0x200
const SAMPLE_FLAGS = 0x400
const SAMPLE_TIME = 0x800

function readRun(file: FileBytes, { start, end }: Box, sampleBytes: number): { offset?: number; bytes: number } {
  const flags = uint(file, start + 1, 3)
  const count = uint(file, start + VERSION_BYTES, 4)
  let at = start + VERSION_BYTES + 4
  const offset = flags & HAS_OFFSET ? { offset: file.read(at, 4).readInt32BE() } : {}
  if (!(flags & SAMPLE_SIZE)) return { ...offset, bytes: count * sampleBytes }
  at += (flags & HAS_OFFSET ? 4 : 0) + (flags & HAS_FIRST_FLAGS ? 4 : 0) + (flags & SAMPLE_DURATION ? 4 : 0)
  const fields = [SAMPLE_DURATION, SAMPLE_SIZE, SAMPLE_FLAGS, SAMPLE_TIME].filter((flag) => flags & flag).length
  let bytes = 0
  for (let sample = 0; sample < count && at + 4 <= end; sample++, at += 4 * fields) bytes += uint(file, at, 4)
  return { ...offset, bytes }
}

/** The entries of a table that states their number after its version. */
function readTable(file: FileBytes, box: Box | undefined, entryBytes: number): { count: number; bytes: Buffer } {
  if (!box) return { count: 0, bytes: Buffer.alloc(0) }
  const start = box.start + VERSION_BYTES + 4
  const count = Math.min(uint(file, start - 4, 4), Math.floor((box.end - start) / entryBytes))
  return { count, bytes: Buffer.from(file.read(start, count * entryBytes)) }
}

function readSizes(file: FileBytes, stsz: Box | undefined, stz2: Box | undefined): Uint32Array {
  const box = stsz ?? stz2
  if (!box) return new Uint32Array()
  const count = uint(file, box.start + VERSION_BYTES + 4, 4)
  if (count > SAMPLES_MAX) throw tooComplex('too many samples in a track that is neither video nor sound')
  const common = stsz ? uint(file, box.start + VERSION_BYTES, 4) : 0
  if (common > 0) return new Uint32Array(count).fill(common)
  const bits = stsz ? 32 : uint(file, box.start + VERSION_BYTES + 3, 1)
  const bytes = Buffer.from(file.read(box.start + VERSION_BYTES + 8, Math.ceil((count * bits) / 8)))
  const sizes = new Uint32Array(count)
  for (let index = 0; index < count; index++) {
    if (bits === 4) sizes[index] = index % 2 ? bytes[index >> 1]! & 15 : bytes[index >> 1]! >> 4
    else sizes[index] = bytes.readUIntBE((index * bits) / 8, bits / 8)
  }
  return sizes
}

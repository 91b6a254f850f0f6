import { type Box, findBox, uint, VERSION_BYTES } from './boxes.ts'
import { tooComplex } from './edits.ts'
import type { FileWindow } from './file-window.ts'

/** Metadata tracks have up to some hundred samples a second. */
const SAMPLES_MAX = 2_000_000

/** Where the samples of a track are, one range for each of its chunks: ISO/IEC 14496-12, 8.7. */
export function* sampleRanges(file: FileWindow, track: Box): Generator<[at: number, bytes: number]> {
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

/** The entries of a table that states their number after its version. */
function readTable(file: FileWindow, box: Box | undefined, entryBytes: number): { count: number; bytes: Buffer } {
  if (!box) return { count: 0, bytes: Buffer.alloc(0) }
  const start = box.start + VERSION_BYTES + 4
  const count = Math.min(uint(file, start - 4, 4), Math.floor((box.end - start) / entryBytes))
  return { count, bytes: Buffer.from(file.read(start, count * entryBytes)) }
}

function readSizes(file: FileWindow, stsz: Box | undefined, stz2: Box | undefined): Uint32Array {
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

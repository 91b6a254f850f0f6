import { damaged, type FileBytes } from './bytes.ts'

/** The boxes that contain the tables of a track, in a movie and in a fragment. */
const CONTAINERS = ['trak', 'mdia', 'minf', 'stbl', 'traf']
/** `moov`, `trak`, `mdia`, `minf`, `stbl`, and a few more for boxes that are not where they should be. */
const DEPTH_MAX = 8
/** A track has about 20 boxes. */
const BOXES_MAX = 10_000
const ENTRIES_BUFFERED = 1_024
const ENTRY_BYTES: Record<string, number> = { stts: 8, ctts: 8, stsc: 12 }

/**
 * Checks that the tables of a `moov` or `moof` box agree on the number of samples (ISO/IEC 14496-12, 8.6 to 8.8). Parsers
 * rely on these numbers, and a few bytes can claim billions of samples. Small differences are tolerated.
 */
export function checkTables(file: FileBytes, end: number, depth = 1, boxes = { count: 0 }): void {
  if (depth > DEPTH_MAX) throw damaged('its boxes are nested too deeply')
  while (end - file.position >= 8) {
    if (++boxes.count > BOXES_MAX) throw damaged('it has too many boxes')
    const start = file.position
    const header = file.next(8, 'in its tables')
    const size = header.readUInt32BE(0)
    const type = header.toString('latin1', 4)
    // 64-bit sizes are not used at this level. In QuickTime, zeros may end a list.
    if (size < 8 || size > end - start) return
    if (type === 'stbl') checkSampleTable(file, start + size, boxes)
    else if (CONTAINERS.includes(type)) checkTables(file, start + size, depth + 1, boxes)
    else if (type === 'trun') checkRun(file)
    file.position = start + size
  }
}

/** Compares a track's number of samples with its tables of sizes, chunks and durations. */
function checkSampleTable(file: FileBytes, end: number, boxes: { count: number }): void {
  let samples = 0
  let chunks = 0
  /** The number of samples that each of the other tables describes. */
  const described: number[] = []
  let chunkRuns: { start: number; entries: number } | undefined
  while (end - file.position >= 16) {
    if (++boxes.count > BOXES_MAX) throw damaged('it has too many boxes')
    const start = file.position
    const header = file.next(16, 'in its tables')
    const size = header.readUInt32BE(0)
    const type = header.toString('latin1', 4, 8)
    const entries = header.readUInt32BE(12)
    if (size < 8 || size > end - start) return
    const entryBytes = ENTRY_BYTES[type]
    if (entryBytes && entries * entryBytes > size - 16) throw damaged('a table is longer than its box')
    if (type === 'stsz' || type === 'stz2') {
      samples = file.next(4, 'in its tables').readUInt32BE()
      // If all samples have one size, `stsz` has that size where other tables have their number of entries.
      if (type === 'stsz' && entries * samples > file.size) throw damaged('its tables do not agree')
    }
    if (type === 'stco' || type === 'co64') chunks = entries
    if (type === 'stts' || type === 'ctts') {
      let sum = 0
      for (const [count] of entriesOf(file, entries, 8)) sum += count
      described.push(sum)
    }
    if (type === 'stsc') chunkRuns = { start: file.position, entries }
    file.position = start + size
  }
  // The last run lasts to the last chunk, whose number may be in a later table.
  if (chunkRuns) {
    file.position = chunkRuns.start
    described.push(countInChunks(file, chunkRuns.entries, chunks))
  }
  for (const count of described) if (count > 2 * samples + 1_000) throw damaged('its tables do not agree')
}

/** Sums up the samples of all chunks. Each entry is valid until the first chunk of the next one. */
function countInChunks(file: FileBytes, entries: number, chunks: number): number {
  let sum = 0
  let first = 0
  let perChunk = 0
  const endRun = (next: number) => {
    if (next < first || next > chunks + 1) throw damaged('its tables do not agree')
    sum += (next - first) * perChunk
  }
  for (const [nextFirst, nextPerChunk] of entriesOf(file, entries, 12)) {
    endRun(nextFirst)
    first = nextFirst
    perChunk = nextPerChunk
  }
  endRun(Math.max(first, chunks + 1))
  return sum
}

/** The first two numbers of each entry. */
function* entriesOf(file: FileBytes, entries: number, bytes: number): Generator<[number, number]> {
  for (let left = entries; left > 0; left -= ENTRIES_BUFFERED) {
    const buffered = file.next(Math.min(left, ENTRIES_BUFFERED) * bytes, 'in its tables')
    for (let at = 0; at < buffered.length; at += bytes) yield [buffered.readUInt32BE(at), buffered.readUInt32BE(at + 4)]
  }
}

/** A run in a fragment may consist of nothing but its number of samples, if all of them have the default properties. */
function checkRun(file: FileBytes): void {
  const samples = file.next(8, 'in its tables').readUInt32BE(4)
  if (samples > file.size) throw damaged('its tables do not agree')
}

import { type Box, boxesIn, uint, VERSION_BYTES } from './boxes.ts'
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
 * Checks that the tables of a `moov` or `moof` box agree on the number of samples (ISO/IEC 14496-12, 8.6 to 8.8).
 * Parsers rely on these numbers, and a few bytes can claim billions of samples, as in inspect.limits.test.ts.
 * mediabunny accepts `mp4: nested trak`, `mp4: empty trak` and `mp4: many traf`. Small differences are tolerated.
 */
export function checkTables(file: FileBytes, { start, end }: Box, depth = 1, boxes = { count: 0 }): void {
  if (depth > DEPTH_MAX) throw damaged('its boxes are nested too deeply')
  for (const box of boxesIn(file, start, end)) {
    if (++boxes.count > BOXES_MAX) throw damaged('it has too many boxes')
    if (box.type === 'stbl') checkSampleTable(file, box, boxes)
    else if (CONTAINERS.includes(box.type)) checkTables(file, box, depth + 1, boxes)
    else if (box.type === 'trun') checkRun(file, box)
  }
}

/** Compares a track's number of samples with its tables of sizes, chunks and durations. */
function checkSampleTable(file: FileBytes, stbl: Box, boxes: { count: number }): void {
  let samples = 0
  let chunks = 0
  /** The number of samples that each of the other tables describes. */
  const described: number[] = []
  let chunkRuns: { at: number; entries: number } | undefined
  for (const { type, start, end } of boxesIn(file, stbl.start, stbl.end)) {
    if (++boxes.count > BOXES_MAX) throw damaged('it has too many boxes')
    if (end - start < 8) continue
    const entries = uint(file, start + VERSION_BYTES, 4)
    const at = start + VERSION_BYTES + 4
    const entryBytes = ENTRY_BYTES[type]
    if (entryBytes && entries * entryBytes > end - at) throw damaged('a table is longer than its box')
    if (type === 'stsz' || type === 'stz2') {
      samples = uint(file, at, 4)
      // If all samples have one size, `stsz` has that size where other tables have their number of entries.
      if (type === 'stsz' && entries * samples > file.size) throw damaged('its tables do not agree')
    }
    if (type === 'stco' || type === 'co64') chunks = entries
    if (type === 'stts' || type === 'ctts') {
      let sum = 0
      for (const [count] of entriesOf(file, at, entries, 8)) sum += count
      described.push(sum)
    }
    if (type === 'stsc') chunkRuns = { at, entries }
  }
  // The last run lasts to the last chunk, whose number may be in a later table.
  if (chunkRuns) described.push(countInChunks(entriesOf(file, chunkRuns.at, chunkRuns.entries, 12), chunks))
  for (const count of described) if (count > 2 * samples + 1_000) throw damaged('its tables do not agree')
}

/** Sums up the samples of all chunks. Each entry is valid until the first chunk of the next one. */
function countInChunks(runs: Iterable<[number, number]>, chunks: number): number {
  let sum = 0
  let first = 0
  let perChunk = 0
  const endRun = (next: number) => {
    if (next < first || next > chunks + 1) throw damaged('its tables do not agree')
    sum += (next - first) * perChunk
  }
  for (const [nextFirst, nextPerChunk] of runs) {
    endRun(nextFirst)
    first = nextFirst
    perChunk = nextPerChunk
  }
  endRun(Math.max(first, chunks + 1))
  return sum
}

/** The first two numbers of each entry. */
function* entriesOf(file: FileBytes, from: number, entries: number, bytes: number): Generator<[number, number]> {
  file.position = from
  for (let left = entries; left > 0; left -= ENTRIES_BUFFERED) {
    const buffered = file.next(Math.min(left, ENTRIES_BUFFERED) * bytes, 'in its tables')
    for (let at = 0; at < buffered.length; at += bytes) yield [buffered.readUInt32BE(at), buffered.readUInt32BE(at + 4)]
  }
}

/** A run in a fragment may consist of nothing but its number of samples, if all of them have the default properties. */
function checkRun(file: FileBytes, { start }: Box): void {
  if (uint(file, start + VERSION_BYTES, 4) > file.size) throw damaged('its tables do not agree')
}

import { damaged, type FileBytes } from './bytes.ts'

/** The boxes that contain the tables of a track, in a movie and in a fragment. */
const CONTAINERS = ['trak', 'mdia', 'minf', 'stbl', 'traf']
const ENTRIES_BUFFERED = 1_024

interface Tables {
  samples: number
  chunks: number
  /** The number of samples that each of the other tables describes. */
  described: number[]
}

/**
 * Checks that the tables of a `moov` or `moof` box agree on the number of samples (ISO/IEC 14496-12, 8.6 to 8.8). Parsers
 * rely on these numbers, and a few bytes can claim billions of samples. Small differences are tolerated.
 */
export function checkTables(file: FileBytes, end: number): void {
  while (end - file.position >= 8) {
    const start = file.position
    const header = file.next(8, 'in its tables')
    const size = header.readUInt32BE(0)
    const type = header.toString('latin1', 4)
    // 64-bit sizes are not used at this level. In QuickTime, zeros may end a list.
    if (size < 8 || size > end - start) return
    if (type === 'stbl') checkSampleTable(file, start + size)
    else if (CONTAINERS.includes(type)) checkTables(file, start + size)
    else if (type === 'trun') checkRun(file)
    file.position = start + size
  }
}

/** Compares a track's number of samples with its tables of sizes, chunks and durations. */
function checkSampleTable(file: FileBytes, end: number): void {
  const tables: Tables = { samples: 0, chunks: 0, described: [] }
  let chunkRuns: [first: number, samples: number][] = []
  while (end - file.position >= 16) {
    const start = file.position
    const header = file.next(16, 'in its tables')
    const size = header.readUInt32BE(0)
    const type = header.toString('latin1', 4, 8)
    const entries = header.readUInt32BE(12)
    if (size < 8 || size > end - start) return
    const room = size - 16
    if (type === 'stsz' || type === 'stz2') {
      tables.samples = file.next(4, 'in its tables').readUInt32BE()
      // If all samples have one size, `stsz` has that size where other tables have their number of entries.
      if (type === 'stsz' && entries * tables.samples > file.size) throw damaged('its tables do not agree')
    }
    if (type === 'stco' || type === 'co64') tables.chunks = entries
    if (type === 'stts' || type === 'ctts') {
      tables.described.push(readPairs(file, entries, room, 8).reduce((sum, [count]) => sum + count, 0))
    }
    if (type === 'stsc') chunkRuns = readPairs(file, entries, room, 12)
    file.position = start + size
  }

  const { samples, chunks, described } = tables
  let inChunks = 0
  for (const [index, [first, perChunk]] of chunkRuns.entries()) {
    const next = chunkRuns[index + 1]?.[0] ?? Math.max(first, chunks + 1)
    if (next < first || next > chunks + 1) throw damaged('its tables do not agree')
    inChunks += (next - first) * perChunk
  }
  for (const count of [...described, inChunks])
    if (count > 2 * samples + 1_000) throw damaged('its tables do not agree')
}

/** Reads the first two numbers of each entry. */
function readPairs(file: FileBytes, entries: number, room: number, entryBytes: number) {
  if (entries * entryBytes > room) throw damaged('a table is longer than its box')
  const pairs: [number, number][] = []
  for (let left = entries; left > 0; left -= ENTRIES_BUFFERED) {
    const count = Math.min(left, ENTRIES_BUFFERED)
    const bytes = file.next(count * entryBytes, 'in its tables')
    for (let index = 0; index < count; index++) {
      pairs.push([bytes.readUInt32BE(index * entryBytes), bytes.readUInt32BE(index * entryBytes + 4)])
    }
  }
  return pairs
}

/** A run in a fragment may consist of nothing but its number of samples, if all of them have the default properties. */
function checkRun(file: FileBytes): void {
  const samples = file.next(8, 'in its tables').readUInt32BE(4)
  if (samples > file.size) throw damaged('its tables do not agree')
}

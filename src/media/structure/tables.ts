import { damaged, type FileBytes } from './bytes.ts'

/** The boxes that lead to the tables of a track, in a film and in a fragment of one. */
const CONTAINERS = ['trak', 'mdia', 'minf', 'stbl', 'traf']
const ENTRIES_BUFFERED = 1_024

interface Tables {
  samples: number
  chunks: number
  /** How many samples each of the other tables tells of. */
  told: number[]
}

/**
 * Looks whether the tables of a `moov` or `moof` box agree on how many samples there are (ISO/IEC 14496-12, 8.6 to 8.8).
 * Who reads the file goes by them, and a few bytes can make them tell of billions. Files that are merely sloppy, by some
 * samples, are let pass.
 */
export async function checkTables(file: FileBytes, end: number): Promise<void> {
  while (end - file.at >= 8) {
    const start = file.at
    const header = await file.next(8, 'in its tables')
    const size = header.readUInt32BE(0)
    const type = header.toString('latin1', 4)
    // Sizes of 64 bits have no place here; zeros may end a list (QuickTime).
    if (size < 8 || size > end - start) return
    if (type === 'stbl') await checkSampleTable(file, start + size)
    else if (CONTAINERS.includes(type)) await checkTables(file, start + size)
    else if (type === 'trun') await checkRun(file)
    file.at = start + size
  }
}

/** Of a track: how many samples, in how many chunks, how long they last. */
async function checkSampleTable(file: FileBytes, end: number): Promise<void> {
  const tables: Tables = { samples: 0, chunks: 0, told: [] }
  let chunkRuns: [first: number, samples: number][] = []
  while (end - file.at >= 16) {
    const start = file.at
    const header = await file.next(16, 'in its tables')
    const size = header.readUInt32BE(0)
    const type = header.toString('latin1', 4, 8)
    const entries = header.readUInt32BE(12)
    if (size < 8 || size > end - start) return
    const room = size - 16
    if (type === 'stsz' || type === 'stz2') {
      tables.samples = (await file.next(4, 'in its tables')).readUInt32BE()
      // Where all have one size, it stands where others have their number of entries.
      if (type === 'stsz' && entries * tables.samples > file.size) throw damaged('its tables do not agree')
    }
    if (type === 'stco' || type === 'co64') tables.chunks = entries
    if (type === 'stts' || type === 'ctts') {
      tables.told.push((await readPairs(file, entries, room, 8)).reduce((sum, [count]) => sum + count, 0))
    }
    if (type === 'stsc') chunkRuns = await readPairs(file, entries, room, 12)
    file.at = start + size
  }

  const { samples, chunks, told } = tables
  let inChunks = 0
  for (const [index, [first, perChunk]] of chunkRuns.entries()) {
    const next = chunkRuns[index + 1]?.[0] ?? Math.max(first, chunks + 1)
    if (next < first || next > chunks + 1) throw damaged('its tables do not agree')
    inChunks += (next - first) * perChunk
  }
  for (const count of [...told, inChunks]) if (count > 2 * samples + 1_000) throw damaged('its tables do not agree')
}

/** The first two numbers of each entry. */
async function readPairs(file: FileBytes, entries: number, room: number, entryBytes: number) {
  if (entries * entryBytes > room) throw damaged('a table is longer than its box')
  const pairs: [number, number][] = []
  for (let left = entries; left > 0; left -= ENTRIES_BUFFERED) {
    const count = Math.min(left, ENTRIES_BUFFERED)
    const bytes = await file.next(count * entryBytes, 'in its tables')
    for (let index = 0; index < count; index++) {
      pairs.push([bytes.readUInt32BE(index * entryBytes), bytes.readUInt32BE(index * entryBytes + 4)])
    }
  }
  return pairs
}

/** Of a fragment: a run may leave out all that differs from the defaults, and then only says how many samples it has. */
async function checkRun(file: FileBytes): Promise<void> {
  const samples = (await file.next(8, 'in its tables')).readUInt32BE(4)
  if (samples > file.size) throw damaged('its tables do not agree')
}

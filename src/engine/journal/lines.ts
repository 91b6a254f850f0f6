/** Entries that wait in memory while the storage is unreachable: about 60 MB. */
const LINES_MAX = 200_000

/**
 * Encoded entries that are not in the segment of this worker yet. Segments that are written before calls have the first
 * ones.
 */
export interface Lines {
  /** All of them, in order. */
  all: readonly string[]
  push(line: string): void
  /** Those that no segment has yet. From now on, a segment ahead has them. */
  takeForAhead(): string[]
  /** Removes the oldest ones. */
  drop(count: number): void
  /** Removes the oldest ones beyond the number that is kept in memory. */
  limit(): void
}

export function createLines(): Lines {
  const all: string[] = []
  let aheadCount = 0
  const drop = (count: number) => {
    if (count <= 0) return
    all.splice(0, count)
    aheadCount = Math.max(0, aheadCount - count)
  }
  return {
    all,
    push: (line) => void all.push(line),
    takeForAhead() {
      const lines = all.slice(aheadCount)
      aheadCount = all.length
      return lines
    },
    drop,
    limit: () => drop(all.length - LINES_MAX),
  }
}

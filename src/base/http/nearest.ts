import { countEdits } from './edit-distance.ts'
import { truncate } from './json.ts'

/** Longer names are not compared: the time grows with the square of the length. */
const LENGTH_MAX = 50

/** The known name that a misspelt one most likely stands for; undefined if none is near enough. */
export function findNearest(name: string, known: readonly string[]): string | undefined {
  if (name.length > LENGTH_MAX) return undefined
  const typed = name.toLowerCase()
  let nearest: string | undefined
  let least = Number.POSITIVE_INFINITY
  for (const candidate of known) {
    const edits = countEdits(typed, candidate.toLowerCase())
    if (edits >= least || edits > Math.max(1, Math.floor(candidate.length / 3))) continue
    nearest = candidate
    least = edits
  }
  return nearest
}

/** The message about a key that an object does not have. It names the key that may have been meant. */
export function describeUnknown(key: string, known: object): string {
  const nearest = findNearest(key, Object.keys(known))
  const hint = nearest ? `did you mean ${nearest}?` : `known are ${Object.keys(known).join(', ')}`
  return `${JSON.stringify(truncate(key))} is unknown and has no effect: ${hint}`
}

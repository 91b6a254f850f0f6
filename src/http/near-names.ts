import type { Issue } from '../../schemas/error.ts'
import { invalidRequest } from '../errors.ts'
import { countEdits } from './edit-distance.ts'

const DISTANCE_MAX = 2

/**
 * The nearest of `names`, if it is near. Fewer characters of a short name may differ: `st` is not a mistyped `sort`.
 */
export const findNear = (text: string, names: readonly string[]): string | undefined =>
  names
    .filter((name) => Math.abs(text.length - name.length) <= DISTANCE_MAX)
    .map((name) => ({ name, apart: countEdits(text, name) }))
    .filter(({ name, apart }) => apart <= Math.min(DISTANCE_MAX, Math.floor((name.length - 1) / 2)))
    .sort((a, b) => a.apart - b.apart)[0]?.name

/** The two filters on a time whose common stem `text` begins with: both for `scheduledAfter`. */
function findTimeFilters(text: string, names: readonly string[]): string[] {
  const stem = names
    .filter((name) => name.endsWith('From'))
    .map((name) => name.slice(0, -'From'.length))
    .find((stem) => text.toLowerCase().startsWith(stem.toLowerCase()))
  return stem === undefined ? [] : [`${stem}From`, `${stem}Before`]
}

/**
 * Throws 400 for a query parameter that is almost one of `names`, or begins as a filter on a time does. The list would
 * ignore it, and return everything instead of what was meant. `known` are the names of all parameters.
 */
export function refuseNearNames(query: object, names: readonly string[], known: ReadonlySet<string>): void {
  const issues: Issue[] = Object.keys(query)
    .filter((key) => !known.has(key))
    .flatMap((key) => {
      const near = findNear(key, names)
      const meant = near ? [near] : findTimeFilters(key, names)
      return meant.length > 0
        ? [
            {
              code: 'unrecognized_keys' as const,
              keys: [key],
              path: [],
              message: `Unrecognized parameter '${key}': did you mean ${meant.map((name) => `'${name}'`).join(' or ')}?`,
            },
          ]
        : []
    })
  if (issues.length > 0) throw invalidRequest(issues)
}

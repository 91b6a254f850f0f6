import type { Issue } from '../../../schemas/error.ts'
import { findOtherName } from '../../../schemas/other-names.ts'
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
 * Finds the parameters that a name stands for: those of `known` that do what it does in other APIs, otherwise the
 * nearest of `names`. A nearest name among those stands alone. So `start` is not taken for a mistyped `state`.
 */
export function findMeant(key: string, names: readonly string[], known: readonly string[]): string[] {
  const ours = findOtherName(key)?.ours.filter((name) => known.includes(name)) ?? []
  const near = findNear(key, names)
  return near && (ours.length === 0 || ours.includes(near)) ? [near] : ours
}

const listed = (names: Iterable<string>) => [...names].map((name) => `'${name}'`).join(' or ')

/**
 * Throws 400 for a query parameter that is almost one of `names`, begins as a filter on a time does, or has a name that
 * other APIs use. The list would ignore it, and return everything instead of what was meant. `known` are the names of
 * all parameters.
 */
export function refuseNearNames(query: object, names: readonly string[], known: ReadonlySet<string>): void {
  const issues = Object.keys(query).flatMap((key): Issue[] => {
    if (known.has(key)) return []
    const meant = findMeant(key, names, [...known])
    const ours = meant.length > 0 ? meant : findTimeFilters(key, names)
    const mend = ours.length > 0 ? `did you mean ${listed(ours)}?` : findOtherName(key)?.lack
    if (!mend) return []
    return [{ code: 'unrecognized_keys', keys: [key], path: [], message: `Unrecognized parameter '${key}': ${mend}` }]
  })
  if (issues.length > 0) throw invalidRequest(issues)
}

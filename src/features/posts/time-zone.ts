import type { Fold } from '../../../schemas/post.ts'
import { invalid, parseLocalTime, requireYear, ZONE_NAME } from '../../../schemas/time.ts'
import { findNear } from '../../base/http/near-names.ts'

const NAME = new RegExp(ZONE_NAME)

interface Zone {
  name: string
  format: Intl.DateTimeFormat
}

/** By the name in lower case, because a client may write each name in thousands of ways. Each takes 50 kB. */
const zones = new Map<string, Zone>()
const ZONES_MAX = 200

function findZone(name: string): Zone | undefined {
  if (!NAME.test(name)) return undefined
  const key = name.toLowerCase()
  const zone = zones.get(key) ?? createZone(name)
  if (zone && !zones.has(key)) {
    // Help texts of the CLI load this file and no package. The oldest goes, whenever it was used.
    if (zones.size === ZONES_MAX) zones.delete(zones.keys().next().value!)
    zones.set(key, zone)
  }
  return zone
}

function createZone(timeZone: string): Zone | undefined {
  const numeric = { year: 'numeric', month: 'numeric', day: 'numeric', hour: 'numeric', minute: 'numeric' } as const
  try {
    const format = new Intl.DateTimeFormat('en-US', { timeZone, hourCycle: 'h23', ...numeric, second: 'numeric' })
    return { name: format.resolvedOptions().timeZone, format }
  } catch {
    return undefined
  }
}

export const isTimeZone = (name: string): boolean => findZone(name) !== undefined

/** The name of a zone, with the capital letters of the database. A link, such as `US/Pacific`, stays as it is. */
export function nameZone(name: string): string {
  const zone = findZone(name)
  return zone?.name.toLowerCase() === name.toLowerCase() ? zone.name : name
}

export const unknownZoneMessage = (name: string) =>
  `Unknown time zone '${name.slice(0, 64)}': use a name such as ${suggestZone(name) ?? 'Europe/Berlin'}`

/** The zone that an abbreviation, a city or a mistyped name means. */
function suggestZone(name: string): string | undefined {
  const names = Intl.supportedValuesOf('timeZone')
  const city = `/${name.toLowerCase().replaceAll(' ', '_')}`
  const meant = names.find((each) => each.toLowerCase().endsWith(city)) ?? createZone(name)?.name
  return meant && NAME.test(meant) ? meant : findNear(name, names)
}

export const DAY_MS = 86_400_000

/**
 * The instant at which the clocks of a time zone show a local time. A local time that the clocks skip or show twice has
 * two meanings, of which `fold` chooses one.
 */
export function toInstant(text: string, timeZone: string, fold?: Fold): { time: Date } | { problem: string } {
  const shown = parseLocalTime(text)
  if ('problem' in shown) return shown
  const { meantMs, existingMs } = findInstants(shown.time.getTime(), timeZone)
  const [earlierMs, laterMs] = existingMs.length > 0 ? existingMs : meantMs
  if (laterMs === undefined) return requireYear(new Date(earlierMs!))
  if (fold) return requireYear(new Date(fold === 'earlier' ? earlierMs! : laterMs))
  const reason =
    existingMs.length > 0
      ? `occurs twice in ${timeZone}, because the clocks are put back`
      : `does not exist in ${timeZone}, because the clocks are put forward`
  const [earlier, later] = [earlierMs!, laterMs].map((ms) => withOffset(ms, offsetMsAt(ms, timeZone)))
  return invalid(`${text} ${reason}: set fold to 'earlier' for ${earlier} or to 'later' for ${later}`)
}

/**
 * The first instant at which the clocks of a time zone show a local time. The first instant after the gap for a local
 * time that they skip. `shownMs` is the instant at which clocks of UTC show the local time.
 */
export function firstInstant(shownMs: number, timeZone: string): number {
  const { meantMs, existingMs } = findInstants(shownMs, timeZone)
  if (existingMs.length > 0) return existingMs[0]!
  let [before, after] = meantMs.map((ms) => ms / 1_000) as [number, number]
  const offsetBefore = offsetMsAt(before * 1_000, timeZone)
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2)
    if (offsetMsAt(middle * 1_000, timeZone) === offsetBefore) before = middle
    else after = middle
  }
  return after * 1_000
}

/** The instants that a local time may mean, and those at which the clocks show it, in order. */
function findInstants(shownMs: number, timeZone: string): { meantMs: number[]; existingMs: number[] } {
  const offsetsMs = new Set([-DAY_MS, DAY_MS].map((distance) => offsetMsAt(shownMs + distance, timeZone)))
  const meantMs = [...offsetsMs].map((offsetMs) => shownMs - offsetMs).sort((a, b) => a - b)
  return { meantMs, existingMs: meantMs.filter((ms) => ms + offsetMsAt(ms, timeZone) === shownMs) }
}

/** How far the clocks of a time zone are ahead of UTC at an instant. */
export function offsetMsAt(ms: number, timeZone: string): number {
  const parts = findZone(timeZone)!.format.formatToParts(ms)
  const numberOf = (type: string) => Number(parts.find((part) => part.type === type)!.value)
  const shown = Date.UTC(
    ...([numberOf('year'), numberOf('month') - 1, numberOf('day')] as const),
    ...([numberOf('hour'), numberOf('minute'), numberOf('second')] as const),
  )
  return shown - Math.floor(ms / 1_000) * 1_000
}

/** An instant as local time with its offset, to the second. */
function withOffset(ms: number, offsetMs: number): string {
  const toText = (ms: number) => new Date(ms).toISOString().slice(0, 19)
  const offset = toText(Math.abs(offsetMs)).slice(11).replace(/:00$/, '')
  return `${toText(ms + offsetMs)}${offsetMs < 0 ? '-' : '+'}${offset}`
}

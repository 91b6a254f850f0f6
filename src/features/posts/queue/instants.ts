import { type AccountSchedule, WEEKDAYS } from '../../../../schemas/schedule.ts'
import { DAY_MS, firstInstant, offsetMsAt } from '../time-zone.ts'

export const MINUTE_MS = 60_000

/** 1970 began with a Thursday. */
const weekdayOf = (dayMs: number) => WEEKDAYS[(dayMs / DAY_MS + 3) % 7]

/**
 * The instants of a schedule from `fromMs` to before `toMs`, in order and each once. Slots that the clocks skip fall on
 * the first instant after the gap, so that several of them may be one.
 */
export function* listInstants(schedule: AccountSchedule, fromMs: number, toMs: number): Generator<number> {
  const { timeZone } = schedule
  const offsetOfDay = createOffsets(timeZone)
  const minutes = minutesOf(schedule)
  const skipped = new Set(schedule.skip)
  let lastMs = Number.NEGATIVE_INFINITY
  // Local days begin up to 14 hours before, and 12 hours after, those of UTC.
  for (let dayMs = startOfDay(fromMs) - DAY_MS; dayMs <= toMs + DAY_MS; dayMs += DAY_MS) {
    const minutesOfDay = minutes.get(weekdayOf(dayMs)!)
    if (!minutesOfDay || skipped.has(new Date(dayMs).toISOString().slice(0, 10))) continue
    const offsetMs = offsetOfDay(dayMs)
    for (const minute of minutesOfDay) {
      const shownMs = dayMs + minute * MINUTE_MS
      const ms = offsetMs === undefined ? firstInstant(shownMs, timeZone) : shownMs - offsetMs
      if (ms >= toMs) return
      if (ms < fromMs || ms === lastMs) continue
      lastMs = ms
      yield ms
    }
  }
}

const startOfDay = (ms: number) => Math.floor(ms / DAY_MS) * DAY_MS

/** The minutes of each weekday that has slots, in order. */
function minutesOf({ slots }: AccountSchedule): Map<string, number[]> {
  const minutes = new Map<string, number[]>()
  for (const { weekday, time } of slots) {
    const [hour, minute] = time.split(':').map(Number) as [number, number]
    minutes.set(weekday, [...(minutes.get(weekday) ?? []), hour * 60 + minute])
  }
  for (const list of minutes.values()) list.sort((a, b) => a - b)
  return minutes
}

/**
 * The offset of a local day; undefined if the clocks may change on it. Looking up the offsets of each slot takes 20
 * times as long.
 */
function createOffsets(timeZone: string): (dayMs: number) => number | undefined {
  const known = new Map<number, number>()
  const offsetAt = (ms: number): number => {
    const offsetMs = known.get(ms) ?? offsetMsAt(ms, timeZone)
    known.set(ms, offsetMs)
    return offsetMs
  }
  return (dayMs) => {
    const [offsetMs, ...others] = [-1, 0, 1, 2].map((days) => offsetAt(dayMs + days * DAY_MS))
    return others.every((other) => other === offsetMs) ? offsetMs : undefined
  }
}

import { locale } from '../language.ts'
import { formatLocal, toLocal } from '../time.ts'

/** The hour at which a post on a day begins, where nobody has said another one. */
const FIRST_HOUR = '09'
const STEP_MS = 5 * 60_000

/** The hours that a week shows as one row each, until somebody unfolds them. A post that is moved there gets `hour`. */
const NIGHT = [
  { from: 0, until: 7, hour: 6 },
  { from: 22, until: 24, hour: 22 },
]

/** A row of the axis of a week: an hour, or the folded hours of a night. */
export interface Row {
  from: number
  until: number
  hour: string
}

const twoDigits = (hour: number) => String(hour).padStart(2, '0')

export function rowsOf(isNightOpen: boolean): Row[] {
  const rows: Row[] = []
  for (let from = 0; from < 24; from = rows.at(-1)!.until) {
    const night = isNightOpen ? undefined : NIGHT.find((night) => night.from === from)
    rows.push(night ? { ...night, hour: twoDigits(night.hour) } : { from, until: from + 1, hour: twoDigits(from) })
  }
  return rows
}

const hours = new Intl.NumberFormat(locale, { minimumIntegerDigits: 2 })

export const rowTitle = ({ from, until }: Row) =>
  until - from > 1
    ? `${hours.format(from)}–${hours.format(until)}`
    : formatLocal(`2000-01-01T${twoDigits(from)}:00`, { timeStyle: 'short' })

/** Whether a day, or an hour of it, is not over. */
export const isOpen = (timeZone: string, day: string, hour = '23'): boolean =>
  `${day}T${hour}:59` >= toLocal(new Date(), timeZone)

/** The local time that a new post gets on a day, or within an hour of it: never one that has passed. */
export function firstTime(timeZone: string, day: string, hour = FIRST_HOUR): string {
  const wanted = `${day}T${hour}:00`
  const soon = toLocal(new Date(Math.ceil(Date.now() / STEP_MS + 1) * STEP_MS), timeZone)
  return wanted > soon ? wanted : soon
}

/** The address of the composer for a post at a local time. */
export const composeAt = (timeZone: string, time: string) =>
  `#/compose?${new URLSearchParams({ time, zone: timeZone })}`

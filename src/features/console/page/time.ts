import { locale } from './language.ts'

/** Dates are `2027-03-28`, local times `2027-03-28T09:30`, both in a named time zone. */

export const OWN_ZONE = Intl.DateTimeFormat().resolvedOptions().timeZone

export function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }) !== undefined
  } catch {
    return false
  }
}

/** The weeks around a date are in the years that the service takes, of four digits: dates are compared as texts. */
export const isDate = (text: string): boolean =>
  /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(text)) && text > '1970-02' && text < '9999-12'

const clocks = new Map<string, Intl.DateTimeFormat>()

/** The local time that an instant has in a zone. */
export function toLocal(instant: Date, timeZone: string): string {
  const clock =
    clocks.get(timeZone) ??
    new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'short', hourCycle: 'h23' })
  clocks.set(timeZone, clock)
  return clock.format(instant).replace(' ', 'T')
}

/** The instant of a local time. One that the clocks skip or show twice becomes an instant near it. */
export function toInstant(local: string, timeZone: string): Date {
  const wall = Date.parse(`${local}Z`)
  const offsetAt = (time: number) =>
    Date.parse(`${toLocal(new Date(time), timeZone)}Z`) - Math.floor(time / 60_000) * 60_000
  const guess = wall - offsetAt(wall)
  return new Date(wall - offsetAt(guess))
}

/** Whether a time has come. A post with such a time goes out as soon as it is stored. */
export const isPast = (instant: Date): boolean => instant.getTime() <= Date.now()

/** The one of two equal local times that an instant has, where the clocks of the zone are turned back. */
export function foldOf(instant: Date, timeZone: string): 'earlier' | 'later' | undefined {
  const local = toLocal(instant, timeZone)
  const isSame = (hours: number) => toLocal(new Date(instant.getTime() + hours * 3_600_000), timeZone) === local
  // Clocks are turned back by an hour, by half of one on Lord Howe, and by two in Troll.
  if ([0.5, 1, 2].some(isSame)) return 'earlier'
  return [-0.5, -1, -2].some(isSame) ? 'later' : undefined
}

/** An instant as a post has its time: as a local time if the post has a time zone. */
export function toSchedule(instant: Date, timeZone: string | undefined) {
  if (!timeZone) return { scheduledAt: instant.toISOString() }
  const fold = foldOf(instant, timeZone)
  // Seconds are the same in all zones.
  const scheduledAt = `${toLocal(instant, timeZone)}${instant.toISOString().slice(16, 19)}`
  return { scheduledAt, timeZone, ...(fold && { fold }) }
}

export const addDays = (date: string, days: number): string =>
  new Date(Date.parse(date) + days * 86_400_000).toISOString().slice(0, 10)

export function addMonths(date: string, months: number): string {
  const time = new Date(`${date.slice(0, 7)}-01T00:00Z`)
  time.setUTCMonth(time.getUTCMonth() + months)
  return time.toISOString().slice(0, 10)
}

interface WeekInfo {
  firstDay: number
}
/** Some browsers have a property in place of the function, others have neither. */
const ofWeek = new Intl.Locale(locale) as Intl.Locale & { getWeekInfo?(): WeekInfo; weekInfo?: WeekInfo }
/** 1 is Monday, 7 is Sunday. */
const FIRST_DAY = (ofWeek.getWeekInfo?.() ?? ofWeek.weekInfo)?.firstDay ?? 1

const startOfWeek = (date: string): string =>
  addDays(date, -((new Date(`${date}T00:00Z`).getUTCDay() - FIRST_DAY + 7) % 7))

/** The dates of the week of a date. */
export const weekOf = (date: string): string[] => [0, 1, 2, 3, 4, 5, 6].map((day) => addDays(startOfWeek(date), day))

/** The weeks that show a whole month, as lists of dates. */
export function weeksOf(date: string): string[][] {
  const month = date.slice(0, 7)
  const weeks: string[][] = []
  for (let first = startOfWeek(`${month}-01`); first.slice(0, 7) <= month; first = addDays(first, 7)) {
    weeks.push(weekOf(first))
  }
  return weeks
}

const formats = new Map<string, Intl.DateTimeFormat>()

/** A format takes longer to make than to use, and a calendar uses hundreds of times. */
function formatOf(options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const key = JSON.stringify(options)
  const format = formats.get(key) ?? new Intl.DateTimeFormat(locale, options)
  formats.set(key, format)
  return format
}

/** Formats a date, or a local time, in words of the language of the page. */
export const formatLocal = (local: string, options: Intl.DateTimeFormatOptions): string =>
  formatOf({ timeZone: 'UTC', ...options }).format(new Date(`${local.length > 10 ? local : `${local}T00:00`}Z`))

export const formatTime = (instant: string, timeZone: string, dateStyle?: 'medium'): string =>
  formatOf({ timeZone, ...(dateStyle && { dateStyle }), timeStyle: 'short' }).format(new Date(instant))

export const formatInstant = (instant: string, timeZone: string) => formatTime(instant, timeZone, 'medium')

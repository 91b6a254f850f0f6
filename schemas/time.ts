const RFC_3339 = /^(\d{4})-(\d\d)-(\d\d)[Tt](\d\d):(\d\d):(\d\d)(?:\.\d{1,9})?([Zz]|[+-]\d\d:\d\d)?$/

const EARLIEST = Date.UTC(1970, 0, 1)
const LATEST = Date.UTC(9999, 11, 31, 23, 59, 59, 999)

type Numbers = [year: number, month: number, day: number, hour: number, minute: number, second: number]

/**
 * Parses a time in RFC 3339 with `Z` or an offset, in the years 1970 to 9999, to the millisecond. `Date.parse` alone
 * accepts other formats as well, and turns the 30th of February into a day of March.
 */
export function parseTime(text: string): { time: Date } | { problem: string } {
  const match = RFC_3339.exec(text)
  if (!match) return invalid(findMistake(text))
  const [year, month, day, ...clock] = match.slice(1, 7).map(Number) as Numbers
  const zone = match[7]
  if (zone === undefined) return invalid('no time zone given, end it with Z or an offset such as +02:00')
  const problem = findDayProblem(year, month, day) ?? findClockProblem(...clock) ?? findOffsetProblem(zone)
  if (problem) return invalid(problem)
  const time = new Date(text.toUpperCase())
  return requireYear(time)
}

/** The time, unless it is outside of the years that are allowed. */
export const requireYear = (time: Date): { time: Date } | { problem: string } =>
  time.getTime() >= EARLIEST && time.getTime() <= LATEST ? { time } : invalid('years 1970 to 9999 are allowed')

/** The form of a date and time without a zone. `<input type="datetime-local">` leaves out seconds that are zero. */
export const LOCAL_TIME = '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d(?::\\d\\d(?:\\.\\d{1,9})?)?$'

/** The IANA names, and none of the offsets and abbreviations that `Intl` and Postgres understand differently. */
export const ZONE_NAME = '^(?:[Uu][Tt][Cc]|[A-Za-z]+(?:/[A-Za-z0-9_+-]+){1,2})$'

const LOCAL = new RegExp(LOCAL_TIME)
const WITHOUT_SECONDS = /T\d\d:\d\d$/

export const isLocalTime = (text: string): boolean => LOCAL.test(text)

/** Parses a local time. The time is the instant at which clocks of UTC show it. */
export const parseLocalTime = (text: string) => parseTime(`${text}${WITHOUT_SECONDS.test(text) ? ':00' : ''}Z`)

/** The time in a text that the format `date-time` of a schema has accepted. */
export const timeOf = (text: string): Date => (parseTime(text) as { time: Date }).time

export const invalid = (problem: string) => ({ problem: `Invalid datetime: ${problem}` })

/** Texts that are almost a time, and what to write instead. The first pattern that matches holds. */
const MISTAKES: readonly [pattern: RegExp, problem: string][] = [
  [/^\d{4}-\d\d-\d\d$/, 'the time of day is missing, write it as 2027-01-15T09:30:00Z'],
  [/^\d{4}-\d\d-\d\d +\d\d:\d\d/, 'write T between the date and the time instead of a space'],
  [/^\d{4}-\d\d-\d\dT\d\d:\d\d$/i, 'seconds are missing, and the time zone: write it as 2027-01-15T09:30:00Z'],
  [/^\d{4}-\d\d-\d\dT\d\d:\d\d(?:Z|[+-]\d\d:?\d\d)$/i, 'seconds are missing, write it as 2027-01-15T09:30:00Z'],
  [/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?[+-]\d\d(?:\d\d)?$/i, 'write the offset as hours and minutes: +02:00'],
  [/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)? *[A-Z]/i, 'end it with Z or an offset such as +02:00, without a name'],
  [/^\d{4}-\d\d-\d\dT[\d:.]+ \d\d:?\d\d$/i, 'the + of the offset is missing, write it as %2B in a query'],
  [/^\d{9,}$/, 'it is a number, write the time as 2027-01-15T09:30:00Z'],
]

const findMistake = (text: string): string =>
  MISTAKES.find(([pattern]) => pattern.test(text))?.[1] ??
  'write it as 2027-01-15T09:30:00Z, or with an offset as 2027-01-15T09:30:00+02:00'

const MONTHS = 'January February March April May June July August September October November December'.split(' ')

function findDayProblem(year: number, month: number, day: number): string | undefined {
  const name = MONTHS[month - 1]
  if (name === undefined) return `month ${month} does not exist`
  // Leap years repeat after 400 years, and Date.UTC takes years below 100 for those of the last century.
  const last = new Date(Date.UTC(2000 + (year % 400), month, 0)).getUTCDate()
  if (day >= 1 && day <= last) return undefined
  return `${day} ${name} does not exist${month === 2 && day === 29 ? ` in ${year}` : ''}`
}

function findClockProblem(hour: number, minute: number, second: number): string | undefined {
  if (hour > 23) return `hour ${hour} does not exist, hours are 00 to 23`
  if (minute > 59) return `minute ${minute} does not exist, minutes are 00 to 59`
  return second > 59 ? `second ${second} does not exist, seconds are 00 to 59` : undefined
}

function findOffsetProblem(zone: string): string | undefined {
  const exists = zone.length === 1 || (Number(zone.slice(1, 3)) <= 23 && Number(zone.slice(4)) <= 59)
  return exists ? undefined : `the offset ${zone} does not exist`
}

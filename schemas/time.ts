const RFC_3339 = /^(\d{4})-(\d\d)-(\d\d)[Tt](\d\d):(\d\d):(\d\d)(?:\.\d{1,9})?([Zz]|[+-]\d\d:\d\d)?$/

const EARLIEST = Date.UTC(1970, 0, 1)
const LATEST = Date.UTC(9999, 11, 31, 23, 59, 59, 999)

/**
 * Parses a time in RFC 3339 with `Z` or an offset, in the years 1970 to 9999, to the millisecond. `Date.parse` alone
 * accepts other formats as well, and turns the 30th of February into a day of March.
 */
export function parseTime(text: string): { time: Date } | { problem: string } {
  const match = RFC_3339.exec(text)
  if (!match) return { problem: 'Invalid datetime' }
  const [year, month, day, hour, minute, second] = match.slice(1, 7).map(Number) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ]
  const zone = match[7]
  if (zone === undefined) {
    return { problem: 'Invalid datetime: no time zone given, end it with Z or an offset such as +02:00' }
  }
  const isDay =
    month >= 1 && month <= 12 && day >= 1 && day <= new Date(Date.UTC(2000 + (year % 400), month, 0)).getUTCDate()
  const isZone = zone.length === 1 || (Number(zone.slice(1, 3)) <= 23 && Number(zone.slice(4)) <= 59)
  if (!isDay || hour > 23 || minute > 59 || second > 59 || !isZone) return { problem: 'Invalid datetime' }
  const time = new Date(text.toUpperCase())
  if (!(time.getTime() >= EARLIEST && time.getTime() <= LATEST)) {
    return { problem: 'Invalid datetime: years 1970 to 9999 are allowed' }
  }
  return { time }
}

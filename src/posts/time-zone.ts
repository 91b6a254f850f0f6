/** The IANA names, and none of the offsets and abbreviations that `Intl` and Postgres understand differently. */
const ZONE_NAME = /^(?:UTC|[A-Za-z]+(?:\/[A-Za-z0-9_+-]+){1,2})$/

export function isTimeZone(name: string): boolean {
  try {
    return ZONE_NAME.test(name) && Boolean(new Intl.DateTimeFormat('en', { timeZone: name }))
  } catch {
    return false
  }
}

export const unknownZoneMessage = (name: string) =>
  `Unknown time zone '${name.slice(0, 64)}': use a name such as Europe/Berlin`

const LOCAL_TIME = /^(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d)(:\d\d)?$/
const DAY_MS = 86_400_000

/** Whether a text has the form of a date and time without a zone, with or without seconds. */
export const isLocalTime = (text: string): boolean => LOCAL_TIME.test(text)

/**
 * The instant at which the clocks of a time zone show a local time. When the clocks change, a local time may not exist
 * or may occur twice.
 */
export function toInstant(text: string, timeZone: string): { time: Date } | { problem: string } {
  const [, day, minutes, seconds = ':00'] = LOCAL_TIME.exec(text) ?? []
  const local = `${day}T${minutes}${seconds}`
  const shownMs = Date.parse(`${local}Z`)
  // Date.parse turns the 30th of February into a day of March.
  if (Number.isNaN(shownMs) || !new Date(shownMs).toISOString().startsWith(local)) {
    return { problem: `'${text}' is not a date and time` }
  }
  const offsetsMs = new Set([-DAY_MS, DAY_MS].map((distance) => offsetMsAt(shownMs + distance, timeZone)))
  const times = [...offsetsMs]
    .map((offsetMs) => shownMs - offsetMs)
    .filter((ms) => ms + offsetMsAt(ms, timeZone) === shownMs)
  if (times.length === 0) {
    return { problem: `${day} ${minutes} does not exist in ${timeZone}: the clocks are put forward` }
  }
  if (times.length > 1) {
    const instants = times.map((ms) => new Date(ms).toISOString().replace('.000', ''))
    const choice = instants.toSorted().join(' or ')
    return {
      problem: `${day} ${minutes} occurs twice in ${timeZone}, because the clocks are put back: write ${choice}`,
    }
  }
  return { time: new Date(times[0]!) }
}

/** How far the clocks of a time zone are ahead of UTC at an instant. */
function offsetMsAt(ms: number, timeZone: string): number {
  const parts = formatterOf(timeZone).formatToParts(ms)
  const numberOf = (type: string) => Number(parts.find((part) => part.type === type)!.value)
  const shown = Date.UTC(
    ...([numberOf('year'), numberOf('month') - 1, numberOf('day')] as const),
    ...([numberOf('hour'), numberOf('minute'), numberOf('second')] as const),
  )
  return shown - Math.floor(ms / 1_000) * 1_000
}

const formatters = new Map<string, Intl.DateTimeFormat>()

function formatterOf(timeZone: string): Intl.DateTimeFormat {
  let formatter = formatters.get(timeZone)
  if (!formatter) {
    const numeric = { year: 'numeric', month: 'numeric', day: 'numeric', hour: 'numeric', minute: 'numeric' } as const
    formatter = new Intl.DateTimeFormat('en-US', { timeZone, hourCycle: 'h23', ...numeric, second: 'numeric' })
    formatters.set(timeZone, formatter)
  }
  return formatter
}

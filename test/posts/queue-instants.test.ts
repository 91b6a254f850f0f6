import fc from 'fast-check'
import t from 'tap'
import { WEEKDAYS, type WeeklySlot } from '../../schemas/schedule.ts'
import { listInstants } from '../../src/features/posts/queue/instants.ts'

const MINUTE_MS = 60_000
const DAY_MS = 86_400_000

const listed = (schedule: Parameters<typeof listInstants>[0], from: string, to: string) =>
  listInstants(schedule, Date.parse(from), Date.parse(to))
    .map((ms) => new Date(ms).toISOString().replace(':00.000', ''))
    .toArray()

const everyDay = (...times: string[]): WeeklySlot[] =>
  WEEKDAYS.flatMap((weekday) => times.map((time) => ({ weekday, time })))

t.test('a slot stays at its time on the clocks of the zone', async (t) => {
  const slots: WeeklySlot[] = [
    { weekday: 'sunday', time: '09:30' },
    { weekday: 'monday', time: '00:00' },
  ]
  t.strictSame(listed({ timeZone: 'Europe/Berlin', slots, skip: [] }, '2027-03-20T00:00:00Z', '2027-03-30T00:00:00Z'), [
    '2027-03-21T08:30Z',
    '2027-03-21T23:00Z',
    '2027-03-28T07:30Z',
    '2027-03-28T22:00Z',
  ])
  t.strictSame(
    listed({ timeZone: 'Europe/Berlin', slots, skip: ['2027-03-21'] }, '2027-03-20T00:00:00Z', '2027-03-28T07:30:00Z'),
    ['2027-03-21T23:00Z'],
    'a skipped date is a local one, and the end is not included',
  )
})

t.test(
  'a slot that the clocks skip is the first instant after the gap, one with others, and the first of two',
  async (t) => {
    const cases: [zone: string, day: string, times: string[], instants: string[]][] = [
      ['Europe/Berlin', '2027-03-28', ['01:59', '02:00', '02:30', '03:00', '03:01'], ['00:59', '01:00', '01:01']],
      ['Europe/Berlin', '2027-10-31', ['01:59', '02:30', '03:00'], ['-1 23:59', '00:30', '02:00']],
      ['America/New_York', '2027-03-14', ['02:15', '03:30'], ['07:00', '07:30']],
      ['America/New_York', '2027-11-07', ['01:30', '02:00'], ['05:30', '07:00']],
      // The southern hemisphere.
      ['America/Santiago', '2027-09-05', ['00:30', '01:00'], ['04:00']],
      ['Australia/Sydney', '2027-04-04', ['02:30', '03:00'], ['-1 15:30', '-1 17:00']],
      // Lord Howe changes its clocks by half an hour.
      ['Australia/Lord_Howe', '2027-10-03', ['02:00', '02:15', '02:30'], ['-1 15:30']],
      ['Australia/Lord_Howe', '2027-04-04', ['01:45', '02:00'], ['-1 14:45', '-1 15:30']],
      // Morocco puts its clocks back for Ramadan.
      ['Africa/Casablanca', '2025-02-23', ['02:30', '03:00'], ['01:30', '03:00']],
      ['Africa/Casablanca', '2025-04-06', ['02:30', '03:00'], ['02:00']],
      // Zones that have abolished daylight saving time.
      ['America/Mexico_City', '2022-04-03', ['02:30'], ['08:00']],
      ['America/Mexico_City', '2023-04-02', ['02:30'], ['08:30']],
      ['America/Asuncion', '2024-10-06', ['00:30'], ['04:00']],
      ['America/Asuncion', '2025-10-05', ['00:30'], ['03:30']],
      // Samoa had no 30 December 2011.
      ['Pacific/Apia', '2011-12-30', ['09:00', '18:00'], ['10:00']],
    ]
    for (const [timeZone, day, times, expected] of cases) {
      const dayMs = Date.parse(day)
      const slots = everyDay(...times).filter(({ weekday }) => weekday === WEEKDAYS[(dayMs / DAY_MS + 3) % 7])
      const instants = listInstants({ timeZone, slots, skip: [] }, dayMs - DAY_MS, dayMs + 2 * DAY_MS).toArray()
      const wanted = expected.map((text) => {
        const [time, before] = text.split(' ').reverse() as [string, string?]
        return new Date(Date.parse(`${day}T${time}Z`) - (before ? DAY_MS : 0)).toISOString()
      })
      t.strictSame(
        instants.map((ms) => new Date(ms).toISOString()),
        wanted,
        `${timeZone} ${day}`,
      )
    }
  },
)

const ZONES = [
  ...['UTC', 'Europe/Berlin', 'Europe/Moscow', 'America/New_York', 'America/Nuuk', 'America/Santiago', 'Asia/Tehran'],
  ...['America/Mexico_City', 'Africa/Casablanca', 'Africa/Cairo', 'Asia/Kathmandu', 'Australia/Lord_Howe'],
  ...['Australia/Sydney', 'Pacific/Apia', 'Pacific/Kiritimati', 'Antarctica/Troll'],
]

/** Reads the clocks of a zone in another way than the service. */
function clockReader(timeZone: string) {
  // Swedish dates have the form of the standard.
  const format = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'short' })
  return (ms: number) => format.format(ms).replace(' ', 'T')
}

/**
 * The instants by definition: a slot of a local date is the first minute at which the clocks show its time or a later
 * one.
 */
function defined(timeZone: string, slots: WeeklySlot[], skip: string[], fromMs: number, toMs: number): number[] {
  const shownAt = clockReader(timeZone)
  const wanted = new Set<string>()
  for (let dayMs = fromMs - 2 * DAY_MS; dayMs < toMs + 2 * DAY_MS; dayMs += DAY_MS) {
    const date = new Date(dayMs).toISOString().slice(0, 10)
    const weekday = WEEKDAYS[(Date.parse(date) / DAY_MS + 3) % 7]
    if (skip.includes(date)) continue
    for (const slot of slots) if (slot.weekday === weekday) wanted.add(`${date}T${slot.time}`)
  }
  const open = [...wanted].sort()
  const instants: number[] = []
  for (let ms = fromMs - 4 * DAY_MS; ms < toMs && open.length > 0; ms += MINUTE_MS) {
    const shown = shownAt(ms)
    let isSlot = false
    for (; open.length > 0 && open[0]! <= shown; open.shift()) isSlot = true
    if (isSlot && ms >= fromMs) instants.push(ms)
  }
  return instants
}

t.test('the instants of every zone are those of its clocks', async () => {
  const time = fc
    .tuple(fc.integer({ min: 0, max: 23 }), fc.constantFrom('00', '15', '30', '59'))
    .map(([hour, minute]) => `${String(hour).padStart(2, '0')}:${minute}`)
  const slots = fc.uniqueArray(fc.record({ weekday: fc.constantFrom(...WEEKDAYS), time }), {
    maxLength: 20,
    selector: ({ weekday, time }) => weekday + time,
  })
  const day = fc.integer({ min: Date.UTC(2010, 0, 1) / DAY_MS, max: Date.UTC(2030, 0, 1) / DAY_MS })
  // Every change of the clocks of these zones is at the end of a week.
  const saturday = day.map((day) => day - ((day + 5) % 7))
  fc.assert(
    fc.property(
      fc.constantFrom(...ZONES),
      slots,
      fc.oneof(day, saturday),
      fc.boolean(),
      (timeZone, slots, day, skips) => {
        const fromMs = day * DAY_MS
        const toMs = fromMs + 3 * DAY_MS
        const skip = skips ? [new Date(fromMs + DAY_MS).toISOString().slice(0, 10)] : []
        const instants = listInstants({ timeZone, slots, skip }, fromMs, toMs).toArray()
        return String(instants) === String(defined(timeZone, slots, skip, fromMs, toMs))
      },
    ),
    { numRuns: 150 },
  )
})

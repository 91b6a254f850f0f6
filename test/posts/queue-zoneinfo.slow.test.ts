import { spawn } from 'node:child_process'
import { json } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { WEEKDAYS } from '../../schemas/schedule.ts'
import { listInstants } from '../../src/features/posts/queue/instants.ts'
import { needsPython } from '../helpers/python-client.ts'

const SCRIPT = fileURLToPath(new URL('zone-instants.py', import.meta.url))
const MINUTE_MS = 60_000
const DAY_MS = 86_400_000

const TIMES = [
  '00:00',
  '00:20',
  '00:59',
  '01:00',
  '01:45',
  '02:00',
  '02:15',
  '02:30',
  '03:00',
  '03:01',
  '12:00',
  '23:59',
]
const slots = WEEKDAYS.flatMap((weekday) => TIMES.map((time) => ({ weekday, time })))

/** Days from the first one in UTC on, and the minutes since 1970 at which there are slots. */
type Window = [zone: string, day: number, days: number, minutes: number[]]

/** Versions of the zones agree about these years. They differ about Moldova from 2022 on. */
const YEARS = [2005, 2021]

async function runPython(): Promise<Window[]> {
  const python = spawn('python3', [SCRIPT], { stdio: ['pipe', 'pipe', 'inherit'] })
  python.stdin.end(JSON.stringify({ zones: Intl.supportedValuesOf('timeZone'), times: TIMES, years: YEARS }))
  return (await json(python.stdout)) as Window[]
}

t.test(
  'the slots of every zone are those of Python’s zoneinfo, around each change of the clocks',
  needsPython,
  async (t) => {
    const windows = await runPython()
    const different = windows.flatMap(([timeZone, day, days, minutes]) => {
      const fromMs = day * DAY_MS
      const found = listInstants({ timeZone, slots, skip: [] }, fromMs, fromMs + days * DAY_MS)
        .map((ms) => ms / MINUTE_MS)
        .toArray()
      return String(found) === String(minutes) ? [] : [`${timeZone} ${new Date(fromMs).toISOString().slice(0, 10)}`]
    })
    t.strictSame(different, [])
    const zones = Map.groupBy(windows, ([zone]) => zone)
    // Zones without a change have the week alone.
    t.ok(zones.size > 400, `${zones.size} zones`)
    for (const zone of [
      'Europe/Berlin',
      'America/Santiago',
      'Australia/Lord_Howe',
      'Africa/Casablanca',
      'Pacific/Apia',
    ]) {
      t.ok(zones.get(zone)!.length > 10, `${zone} changes its clocks`)
    }
    t.comment(`${zones.size} zones, ${windows.length} windows`)
  },
)

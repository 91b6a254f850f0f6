import fc from 'fast-check'
import t from 'tap'
import { isTimeZone, nameZone, toInstant, unknownZoneMessage } from '../../src/features/posts/time-zone.ts'

const ZONES = ['UTC', 'Europe/Berlin', 'America/New_York', 'Asia/Kathmandu', 'Australia/Lord_Howe', 'Pacific/Apia']

const instant = (...args: Parameters<typeof toInstant>) => {
  const result = toInstant(...args)
  return 'time' in result ? result.time.toISOString() : result.problem
}

t.test('a local time is the instant at which the clocks of the zone show it', async (t) => {
  const cases: [text: string, zone: string, expected: string][] = [
    ['2027-01-15T09:30', 'Europe/Berlin', '2027-01-15T08:30:00.000Z'],
    ['2027-07-15T09:30:15', 'Europe/Berlin', '2027-07-15T07:30:15.000Z'],
    ['2027-07-15T09:30:15.1239', 'Europe/Berlin', '2027-07-15T07:30:15.123Z'],
    ['2027-01-15T00:00', 'Asia/Kathmandu', '2027-01-14T18:15:00.000Z'],
    ['2027-03-28T01:59:59.999', 'Europe/Berlin', '2027-03-28T00:59:59.999Z'],
    ['2027-03-28T03:00', 'Europe/Berlin', '2027-03-28T01:00:00.000Z'],
    ['2027-10-31T03:00', 'Europe/Berlin', '2027-10-31T02:00:00.000Z'],
    ['2027-02-28T12:00', 'US/Pacific', '2027-02-28T20:00:00.000Z'],
    ['2027-02-28T12:00', 'america/los_angeles', '2027-02-28T20:00:00.000Z'],
    ['2027-01-15T12:00', 'Etc/GMT+5', '2027-01-15T17:00:00.000Z'],
    // Lord Howe changes its clocks by half an hour.
    ['2027-04-04T02:00', 'Australia/Lord_Howe', '2027-04-03T15:30:00.000Z'],
    ['2027-10-03T02:30', 'Australia/Lord_Howe', '2027-10-02T15:30:00.000Z'],
    // Morocco put its clocks back during Ramadan.
    ['2025-03-15T12:00', 'Africa/Casablanca', '2025-03-15T12:00:00.000Z'],
    ['2025-06-20T12:00', 'Africa/Casablanca', '2025-06-20T11:00:00.000Z'],
    // Samoa had no 30 December 2011.
    ['2011-12-29T23:59:59', 'Pacific/Apia', '2011-12-30T09:59:59.000Z'],
    ['2011-12-31T00:00', 'Pacific/Apia', '2011-12-30T10:00:00.000Z'],
    // Zones that have changed their offset for good.
    ['2011-04-01T12:00', 'Europe/Moscow', '2011-04-01T08:00:00.000Z'],
    ['2015-04-01T12:00', 'Europe/Moscow', '2015-04-01T09:00:00.000Z'],
    ['2016-05-01T12:00', 'America/Caracas', '2016-05-01T16:00:00.000Z'],
    ['1970-01-01T12:00', 'Europe/London', '1970-01-01T11:00:00.000Z'],
    ['1972-01-01T12:00', 'Africa/Monrovia', '1972-01-01T12:44:30.000Z'],
    ['9999-07-01T12:00', 'Europe/Berlin', '9999-07-01T10:00:00.000Z'],
    ['9999-12-31T23:59:59.999', 'UTC', '9999-12-31T23:59:59.999Z'],
    ['9999-12-31T23:30', 'America/New_York', 'Invalid datetime: years 1970 to 9999 are allowed'],
    ['1970-01-01T00:30', 'Europe/Berlin', 'Invalid datetime: years 1970 to 9999 are allowed'],
    ['2027-02-30T09:30', 'Europe/Berlin', 'Invalid datetime: 30 February does not exist'],
    ['2027-02-28T24:00', 'Europe/Berlin', 'Invalid datetime: hour 24 does not exist, hours are 00 to 23'],
  ]
  for (const [text, zone, expected] of cases) t.equal(instant(text, zone), expected, `${text} ${zone}`)
})

t.test('a local time that the clocks skip or show twice names both instants, of which fold chooses one', async (t) => {
  const skipped = 'does not exist'
  const doubled = 'occurs twice'
  const cases: [text: string, zone: string, kind: string, earlier: string, later: string][] = [
    ['2027-03-28T02:30:00', 'Europe/Berlin', skipped, '2027-03-28T01:30:00+01:00', '2027-03-28T03:30:00+02:00'],
    ['2027-10-31T02:30:00', 'Europe/Berlin', doubled, '2027-10-31T02:30:00+02:00', '2027-10-31T02:30:00+01:00'],
    ['2027-10-31T02:00', 'Europe/Berlin', doubled, '2027-10-31T02:00:00+02:00', '2027-10-31T02:00:00+01:00'],
    ['2027-03-14T02:00', 'America/New_York', skipped, '2027-03-14T01:00:00-05:00', '2027-03-14T03:00:00-04:00'],
    ['2027-11-07T01:59', 'America/New_York', doubled, '2027-11-07T01:59:00-04:00', '2027-11-07T01:59:00-05:00'],
    ['2027-04-04T01:45', 'Australia/Lord_Howe', doubled, '2027-04-04T01:45:00+11:00', '2027-04-04T01:45:00+10:30'],
    ['2027-10-03T02:15', 'Australia/Lord_Howe', skipped, '2027-10-03T01:45:00+10:30', '2027-10-03T02:45:00+11:00'],
    ['2025-02-23T02:30', 'Africa/Casablanca', doubled, '2025-02-23T02:30:00+01:00', '2025-02-23T02:30:00+00:00'],
    ['2025-04-06T02:30', 'Africa/Casablanca', skipped, '2025-04-06T01:30:00+00:00', '2025-04-06T03:30:00+01:00'],
    ['2011-12-30T12:00', 'Pacific/Apia', skipped, '2011-12-29T12:00:00-10:00', '2011-12-31T12:00:00+14:00'],
    ['2014-10-26T01:30', 'Europe/Moscow', doubled, '2014-10-26T01:30:00+04:00', '2014-10-26T01:30:00+03:00'],
    // America/Godthab is the former name of America/Nuuk.
    ['2025-03-29T23:30', 'America/Godthab', skipped, '2025-03-29T22:30:00-02:00', '2025-03-30T00:30:00-01:00'],
    ['9999-10-31T02:30', 'Europe/Berlin', doubled, '9999-10-31T02:30:00+02:00', '9999-10-31T02:30:00+01:00'],
  ]
  for (const [text, zone, kind, earlier, later] of cases) {
    const direction = kind === skipped ? 'forward' : 'back'
    const reason = `${text} ${kind} in ${zone}, because the clocks are put ${direction}`
    const mend = `set fold to 'earlier' for ${earlier} or to 'later' for ${later}`
    t.equal(instant(text, zone), `Invalid datetime: ${reason}: ${mend}`)
    t.strictSame(
      [instant(text, zone, 'earlier'), instant(text, zone, 'later')],
      [earlier, later].map((time) => new Date(time).toISOString()),
      `${text} ${zone}`,
    )
  }
  t.equal(
    instant('2027-01-15T09:30', 'Europe/Berlin', 'later'),
    '2027-01-15T08:30:00.000Z',
    'fold changes no other time',
  )
})

t.test('every instant is found by its local time, except where that occurs twice', async () => {
  const minute = fc.integer({ min: Date.UTC(1980, 0, 1) / 60_000, max: Date.UTC(2040, 0, 1) / 60_000 })
  fc.assert(
    fc.property(minute, fc.constantFrom(...ZONES), (minute, timeZone) => {
      const ms = minute * 60_000
      // Swedish dates have the form of the standard.
      const local = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'medium' }).format(ms)
      const text = local.replace(' ', 'T')
      const result = toInstant(text, timeZone)
      if ('time' in result) return result.time.getTime() === ms
      const named = [...result.problem.matchAll(/\S+T\S+[+-]\d\d:\d\d/g)].map(([time]) => Date.parse(time))
      return named.length === 2 && named.includes(ms)
    }),
    { numRuns: 2_000 },
  )
})

t.test('only IANA names are time zones, in any case', async (t) => {
  for (const name of [...ZONES, 'US/Pacific', 'us/pacific', 'europe/BERLIN', 'utc']) t.ok(isTimeZone(name), name)
  for (const name of ['CET', 'EST5EDT', '+02:00', 'Europe/Atlantis', 'berlin', '']) t.notOk(isTimeZone(name), name)
  t.strictSame(
    ['europe/BERLIN', 'US/Pacific', 'Asia/Kolkata', 'utc'].map(nameZone),
    ['Europe/Berlin', 'US/Pacific', 'Asia/Kolkata', 'UTC'],
    'the database corrects the case, and does not replace an older or newer name',
  )
  const suggestions = [
    ['Europe/Berln', 'Europe/Berlin'],
    ['berlin', 'Europe/Berlin'],
    ['new york', 'America/New_York'],
    ['Japan', 'Asia/Tokyo'],
    ['+02:00', 'Europe/Berlin'],
    ['?'.repeat(1_000), 'Europe/Berlin'],
  ]
  for (const [name, zone] of suggestions) {
    t.equal(unknownZoneMessage(name!), `Unknown time zone '${name!.slice(0, 64)}': use a name such as ${zone}`)
  }
})

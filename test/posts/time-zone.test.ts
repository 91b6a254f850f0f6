import fc from 'fast-check'
import t from 'tap'
import { isTimeZone, toInstant } from '../../src/posts/time-zone.ts'

const ZONES = ['UTC', 'Europe/Berlin', 'America/New_York', 'Asia/Kathmandu', 'Australia/Lord_Howe', 'Pacific/Apia']

t.test('a local time is the instant at which the clocks of the zone show it', async (t) => {
  const instant = (text: string, zone: string) => {
    const result = toInstant(text, zone)
    return 'time' in result ? result.time.toISOString() : result.problem
  }
  t.equal(instant('2027-01-15 09:30', 'Europe/Berlin'), '2027-01-15T08:30:00.000Z')
  t.equal(instant('2027-07-15T09:30:15', 'Europe/Berlin'), '2027-07-15T07:30:15.000Z')
  t.equal(instant('2027-01-15 00:00', 'Asia/Kathmandu'), '2027-01-14T18:15:00.000Z')
  t.equal(
    instant('2027-03-28 02:30', 'Europe/Berlin'),
    '2027-03-28 02:30 does not exist in Europe/Berlin: the clocks are put forward',
  )
  t.equal(
    instant('2027-10-31 02:30', 'Europe/Berlin'),
    '2027-10-31 02:30 occurs twice in Europe/Berlin, because the clocks are put back: write 2027-10-31T00:30:00Z or 2027-10-31T01:30:00Z',
  )
  t.equal(instant('2027-03-28 03:00', 'Europe/Berlin'), '2027-03-28T01:00:00.000Z', 'the first time after the gap')
  t.equal(instant('2027-10-31 03:00', 'Europe/Berlin'), '2027-10-31T02:00:00.000Z', 'the first time after both')
  t.match(instant('2011-12-30 12:00', 'Pacific/Apia'), /does not exist/, 'a whole day was left out')
  for (const text of ['2027-02-30 09:30', '2027-01-15 24:00', '2027-01-15 09:60', '2027-13-01 09:00']) {
    t.equal(instant(text, 'UTC'), `'${text}' is not a date and time`)
  }
})

t.test('every instant is found by its local time, except where that occurs twice', async () => {
  const minute = fc.integer({ min: Date.UTC(1980, 0, 1) / 60_000, max: Date.UTC(2040, 0, 1) / 60_000 })
  fc.assert(
    fc.property(minute, fc.constantFrom(...ZONES), (minute, timeZone) => {
      const ms = minute * 60_000
      // Swedish dates have the form of the standard.
      const local = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'medium' }).format(ms)
      const result = toInstant(local, timeZone)
      const hasFound = 'time' in result && result.time.getTime() === ms
      const isTold = 'problem' in result && result.problem.includes(new Date(ms).toISOString().slice(0, 19))
      return hasFound || isTold
    }),
    { numRuns: 2_000 },
  )
})

t.test('only IANA names are time zones', async (t) => {
  for (const name of ZONES) t.ok(isTimeZone(name), name)
  for (const name of ['CET', 'EST5EDT', '+02:00', 'Europe/Atlantis', 'berlin', '']) t.notOk(isTimeZone(name), name)
})

import t from 'tap'
import { createWorld } from '../helpers/app.ts'

const WHOLE = 'write it as 2027-01-15T09:30:00Z'
const MEND = ', or name the zone in timeZone, such as Europe/Berlin'

t.test('a wrong time is refused with what is wrong and what to write instead', async (t) => {
  const { user } = await createWorld(t)
  const ada = await user()
  const account = await ada.account('x')
  const cases: [text: string, problem: string][] = [
    ['2027-01-15T09:30Z', `seconds are missing, ${WHOLE}`],
    ['2027-01-15T09:30+02:00', `seconds are missing, ${WHOLE}`],
    ['2027-01-15T09:30', `seconds are missing, and the time zone: ${WHOLE}${MEND}`],
    ['2027-01-15T09:30:00', `no time zone given, end it with Z or an offset such as +02:00${MEND}`],
    ['2027-01-15T09:30:00.123', `no time zone given, end it with Z or an offset such as +02:00${MEND}`],
    ['2027-01-15', `the time of day is missing, ${WHOLE}`],
    ['2027-01-15 09:30:00Z', 'write T between the date and the time instead of a space'],
    ['2027-01-15 09:30', 'write T between the date and the time instead of a space'],
    ['2027-02-30T09:30:00Z', '30 February does not exist'],
    ['2027-02-29T09:30:00Z', '29 February does not exist in 2027'],
    ['2027-04-31T09:30:00+02:00', '31 April does not exist'],
    ['2027-12-00T09:30:00Z', '0 December does not exist'],
    ['2027-13-01T09:30:00Z', 'month 13 does not exist'],
    ['2027-00-01T09:30:00Z', 'month 0 does not exist'],
    ['2027-01-15T24:00:00Z', 'hour 24 does not exist, hours are 00 to 23'],
    ['2027-01-15T09:60:00Z', 'minute 60 does not exist, minutes are 00 to 59'],
    ['2027-01-15T09:30:60Z', 'second 60 does not exist, seconds are 00 to 59'],
    ['2027-01-15T09:30:00+24:00', 'the offset +24:00 does not exist'],
    ['2027-01-15T09:30:00+0200', 'write the offset as hours and minutes: +02:00'],
    ['2027-01-15T09:30:00-02', 'write the offset as hours and minutes: +02:00'],
    ['2027-01-15T09:30:00 UTC', 'end it with Z or an offset such as +02:00, without a name'],
    ['2027-01-15T09:30:00Europe/Berlin', 'end it with Z or an offset such as +02:00, without a name'],
    ['2027-01-15T09:30:00 02:00', 'the + of the offset is missing, write it as %2B in a query'],
    ['1800000000', `it is a number, write the time as 2027-01-15T09:30:00Z`],
    ['1800-01-15T09:30:00Z', 'years 1970 to 9999 are allowed'],
    ['tomorrow', `${WHOLE}, or with an offset as 2027-01-15T09:30:00+02:00`],
  ]
  for (const [scheduledAt, problem] of cases) {
    const { status, body } = await ada.call('POST', '/posts', { accountIds: [account], scheduledAt })
    const message = `Invalid datetime: ${problem}`
    const issue = { code: 'invalid_string', validation: 'datetime', path: ['scheduledAt'], message }
    t.strictSame([status, body.details], [400, [issue]], scheduledAt)
  }
})

t.test('a time in a query whose + became a space is refused with how to write it', async (t) => {
  const { user } = await createWorld(t)
  const ada = await user()
  const list = (time: string) => ada.call('GET', `/posts?scheduledFrom=${time}`)
  const { status, body } = await list('2027-03-01T00:00:00+01:00')
  const message = 'Invalid datetime: the + of the offset is missing, write it as %2B in a query'
  t.match([status, body.details], [400, [{ path: ['scheduledFrom'], message }]])
  t.equal((await list('2027-03-01T00:00:00%2B01:00')).status, 200)
})

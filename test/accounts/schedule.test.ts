import t, { type Test } from 'tap'
import { createKey } from '../../src/features/auth/create-key.ts'
import { call, createWorld, type Person } from '../helpers/app.ts'

const SCHEDULE = {
  timeZone: 'europe/berlin',
  slots: [
    { weekday: 'tuesday', time: '17:00' },
    { weekday: 'monday', time: '09:30' },
    { weekday: 'tuesday', time: '09:00' },
  ],
}
const STORED = {
  timeZone: 'Europe/Berlin',
  slots: [SCHEDULE.slots[1], SCHEDULE.slots[2], SCHEDULE.slots[0]],
  skip: [],
}

async function createScene(t: Test) {
  const world = await createWorld(t)
  const ada = await world.user()
  const account = await ada.account('x')
  const put = (body: object, person: Person = ada, id = account) => person.call('PUT', `/accounts/${id}/schedule`, body)
  return { ...world, ada, account, put }
}

t.test('a schedule is stored in the order of the week, and replaced as a whole', async (t) => {
  const { ada, account, put } = await createScene(t)
  const missing = await ada.call('GET', `/accounts/${account}/schedule`)
  t.strictSame([missing.status, missing.headers['x-error-code']], [404, 'schedule_not_found'])
  t.match(missing.body.error, `PUT /api/v1/accounts/${account}/schedule`)

  const stored = await put(SCHEDULE)
  t.strictSame([stored.status, stored.body], [200, STORED])
  const read = await ada.call('GET', `/accounts/${account}/schedule`)
  t.strictSame([read.status, read.body, read.headers.etag], [200, STORED, stored.headers.etag])

  const skipping = await put({ ...SCHEDULE, skip: ['2027-12-25', '2027-01-01'] })
  t.strictSame(skipping.body, { ...STORED, skip: ['2027-01-01', '2027-12-25'] })
  t.not(skipping.headers.etag, stored.headers.etag)
})

t.test('a schedule with a mistake is rejected, and the one before stays', async (t) => {
  const { ada, account, put } = await createScene(t)
  await put(SCHEDULE)
  const [slot] = SCHEDULE.slots
  const cases: [body: object, path: string, message: RegExp][] = [
    [{ slots: [] }, 'timeZone', /Required/],
    [{ ...SCHEDULE, timeZone: 'Europe/Berln' }, 'timeZone', /use a name such as Europe\/Berlin/],
    [{ ...SCHEDULE, timeZone: 'CET' }, 'timeZone', /Unknown time zone/],
    [{ ...SCHEDULE, slots: [slot, slot] }, 'slots.1', /Repeats an earlier item: tuesday 17:00/],
    [{ ...SCHEDULE, slots: Array(169).fill(slot) }, 'slots', /at most 168/],
    [{ ...SCHEDULE, slots: Array(9_000).fill(slot) }, 'slots', /at most 168/],
    [{ ...SCHEDULE, slots: Array(10_000).fill(slot) }, '', /more than 20000 keys/],
    [{ ...SCHEDULE, slots: [{ weekday: 'Monday', time: '09:30' }] }, 'slots.0.weekday', /Did you mean 'monday'/],
    [{ ...SCHEDULE, slots: [{ weekday: 'monday', time: '24:00' }] }, 'slots.0.time', /from 00:00 to 23:59/],
    [{ ...SCHEDULE, slots: [{ weekday: 'monday', time: '9:30' }] }, 'slots.0.time', /such as 09:30/],
    [{ ...SCHEDULE, skip: ['2027-02-30'] }, 'skip.0', /30 February does not exist/],
    [{ ...SCHEDULE, skip: ['2027-01-01', '2027-01-01'] }, 'skip.1', /Repeats/],
    [{ ...SCHEDULE, skip: Array(10_000).fill('2027-01-01') }, 'skip', /at most 366/],
    [{ ...SCHEDULE, times: [] }, '', /Unrecognized key/],
  ]
  for (const [body, path, message] of cases) {
    const { status, body: response } = await put(body)
    t.strictSame([status, response.details?.[0].path.join('.')], [400, path], String(message))
    t.match(response.details[0].message, message)
  }
  t.strictSame((await ada.call('GET', `/accounts/${account}/schedule`)).body, STORED)
})

t.test('everybody who may post to the account shares its schedule, and nobody else sees it', async (t) => {
  const { db, app, ada, put, user, organization } = await createScene(t)
  const [bob, eve] = [await user(), await user()]
  const shared = await ada.account('x', { organizationId: await organization(ada, bob) })
  t.equal((await put(SCHEDULE, bob, shared)).status, 200)
  t.strictSame((await ada.call('GET', `/accounts/${shared}/schedule`)).body, STORED)

  const other = await ada.account('x')
  const { key } = await createKey(db, { userId: ada.id, name: null, expiresAt: null, accountIds: [other] })
  const limited = { ...ada, call: (...request: Parameters<Person['call']>) => call(app, key, ...request) }
  for (const person of [eve, limited]) {
    const replies = [
      await put({ ...SCHEDULE, slots: [] }, person, shared),
      await person.call('GET', `/accounts/${shared}/schedule`),
      await person.call('GET', `/accounts/${shared}/slots`),
    ]
    t.strictSame(
      replies.map(({ status, headers }) => [status, headers['x-error-code']]),
      replies.map(() => [404, 'account_not_found']),
    )
  }
  t.equal((await put(SCHEDULE, limited, other)).status, 200)
  t.strictSame((await ada.call('GET', `/accounts/${shared}/schedule`)).body, STORED)
})

t.test('slots are listed with the posts that take them', async (t) => {
  const { db, app, ada, account, put, user, organization } = await createScene(t)
  const bob = await user()
  const shared = await ada.account('x', { organizationId: await organization(ada, bob) })
  await put({ ...SCHEDULE, skip: ['2099-01-01'] }, ada, shared)
  const list = async (person: Pick<Person, 'call'>, query: string) =>
    (await person.call('GET', `/accounts/${shared}/slots${query}`)).body.data
  const [first, second, third, fourth] = await list(ada, '?limit=4')
  t.equal((await list(ada, '?limit=100')).length, 100)
  t.strictSame(await list(ada, `?limit=1&from=${second.scheduledAt}`), [second])
  t.strictSame(await list(ada, '?from=9999-01-01T00:00:00Z'), [], 'none after the horizon')
  t.match(first, { isTaken: false, scheduledAtLocal: /T(?:09:30|09:00|17:00):00$/ })

  const create = async (person: Person, scheduledAt: string, accountIds: string[]) =>
    (await person.call('POST', '/posts', { accountIds, caption: 'hi', scheduledAt })).body.id
  const later = (time: string, ms: number) => new Date(Date.parse(time) + ms).toISOString()
  const own = await create(ada, later(first.scheduledAt, 59_999), [shared])
  const wide = await create(ada, second.scheduledAt, [account, shared])
  await create(bob, third.scheduledAt, [shared])
  await create(ada, later(fourth.scheduledAt, -1), [shared])
  const taken = (slot: object, postId?: string) => ({ ...slot, isTaken: true, ...(postId && { postId }) })
  const path = `?limit=4&from=${first.scheduledAt}`
  t.strictSame(await list(ada, path), [taken(first, own), taken(second, wide), taken(third), fourth])
  const keyOf = async (rights: object) => {
    const { key } = await createKey(db, { userId: ada.id, name: null, expiresAt: null, ...rights })
    return { call: (...request: Parameters<Person['call']>) => call(app, key, ...request) }
  }
  t.strictSame(
    await list(await keyOf({ accountIds: [shared] }), path),
    [taken(first, own), taken(second), taken(third), fourth],
    'a post to an account that the key does not list is not named',
  )
  t.strictSame(await list(await keyOf({ scopes: ['accounts:read'] }), path), [
    taken(first),
    taken(second),
    taken(third),
    fourth,
  ])
  await ada.call('DELETE', `/posts/${own}`)
  t.strictSame(await list(ada, path), [first, taken(second, wide), taken(third), fourth])
})

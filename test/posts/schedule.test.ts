import t, { type Test } from 'tap'
import { createKey } from '../../src/features/auth/create-key.ts'
import { call, createWorld } from '../helpers/app.ts'
import { readAllEvents } from '../helpers/events.ts'

const BERLIN = { scheduledAt: '2027-03-29T09:30:00', timeZone: 'Europe/Berlin' }
const SHOWN = {
  scheduledAt: '2027-03-29T07:30:00.000Z',
  scheduledAtLocal: '2027-03-29T09:30:00',
  timeZone: BERLIN.timeZone,
}
const DOUBLED = { scheduledAt: '2027-10-31T02:30', timeZone: 'Europe/Berlin' }

async function createScene(t: Test) {
  const world = await createWorld(t)
  const ada = await world.user()
  const account = await ada.account('x')
  const create = async (schedule: object) => {
    const { status, body } = await ada.call('POST', '/posts', { accountIds: [account], caption: 'hi', ...schedule })
    t.equal(status, 201, JSON.stringify(body))
    return body.id as string
  }
  /** The time of a post, as the API shows it. */
  const read = async (id: string) => scheduleOf((await ada.call('GET', `/posts/${id}`)).body)
  const patch = async (id: string, body: object) => {
    const response = await ada.call('PATCH', `/posts/${id}`, body)
    return response.status === 200 ? scheduleOf(response.body) : issuesOf(response)
  }
  return { ...world, ada, account, create, read, patch }
}

// biome-ignore lint/suspicious/noExplicitAny: the body of a response
function scheduleOf({ scheduledAt, scheduledAtLocal, timeZone, fold }: any) {
  const schedule = { scheduledAt, scheduledAtLocal, timeZone, fold }
  return Object.fromEntries(Object.entries(schedule).filter(([, value]) => value !== undefined))
}

// biome-ignore lint/suspicious/noExplicitAny: the body of a response
const issuesOf = ({ status, body }: any) => [status, ...body.details.map(({ path }: any) => path.join('.'))]

t.test('a local time in a time zone is stored as an instant, and returned as it was written', async (t) => {
  const { ada, account, create, read } = await createScene(t)
  const id = await create(BERLIN)
  t.strictSame(await read(id), SHOWN)
  const { body } = await ada.call('GET', '/posts')
  t.strictSame(scheduleOf(body.data[0]), SHOWN, 'in the list too')
  const found = await ada.call('GET', '/posts?scheduledFrom=2027-03-29T07:30:00Z&scheduledBefore=2027-03-29T07:30:01Z')
  t.strictSame(found.body.data.map(scheduleOf), [SHOWN], 'and in a list with filters')

  const named = await create({ scheduledAt: '2027-03-29T09:30', timeZone: 'europe/berlin' })
  t.strictSame(await read(named), SHOWN, 'seconds and capital letters are added')
  const link = await create({ scheduledAt: '2027-03-29T09:30:00.250', timeZone: 'US/Pacific', fold: 'later' })
  t.strictSame(await read(link), {
    scheduledAt: '2027-03-29T16:30:00.250Z',
    scheduledAtLocal: '2027-03-29T09:30:00.250',
    timeZone: 'US/Pacific',
    fold: 'later',
  })
  t.strictSame(await read(await create({ scheduledAt: '2027-03-29T09:30:00+02:00' })), {
    scheduledAt: SHOWN.scheduledAt,
  })

  const post = { accountIds: [account], caption: 'hi', ...BERLIN }
  const batch = await ada.call('POST', '/posts/batch', { posts: [post, { ...post, ...DOUBLED, fold: 'earlier' }] })
  t.equal(batch.status, 201, JSON.stringify(batch.body))
  t.strictSame(await Promise.all(batch.body.data.map(({ id }: { id: string }) => read(id))), [
    SHOWN,
    {
      scheduledAt: '2027-10-31T00:30:00.000Z',
      scheduledAtLocal: '2027-10-31T02:30:00',
      timeZone: 'Europe/Berlin',
      fold: 'earlier',
    },
  ])
  const validation = await ada.call('POST', '/posts/validate', post)
  t.match(validation, { status: 200, body: { create: { status: 201 } } })
})

t.test('a time that is no instant is refused, by every operation that takes one', async (t) => {
  const { ada, account, create, read } = await createScene(t)
  const id = await create({})
  const time = 'Invalid datetime: '
  const cases: [schedule: object, path: string, message: string][] = [
    [
      DOUBLED,
      'scheduledAt',
      `${time}2027-10-31T02:30 occurs twice in Europe/Berlin, because the clocks are put back: set fold to 'earlier' for 2027-10-31T02:30:00+02:00 or to 'later' for 2027-10-31T02:30:00+01:00`,
    ],
    [
      { scheduledAt: '2027-03-28T02:30:00', timeZone: 'Europe/Berlin' },
      'scheduledAt',
      `${time}2027-03-28T02:30:00 does not exist in Europe/Berlin, because the clocks are put forward: set fold to 'earlier' for 2027-03-28T01:30:00+01:00 or to 'later' for 2027-03-28T03:30:00+02:00`,
    ],
    [
      { scheduledAt: '2027-03-28T09:30:00' },
      'scheduledAt',
      `${time}no time zone given, end it with Z or an offset such as +02:00, or name the zone in timeZone, such as Europe/Berlin`,
    ],
    [
      { scheduledAt: '2027-03-28T09:30:00Z', timeZone: 'Europe/Berlin' },
      'timeZone',
      'Must be absent if scheduledAt ends with Z or an offset: leave out one of the two',
    ],
    [
      { timeZone: 'Europe/Berlin' },
      'timeZone',
      'Must come with scheduledAt as a local time, such as 2027-01-15T09:30:00',
    ],
    [
      { scheduledAt: '2027-03-28T09:30:00Z', fold: 'later' },
      'fold',
      'Must come with timeZone, and with scheduledAt as a local time',
    ],
    [
      { scheduledAt: '2027-03-28T09:30:00', timeZone: 'Europe/Berln' },
      'timeZone',
      "Unknown time zone 'Europe/Berln': use a name such as Europe/Berlin",
    ],
    [
      { scheduledAt: '2027-02-30T09:30:00', timeZone: 'Europe/Berlin' },
      'scheduledAt',
      `${time}30 February does not exist`,
    ],
    [
      { scheduledAt: '2027-03-28 09:30', timeZone: 'Europe/Berlin' },
      'scheduledAt',
      `${time}write T between the date and the time instead of a space`,
    ],
    [
      { scheduledAt: '9999-12-31T23:30:00', timeZone: 'America/New_York' },
      'scheduledAt',
      `${time}years 1970 to 9999 are allowed`,
    ],
  ]
  for (const [schedule, name, message] of cases) {
    const post = { accountIds: [account], caption: 'hi', ...schedule }
    const calls: [method: 'POST' | 'PATCH', path: string, body: object, before: (string | number)[]][] = [
      ['POST', '/posts', post, []],
      ['POST', '/posts/validate', post, []],
      ['POST', '/posts/batch', { posts: [post] }, ['posts', 0]],
      ['POST', '/posts/batch/validate', { posts: [post] }, ['posts', 0]],
      ['PATCH', `/posts/${id}`, schedule, []],
    ]
    const found = await Promise.all(
      calls.map(async ([method, path, body, before]) => {
        const response = await ada.call(method, path, body)
        const details = response.body.details?.map((issue: { path: unknown; message: string }) => [
          issue.path,
          issue.message,
        ])
        return [response.status, response.body.error, details, [...before, name]]
      }),
    )
    t.strictSame(
      found,
      found.map(([, , , path]) => [400, 'Invalid request', [[path, message]], path]),
      JSON.stringify(schedule),
    )
  }
  t.strictSame((await ada.call('GET', '/posts')).body.data.length, 1, 'nothing was stored')
  t.strictSame(await read(id), { scheduledAt: null })
})

t.test('a patch changes the time, the zone, or both', async (t) => {
  const { ada, db, create, patch } = await createScene(t)
  const id = await create({})
  t.strictSame(await patch(id, BERLIN), SHOWN, 'schedules a draft')
  t.strictSame(
    await patch(id, { scheduledAt: '2027-03-30T10:00:00' }),
    { ...SHOWN, scheduledAt: '2027-03-30T08:00:00.000Z', scheduledAtLocal: '2027-03-30T10:00:00' },
    'a local time alone keeps the zone',
  )
  t.strictSame(
    await patch(id, { timeZone: 'Asia/Tokyo' }),
    { scheduledAt: '2027-03-30T01:00:00.000Z', scheduledAtLocal: '2027-03-30T10:00:00', timeZone: 'Asia/Tokyo' },
    'a zone alone keeps the local time',
  )
  t.strictSame(await patch(id, { timeZone: null }), { scheduledAt: '2027-03-30T01:00:00.000Z' }, 'the instant stays')
  t.strictSame(await patch(id, { timeZone: 'Asia/Tokyo' }), [400, 'timeZone'], 'the post has no local time')
  t.strictSame(await patch(id, { scheduledAt: '2027-03-30T10:00:00' }), [400, 'scheduledAt'], 'the post has no zone')
  t.strictSame(await patch(id, BERLIN), SHOWN)
  t.strictSame(
    await patch(id, { scheduledAt: '2027-03-29T07:30:00Z' }),
    { scheduledAt: SHOWN.scheduledAt },
    'a time with an offset removes the local one, even if it is the same instant',
  )
  t.strictSame(await patch(id, BERLIN), SHOWN)
  t.strictSame(await patch(id, { scheduledAt: null }), { scheduledAt: null }, 'a draft has neither')
  t.strictSame(await patch(id, { timeZone: 'Asia/Tokyo' }), [400, 'timeZone'], 'a draft has no local time')
  t.strictSame(await patch(id, { scheduledAt: null, timeZone: 'Asia/Tokyo' }), [400, 'timeZone'])
  t.strictSame(await patch(id, { scheduledAt: null, timeZone: null }), { scheduledAt: null })
  t.strictSame(await patch(id, { ...BERLIN, timeZone: null }), [400, 'scheduledAt'])
  t.strictSame(await patch(id, DOUBLED), [400, 'scheduledAt'])
  const earlier = { scheduledAt: '2027-10-31T00:30:00.000Z', scheduledAtLocal: '2027-10-31T02:30:00' }
  t.strictSame(await patch(id, { ...DOUBLED, fold: 'earlier' }), {
    ...earlier,
    timeZone: 'Europe/Berlin',
    fold: 'earlier',
  })
  t.match(await patch(id, { fold: 'later' }), { scheduledAt: '2027-10-31T01:30:00.000Z', fold: 'later' })
  t.strictSame(await patch(id, { fold: 'later', timeZone: null }), [400, 'fold'])
  t.strictSame(
    await patch(id, { scheduledAt: '2027-10-31T02:45:00' }),
    [400, 'scheduledAt'],
    'another time, another fold',
  )
  t.strictSame(await patch(id, { caption: 'other' }), {
    ...earlier,
    scheduledAt: '2027-10-31T01:30:00.000Z',
    timeZone: 'Europe/Berlin',
    fold: 'later',
  })

  const events = await readAllEvents(db, ada, '&types=post.updated')
  const changed = events.map(({ data }) => 'changed' in data && data.changed)
  t.strictSame(changed.slice(0, 4), [
    ['scheduledAt', 'timeZone', 'status'],
    ['scheduledAt'],
    ['scheduledAt', 'timeZone'],
    ['timeZone'],
  ])
})

t.test('a local time that no longer belongs to the post is not shown', async (t) => {
  const { ada, db, create, read } = await createScene(t)
  const id = await create({ ...BERLIN, scheduledAt: '2100-01-01T09:30:00' })
  await ada.call('POST', `/posts/${id}/publish`)
  t.strictSame(Object.keys(await read(id)), ['scheduledAt'], 'publishPost has set another time')

  const moved = await create(BERLIN)
  // The previous version changes the time alone.
  await db
    .updateTable('posts')
    .set({ scheduledAt: new Date('2030-01-01') })
    .where('id', '=', moved)
    .execute()
  t.strictSame(await read(moved), { scheduledAt: '2030-01-01T00:00:00.000Z' })
})

t.test('the zone of a key without posts:publish cannot move a scheduled post', async (t) => {
  const { app, db, ada, create, read } = await createScene(t)
  const id = await create(BERLIN)
  const { key } = await createKey(db, { userId: ada.id, name: null, expiresAt: null, scopes: ['posts:write'] })
  t.match(await call(app, key, 'PATCH', `/posts/${id}`, { timeZone: 'Asia/Tokyo' }), { status: 403 })
  t.strictSame(await read(id), SHOWN)
})

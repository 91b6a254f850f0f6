import t from 'tap'
import { createKey } from '../../src/features/auth/create-key.ts'
import { call, type Person } from '../helpers/app.ts'
import { repeating } from '../helpers/connect-oauth.ts'
import { readAllEvents } from '../helpers/events.ts'
import { createScene, daily, errorOf, timesOf } from '../helpers/queue.ts'

t.test('posts take the slots of an account one after the other', async (t) => {
  const { ada, account, slots, create } = await createScene(t)
  const id = await account('09:00', '17:00')
  const [first, second, third, fourth] = await slots(id)
  const { status, body } = await create([id])
  t.strictSame(
    [status, body],
    [
      201,
      {
        id: body.id,
        status: 'scheduled',
        slots: [{ accountId: id, scheduledAt: first!.scheduledAt }],
        warnings: body.warnings,
      },
    ],
  )
  const post = (await ada.call('GET', `/posts/${body.id}`)).body
  t.strictSame([post.scheduledAt, post.targets[0].scheduledAt], [first!.scheduledAt, null])
  // A post by hand takes the slot of its minute.
  await create([id], { scheduledAt: second!.scheduledAt.replace(':00.000Z', ':59Z') })
  t.strictSame(timesOf(await create([id])), [third!.scheduledAt])
  t.strictSame(
    (await slots(id, 4)).map(({ isTaken }) => isTaken),
    [true, true, true, false],
  )

  await ada.call('DELETE', `/posts/${body.id}`)
  t.strictSame(timesOf(await create([id])), [first!.scheduledAt], 'a deleted post has left its slot')
  t.strictSame(timesOf(await create([id])), [fourth!.scheduledAt])
})

t.test('a post for several accounts takes a slot of each, or one that is free on all', async (t) => {
  const { ada, account, slots, create } = await createScene(t)
  const accounts = [await account('09:00', '12:00'), await account('10:00', '12:00'), await account('11:00', '12:00')]
  const nexts = await Promise.all(accounts.map(async (id) => (await slots(id, 1))[0]!.scheduledAt))
  const post = await create(accounts)
  t.strictSame(timesOf(post), nexts)
  const { body } = await ada.call('GET', `/posts/${post.body.id}`)
  const [earliest] = [...nexts].sort()
  t.equal(body.scheduledAt, earliest)
  t.strictSame(
    body.targets.map((target: { scheduledAt: string | null }) => target.scheduledAt ?? earliest),
    nexts,
  )

  const together = { schedule: { queue: 'together' } }
  const times = timesOf(await create(accounts, together))
  t.equal(new Set(times).size, 1)
  t.match(times[0], /T12:00/)
  const [next] = timesOf(await create(accounts, together))
  t.equal(Date.parse(next) - Date.parse(times[0]), 86_400_000)
  t.strictSame(errorOf(await create([accounts[0]!, await account('09:01')], together)), [409, 'queue_full'])
})

t.test('a queue without a free slot is a conflict, and nothing is stored', async (t) => {
  const { db, ada, account, create } = await createScene(t)
  const [without, empty] = [await account(), await account()]
  await ada.call('PUT', `/accounts/${empty}/schedule`, { timeZone: 'UTC', slots: [] })
  for (const id of [without, empty]) {
    const refused = await create([id])
    t.strictSame(errorOf(refused), [409, 'queue_without_slots'])
    t.match(refused.body.error, `x (@ada) has no slots: set them with PUT /api/v1/accounts/${id}/schedule`)
  }
  const weekly = await ada.account('x')
  await ada.call('PUT', `/accounts/${weekly}/schedule`, {
    timeZone: 'UTC',
    slots: [{ weekday: 'monday', time: '09:00' }],
  })
  const posts = Array.from({ length: 60 }, () => ({ accountIds: [weekly], caption: 'hi', schedule: { queue: 'next' } }))
  const all = await ada.call('POST', '/posts/batch', { posts })
  t.strictSame(errorOf(all), [409, 'queue_full'])
  const { body } = await ada.call('POST', '/posts/batch', { mode: 'each', posts })
  t.equal(body.data.length + body.rejected.length, 60)
  const times = body.data.map(({ slots }: { slots: { scheduledAt: string }[] }) => Date.parse(slots[0]!.scheduledAt))
  t.ok(times.length >= 52 && times.length <= 53, 'the queue is a year long')
  t.strictSame(
    times.map((time: number) => (time - times[0]) / (7 * 86_400_000)),
    [...times.keys()],
    'each week has one',
  )
  t.strictSame([body.rejected[0].status, body.rejected[0].code], [409, 'queue_full'])
  t.strictSame(errorOf(await create([weekly])), [409, 'queue_full'])
  const valid = await ada.call('POST', '/posts/validate', {
    accountIds: [weekly],
    caption: 'hi',
    schedule: { queue: 'next' },
  })
  t.strictSame(valid.body.create.status, 409)
  t.equal((await db.selectFrom('posts').select('id').execute()).length, times.length)
})

t.test('a request cannot have a time and a queue', async (t) => {
  const { ada, account, create } = await createScene(t)
  const id = await account('09:00')
  const schedule = { queue: 'next' }
  const scheduledAt = '2100-01-01T00:00:00Z'
  const cases: [body: object, path: string][] = [
    [{ schedule, scheduledAt }, 'scheduledAt'],
    [{ schedule, timeZone: 'Europe/Berlin' }, 'timeZone'],
    [{ schedule, fold: 'later' }, 'fold'],
    [{ schedule, accountOverrides: [{ accountId: id, scheduledAt }] }, 'accountOverrides.0.scheduledAt'],
    [{ schedule: { queue: 'later' } }, 'schedule.queue'],
    [{ schedule: {} }, 'schedule.queue'],
    [{ schedule: null }, 'schedule'],
  ]
  for (const [body, path] of cases) {
    const reply = await create([id], body)
    const paths = reply.body.details?.map((issue: { path: string[] }) => issue.path.join('.'))
    t.strictSame([reply.status, paths], [400, [path]], JSON.stringify(body))
  }
  const draft = (await create([id], {})).body.id
  const patched = await ada.call('PATCH', `/posts/${draft}`, { schedule, scheduledAt })
  t.strictSame([patched.status, patched.body.details[0].path], [400, ['scheduledAt']])
  const overrides = { [id]: { scheduledAt } }
  t.equal((await ada.call('PATCH', `/posts/${draft}`, { schedule, overrides })).status, 400)
  const local = { scheduledAt: '2100-01-01T09:00:00', timeZone: 'Europe/Berlin' }
  await ada.call('PATCH', `/posts/${draft}`, local)
  const inZone = await ada.call('PATCH', `/posts/${draft}`, { schedule, timeZone: 'Asia/Tokyo' })
  t.match(inZone, {
    status: 400,
    body: { details: [{ path: ['timeZone'], message: /absent together with schedule/ }] },
  })
})

t.test('a change moves a post to a slot, keeps it there, or takes it away', async (t) => {
  const { db, ada, account, slots, create } = await createScene(t)
  const [one, other] = [await account('09:00', '17:00'), await account('10:00')]
  const [first, second] = (await slots(one)).map(({ scheduledAt }) => scheduledAt)
  const patch = async (id: string, body: object) => (await ada.call('PATCH', `/posts/${id}`, body)).body
  const taken = async (id: string) => (await slots(id)).filter(({ isTaken }) => isTaken).map((slot) => slot.scheduledAt)

  const id = (await create([one], {})).body.id
  t.equal((await patch(id, { schedule: { queue: 'next' } })).scheduledAt, first)
  t.equal((await patch(id, { schedule: { queue: 'next' } })).scheduledAt, first, 'its own slot is free for it')
  const changes = (await readAllEvents(db, ada, '&types=post.updated')).length
  t.equal(changes, 1, 'the second change changes nothing')
  t.equal((await patch(id, { caption: 'ho' })).scheduledAt, first)
  await create([one])
  t.strictSame(await taken(one), [first, second])
  t.equal((await patch(id, { scheduledAt: '2100-01-01T00:00:00Z' })).status, 'scheduled')
  t.strictSame(await taken(one), [second], 'another time leaves the slot')
  t.equal((await patch(id, { schedule: { queue: 'next' } })).scheduledAt, first)
  t.equal((await patch(id, { scheduledAt: null })).status, 'draft')
  t.strictSame(await taken(one), [second], 'so does a draft')

  const both = (await create([one, other])).body.id
  const time = (await slots(other)).find(({ isTaken }) => isTaken)!.scheduledAt
  t.strictSame(await taken(one), [first, second])
  const alone = await patch(both, { accountIds: [other] })
  t.strictSame(
    [alone.scheduledAt, alone.targets[0].scheduledAt],
    [time, null],
    'the post is due in the slot that is left',
  )
  t.strictSame(await taken(one), [second])
  const back = await patch(both, { accountIds: [other, one], schedule: { queue: 'together' } })
  t.match(back.error, 'No slot of the next 366 days is free on all of the accounts')
  t.strictSame(await taken(one), [second], 'a refused change changes nothing')
  const moved = await patch(both, { accountIds: [other, one], schedule: { queue: 'next' } })
  t.strictSame([moved.scheduledAt, await taken(one)], [[time, first].sort()[0], [first, second]])
  const byHand = await patch(both, { scheduledAt: '2100-01-01T00:00:00Z' })
  t.strictSame(
    byHand.targets.map((target: { scheduledAt: string | null }) => target.scheduledAt),
    [null, null],
    'a time of the post moves all of its slots',
  )
})

t.test('an account keeps its slot when its override is removed', async (t) => {
  const { ada, account, create } = await createScene(t)
  const [one, other] = [await account('09:00'), await account('10:00')]
  const post = await create([one, other], {
    schedule: { queue: 'next' },
    accountOverrides: [one, other].map((accountId) => ({ accountId, captionOverride: 'own' })),
  })
  const slots = timesOf(post).toSorted()
  const patch = async (body: object) => {
    const { targets, scheduledAt } = (await ada.call('PATCH', `/posts/${post.body.id}`, body)).body
    return targets.map((target: { scheduledAt: string | null }) => target.scheduledAt ?? scheduledAt).toSorted()
  }
  t.strictSame(await patch({ overrides: { [one]: null, [other]: null } }), slots)
  t.strictSame(await patch({ overrides: null }), slots)
  // The post's own time is the earlier slot: after nine o'clock, that is the one of ten.
  const later = post.body.slots.find((slot: { scheduledAt: string }) => slot.scheduledAt === slots[1]).accountId
  t.equal(new Set(await patch({ overrides: { [later]: { scheduledAt: null } } })).size, 1, 'but not by a time')
})

t.test(
  'a slot is free again when its delivery ends before it is out, and stays taken when it may be out',
  async (t) => {
    const { ada, account, slots, create } = await createScene(t)
    const id = await account('09:00')
    const [first, second, third] = (await slots(id)).map(({ scheduledAt }) => scheduledAt)
    const post = (await create([id])).body.id
    await ada.call('POST', `/posts/${post}/deliveries/${id}/cancel`)
    t.strictSame(timesOf(await create([id])), [first], 'cancelled')
    const { body: now } = await create([id])
    t.strictSame(now.slots[0].scheduledAt, second)
    await ada.call('POST', `/posts/${now.id}/publish`)
    t.strictSame(timesOf(await create([id])), [second], 'published now')
    const marked = (await create([id])).body
    t.equal(marked.slots[0].scheduledAt, third)
    await ada.call('POST', `/posts/${marked.id}/deliveries/${id}/mark-published`, {})
    t.strictSame((await slots(id, 3)).at(-1), { ...(await slots(id, 3)).at(-1), isTaken: true, postId: marked.id })
    t.not(timesOf(await create([id]))[0], third, 'published by hand')
  },
)

t.test('parallel creates take each slot once, and skip none', async (t) => {
  const { ada, account, slots } = await createScene(t)
  const id = await account('00:00', '06:00', '12:00', '18:00')
  // A hundred slots are left.
  const [from] = (await slots(id, 100)).slice(-1)
  const skip = Array.from({ length: 366 }, (_, day) =>
    new Date(Date.parse(from!.scheduledAt) + (day + 1) * 86_400_000).toISOString().slice(0, 10),
  ).filter((date) => date > from!.scheduledAt.slice(0, 10))
  await ada.call('PUT', `/accounts/${id}/schedule`, {
    ...daily('00:00', '06:00', '12:00', '18:00'),
    skip: skip.slice(0, 366),
  })
  const free = (await slots(id, 100)).map(({ scheduledAt }) => scheduledAt)
  const body = { accountIds: [id], caption: 'hi', schedule: { queue: 'next' } }
  const { call } = repeating(ada)
  const replies = await Promise.all(
    Array.from({ length: 200 }, (_, index) => call('POST', '/posts', body, { 'idempotency-key': `post-${index}` })),
  )
  const created = replies.filter(({ status }) => status === 201)
  const taken = created.flatMap(timesOf).sort()
  const refused = replies.filter(({ status }) => status !== 201).map((reply) => String(errorOf(reply)))
  t.strictSame(new Set(refused), new Set(['409,queue_full']))
  t.equal(new Set(taken).size, taken.length, 'each once')
  t.strictSame(taken.slice(0, free.length), free)
  t.ok(refused.length >= 96)
})

t.test('a repeated request returns the slots of the first, also while that runs', async (t) => {
  const { ada, account, slots, create } = await createScene(t)
  const id = await account('09:00', '17:00')
  const [first, second] = (await slots(id)).map(({ scheduledAt }) => scheduledAt)
  const body = { accountIds: [id], caption: 'hi', schedule: { queue: 'next' } }
  const send = () => ada.call('POST', '/posts', body, { 'idempotency-key': 'a' })
  const replies = await Promise.all([send(), send(), send(), send()])
  t.strictSame(new Set(replies.flatMap(timesOf)), new Set([first]))
  t.equal(new Set(replies.map(({ body }) => body.id)).size, 1)
  t.strictSame(timesOf(await create([id])), [second], 'no slot was skipped')
  t.strictSame(timesOf(await send()), [first])
  const batch = () => ada.call('POST', '/posts/batch', { posts: [body, body] }, { 'idempotency-key': 'b' })
  t.strictSame((await batch()).body, (await batch()).body)
})

t.test('keys need the scope to publish, and use the queues of their accounts alone', async (t) => {
  const { db, app, ada, account, user, organization, create } = await createScene(t)
  const id = await account('09:00')
  const withKey = async (rights: object): Promise<Person> => {
    const { key } = await createKey(db, { userId: ada.id, name: null, expiresAt: null, ...rights })
    return { ...ada, call: (...request: Parameters<Person['call']>) => call(app, key, ...request) }
  }
  const author = await withKey({ scopes: ['posts:read', 'posts:write'] })
  const schedule = { queue: 'next' }
  t.strictSame(errorOf(await create([id], { schedule }, author)), [403, 'insufficient_scope'])
  const posts = [{ accountIds: [id], caption: 'hi', schedule }]
  t.strictSame(errorOf(await author.call('POST', '/posts/batch', { posts })), [403, 'insufficient_scope'])
  const draft = (await create([id], {})).body.id
  t.strictSame(errorOf(await author.call('PATCH', `/posts/${draft}`, { schedule })), [403, 'insufficient_scope'])

  const limited = await withKey({ accountIds: [await account('09:00')] })
  t.strictSame(errorOf(await create([id], { schedule }, limited)), [403, 'no_access'])
  const bob = await user()
  t.strictSame(errorOf(await create([id], { schedule }, bob)), [403, 'no_access'])

  const shared = await ada.account('x', { organizationId: await organization(ada, bob) })
  await ada.call('PUT', `/accounts/${shared}/schedule`, daily('09:00'))
  const times = [await create([shared]), await create([shared], { schedule }, bob)].flatMap(timesOf)
  t.equal(Date.parse(times[1]) - Date.parse(times[0]), 86_400_000, 'members share the queue of an account')
})

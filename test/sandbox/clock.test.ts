import t from 'tap'
import { claimDue } from '../helpers/publisher.ts'
import { daily } from '../helpers/queue.ts'
import { clockWorldOf, createClockWorld } from '../helpers/sandbox-clock.ts'
import { until } from '../helpers/until.ts'
import { createWebhookWorld, isSigned, startReceiver } from '../webhooks/scene.ts'

t.test('what is due before the new time happens in order, each at its time', async (t) => {
  const { ada, connect, schedule, moveTo, events, readClock } = await createClockWorld(t)
  const [first, second] = [await connect(), await connect()]
  const later = await schedule(first, '2099-02-01T09:00:00.250Z')
  const last = await schedule(second, '2099-03-01T00:00:00Z')
  const earlier = await schedule(second, '2099-01-31T23:59:59Z')
  const after = await schedule(first, '2099-03-01T00:00:00.001Z')
  await moveTo('2099-03-01T00:00:00Z')
  const published = (await events()).filter(({ type }) => type === 'delivery.published')
  t.match(
    published.map(({ timestamp, data }) => [timestamp, data]),
    [
      ['2099-01-31T23:59:59.000Z', { postId: earlier, publishedAt: '2099-01-31T23:59:59.000Z', latenessMs: 0 }],
      ['2099-02-01T09:00:00.250Z', { postId: later, publishedAt: '2099-02-01T09:00:00.250Z', latenessMs: 0 }],
      ['2099-03-01T00:00:00.000Z', { postId: last, publishedAt: '2099-03-01T00:00:00.000Z', latenessMs: 0 }],
    ],
  )
  t.match((await events()).at(-1), {
    type: 'sandbox.clock_reached',
    timestamp: '2099-03-01T00:00:00.000Z',
    data: { now: '2099-03-01T00:00:00.000Z' },
  })
  const { body } = await ada.call('GET', '/sandbox/calls')
  t.strictSame(
    body.data.map(({ receivedAt }: { receivedAt: string }) => receivedAt),
    ['2099-03-01T00:00:00.000Z', '2099-02-01T09:00:00.250Z', '2099-01-31T23:59:59.000Z'],
  )
  t.equal((await ada.call('GET', `/posts/${after}`)).body.status, 'scheduled')
  t.strictSame(await readClock(), {
    isSet: true,
    now: '2099-03-01T00:00:00.000Z',
    target: null,
  })
})

t.test('the time of a clock that stands still is the present of its user', async (t) => {
  const { ada, connect, schedule, moveTo, work, events } = await createClockWorld(t)
  const account = await connect()
  const now = '2099-03-01T00:00:00.000Z'
  const failing = { accountOverrides: [{ accountId: account, fields: { fault: 'content_refused' } }] }
  const failed = await schedule(account, '2099-02-01T00:00:00Z', failing)
  await moveTo(now)
  const read = async (id: string) => (await ada.call('GET', `/posts/${id}`)).body

  const past = await schedule(account, '2099-01-01T00:00:00Z')
  t.match(await read(past), { createdAt: now, updatedAt: now, targets: [{ delivery: { state: 'queued' } }] })
  await work()
  t.match(await read(past), { targets: [{ delivery: { state: 'published', publishedAt: now } }] })

  const { body: draft } = await ada.call('POST', '/posts', { accountIds: [account], caption: 'now' })
  t.match((await ada.call('POST', `/posts/${draft.id}/publish`)).body, { scheduledAt: now })
  const moved = await schedule(account, '2099-09-01T00:00:00Z')
  t.equal((await ada.call('PATCH', `/posts/${moved}`, { scheduledAt: '2099-02-01T00:00:00Z' })).status, 200)
  t.equal((await ada.call('POST', `/posts/${failed}/deliveries/${account}/retry`)).status, 202)
  await work()
  for (const id of [draft.id, moved, failed]) {
    t.match(await read(id), { targets: [{ delivery: { state: 'published', publishedAt: now } }] }, id)
  }

  t.equal((await ada.call('POST', `/posts/${past}/remove`)).status, 202)
  await work()
  t.match(await read(past), { targets: [{ delivery: { state: 'removed' } }] })

  await ada.call('PUT', `/accounts/${account}/schedule`, daily('09:00'))
  t.match((await ada.call('GET', `/accounts/${account}/slots?limit=1`)).body.data, [
    { scheduledAt: '2099-03-01T09:00:00.000Z' },
  ])
  const queued = await ada.call('POST', '/posts', {
    accountIds: [account],
    caption: 'next',
    schedule: { queue: 'next' },
  })
  t.match(queued.body, { slots: [{ scheduledAt: '2099-03-01T09:00:00.000Z' }] })
  t.equal((await ada.call('GET', `/accounts/${account}`)).body.restsUntil, undefined)
  const times = (await events()).slice(1).map(({ timestamp }) => timestamp)
  t.strictSame([...new Set(times)], ['2099-02-01T00:00:00.000Z', now])
})

t.test('retries follow after their pauses, and a delivery that is too late is missed', async (t) => {
  const { ada, connect, schedule, moveTo } = await createClockWorld(t, { latenessMaxMs: 60_000 })
  const [first, second] = [await connect(), await connect()]
  const withFault = (accountId: string, fault: string, faultTimes = 1) => ({
    accountOverrides: [{ accountId, fields: { fault, faultTimes } }],
  })
  const limited = await schedule(first, '2099-01-01T00:00:00Z', withFault(first, 'rate_limited'))
  const behind = await schedule(first, '2099-01-01T00:00:01Z')
  const lost = await schedule(second, '2099-01-01T00:00:00Z', withFault(second, 'timeout_after'))
  const unlucky = await schedule(second, '2099-01-02T00:00:00Z', withFault(second, 'server_error', 3))
  await moveTo('2099-01-03T00:00:00Z')
  const read = async (id: string) => (await ada.call('GET', `/posts/${id}`)).body.targets[0].delivery

  const { history } = await read(limited)
  t.match(history, [
    { finishedAt: '2099-01-01T00:00:00.000Z', outcome: 'failed' },
    { finishedAt: '2099-01-01T00:00:05.000Z', outcome: 'published' },
  ])
  t.match(await read(behind), { state: 'published', publishedAt: '2099-01-01T00:00:05.000Z' }, 'the account has rested')
  t.match(await read(lost), { state: 'published', publishedAt: '2099-01-01T00:00:00.000Z', attempts: 1 })
  t.match(await read(unlucky), { state: 'missed', error: { code: 'too_late' } })
})

t.test('webhooks get the simulated times, signed at the real time', async (t) => {
  const { ada, hook, dispatch, ...world } = await createWebhookWorld(t)
  const { connect, schedule, moveTo, events } = clockWorldOf(world, ada)
  const receiver = await startReceiver(t)
  const { secret } = await hook(receiver, { types: ['delivery.published', 'sandbox.*'] })
  const id = await schedule(await connect(), '2099-01-01T00:00:00Z')
  await moveTo('2099-02-01T00:00:00Z')
  await events()
  dispatch(t)
  await until('both events arrive', () => receiver.received.length === 2)
  t.ok(receiver.received.every((request) => isSigned(secret, request)))
  const bodies = receiver.received.map(({ body }) => body).toSorted((a, b) => a.position - b.position)
  t.match(bodies, [
    {
      type: 'delivery.published',
      timestamp: '2099-01-01T00:00:00.000Z',
      data: { postId: id, publishedAt: '2099-01-01T00:00:00.000Z' },
    },
    { type: 'sandbox.clock_reached', timestamp: '2099-02-01T00:00:00.000Z' },
  ])
})

t.test('a clock only moves forwards', async (t) => {
  const { ada, moveTo, readClock } = await createClockWorld(t)
  const put = async (now: string) => {
    const { status, headers } = await ada.call('PUT', '/sandbox/clock', { now })
    return [status, headers['x-error-code']]
  }
  t.strictSame(await put('2026-01-01T00:00:00Z'), [409, 'sandbox_clock_behind'])
  t.match(await readClock(), { isSet: false, target: null })
  t.strictSame(await put('2099-01-01T00:00:00Z'), [202, undefined])
  t.strictSame(await put('2098-12-31T00:00:00Z'), [409, 'sandbox_clock_behind'], 'not before the target')
  t.strictSame(await put('2099-02-01T00:00:00Z'), [202, undefined], 'further while it moves')
  await moveTo('2099-02-01T00:00:00Z')
  t.strictSame(await put('2099-01-31T00:00:00Z'), [409, 'sandbox_clock_behind'])
  t.match(await readClock(), { isSet: true, now: '2099-02-01T00:00:00.000Z', target: null })
})

t.test('a user who can use an account of another network gets no clock', async (t) => {
  const { ada, connect, readClock, user, organization, db } = await createClockWorld(t)
  await connect()
  const other = await ada.account('x', { username: 'ada.x' })
  const put = () => ada.call('PUT', '/sandbox/clock', { now: '2099-01-01T00:00:00Z' })
  t.match(await put(), { status: 409, body: { error: /ada\.x is on x/ }, headers: { 'x-error-code': 'sandbox_only' } })
  await ada.call('DELETE', `/accounts/${other}`)
  t.equal((await put()).status, 202, 'disconnected accounts do not count')

  const reconnect = () => db.updateTable('accounts').set({ disconnectedAt: null }).where('id', '=', other).execute()
  for (const [end, why] of [
    [() => ada.account('bluesky'), 'another account'],
    [reconnect, 'an account that is connected again'],
    [() => organization(ada), 'an organisation'],
  ] as const) {
    await db.updateTable('accounts').set({ disconnectedAt: new Date() }).where('platform', '<>', 'sandbox').execute()
    await put()
    t.ok((await readClock()).isSet)
    await end()
    t.notOk((await readClock()).isSet, why)
  }
  t.match(await put(), { status: 409, headers: { 'x-error-code': 'sandbox_only' } })
  const bob = await user()
  await bob.account('sandbox', { organizationId: await organization() })
  t.equal((await bob.call('PUT', '/sandbox/clock', { now: '2099-01-01T00:00:00Z' })).status, 409, 'a shared account')
})

t.test('after the end of a clock, the present is the real time', async (t) => {
  const { ada, connect, schedule, moveTo, readClock, work, db } = await createClockWorld(t)
  const account = await connect()
  const done = await schedule(account, '2099-01-01T00:00:00Z')
  await moveTo('2099-02-01T00:00:00Z')
  t.match(await ada.call('DELETE', '/sandbox/clock'), { status: 200, body: { success: true } })
  t.match(await readClock(), { isSet: false, target: null })
  await work()
  t.match((await ada.call('GET', `/posts/${done}`)).body.targets[0].delivery.publishedAt, '2099-01-01T00:00:00.000Z')
  const { body } = await ada.call('POST', '/posts', {
    accountIds: [account],
    caption: 'now',
    scheduledAt: new Date().toISOString(),
  })
  const [claimed] = await claimDue(db, { platforms: ['sandbox'], slots: [1], now: null })
  t.equal(claimed?.postId, body.id, 'workers that go by the real time send it')
  t.equal((await ada.call('DELETE', '/sandbox/clock')).status, 200, 'there is nothing more to end')
  t.equal((await ada.call('PUT', '/sandbox/clock', { now: '2098-01-01T00:00:00Z' })).status, 202)
})

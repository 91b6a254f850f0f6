import { sql } from 'kysely'
import t, { type Test } from 'tap'
import { createKey } from '../../src/features/auth/create-key.ts'
import { WAITERS_MAX } from '../../src/features/events/waiters.ts'
import { call, createWorld, type Person, type Reply } from '../helpers/app.ts'
import { numberEvents, readAllEvents } from '../helpers/events.ts'
import { DAY_MS, sweepNow } from '../helpers/sweeps.ts'
import { until } from '../helpers/until.ts'

async function createScene(t: Test) {
  const world = await createWorld(t)
  const ada = await world.user()
  const account = await ada.account()
  const draft = async (accountId = account) =>
    (await ada.call('POST', '/posts', { accountIds: [accountId], caption: 'a' })).body.id as string
  const drafts = async (count: number) => {
    for (let index = 0; index < count; index++) await draft()
    await numberEvents(world.db)
  }
  const list = async (query = '') => (await ada.call('GET', `/events?types=post.*${query}`)).body
  return { ...world, ada, account, draft, drafts, list }
}

t.test('pages follow each other by their cursors, whatever their limit and filters', async (t) => {
  const { drafts, list, ada, db, draft } = await createScene(t)
  await drafts(7)
  const all = await readAllEvents(db, ada, '&types=post.*')
  t.equal(all.length, 7)
  const first = await list('&limit=3')
  t.equal(first.hasMore, true)
  const second = await list(`&limit=4&after=${first.nextCursor}`)
  t.strictSame([...first.data, ...second.data], all)
  t.equal(second.hasMore, false)
  const empty = await list(`&after=${second.nextCursor}`)
  t.strictSame(empty.data, [])
  const id = await draft()
  await numberEvents(db)
  const next = await list(`&after=${empty.nextCursor}`)
  t.strictSame(
    next.data.map(({ data }: { data: { postId: string } }) => data.postId),
    [id],
  )
  const { body: event } = await ada.call('GET', `/events/${next.data[0].id}`)
  t.strictSame(event, next.data[0])
})

t.test('a page that looks at 1,000 events without a match ends after them, and says that there is more', async (t) => {
  const { db, ada } = await createScene(t)
  await sql`
    insert into event_outbox (user_id, type, data)
    select ${ada.id}::uuid, case when n > 2_200 then 'key.revoked' else 'account.disconnected' end, '{}'
    from generate_series(1, 2_201) as n`.execute(db)
  await numberEvents(db)
  const sizes: number[] = []
  for (let after = '', hasMore = true; hasMore; ) {
    const { body } = await ada.call('GET', `/events?types=key.revoked${after}`)
    sizes.push(body.data.length)
    hasMore = body.hasMore
    after = `&after=${body.nextCursor}`
  }
  t.strictSame(sizes, [0, 0, 1])
})

t.test('a reader begins now, or at a time', async (t) => {
  const { drafts, list, db, ada } = await createScene(t)
  await drafts(5)
  const { nextCursor } = await list('&after=now')
  await drafts(2)
  t.equal((await list(`&after=${nextCursor}`)).data.length, 2)
  // A minute between two events.
  await sql`
    update events set numbered_at = '2026-01-01T00:00:00Z'::timestamptz + position * interval '1 minute'
    where user_id = ${ada.id}`.execute(db)
  const all = (await readAllEvents(db, ada)).map(({ position }) => position)
  for (const [from, first] of [
    ['2025-01-01T00:00:00Z', 1],
    ['2026-01-01T00:03:00Z', 3],
    ['2026-01-01T00:03:00.001Z', 4],
    [`2026-01-01T00:0${all.length}:00Z`, all.length],
    ['2027-01-01T00:00:00Z', undefined],
  ] as const) {
    const { body } = await ada.call('GET', `/events?from=${from}&limit=100`)
    t.equal(body.data[0]?.position, first, from)
  }
  await sql`delete from events where user_id = ${ada.id} and position < 4`.execute(db)
  t.equal((await ada.call('GET', '/events?from=2025-01-01T00:00:00Z')).body.data[0].position, 4)
})

t.test('filters select by type, post and account', async (t) => {
  const { ada, account, draft, db } = await createScene(t)
  const other = await ada.account()
  const [post] = [await draft(), await draft(other)]
  const read = async (query: string) => (await readAllEvents(db, ada, query)).map(({ type }) => type)
  t.strictSame(await read(`&postId=${post}`), ['post.created'])
  t.strictSame(await read(`&accountId=${account}`), ['account.connected', 'post.created'])
  t.strictSame(await read('&types=account.connected&types=key.*'), [
    'key.created',
    'account.connected',
    'account.connected',
  ])
  t.strictSame(await read(`&types=post.deleted`), [])
})

t.test('cursors of others, invented and future cursors, and bad parameters are rejected', async (t) => {
  const { ada, user, drafts, list, db } = await createScene(t)
  await drafts(3)
  const { nextCursor } = await list()
  const bob = await user()
  const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const [version, hash, position, idEnd] = JSON.parse(Buffer.from(nextCursor, 'base64url').toString())
  for (const [person, after] of [
    [bob, nextCursor],
    [ada, encode([version, hash, position + 1, null])],
    [ada, encode([version, hash, position, '000000000000'])],
    [ada, encode([version, hash, 2 ** 60, idEnd])],
    [ada, encode([version, hash, -1, idEnd])],
    [ada, encode([version, hash, 1.5, idEnd])],
    [ada, encode([2, hash, position, idEnd])],
    [ada, encode({ version })],
    [ada, 'AAAAAAAAAAAAAAAA'],
  ] as const) {
    const { status, body } = await person.call('GET', `/events?after=${after}`)
    t.strictSame([status, body.details[0].path], [400, ['after']], after)
  }
  for (const query of [
    'after=x',
    `after=${'A'.repeat(121)}`,
    'wait=1000000000',
    'wait=-1',
    'wait=1.5',
    'limit=0',
    'limit=101',
    'types=post.unknown',
    'types=*',
    'from=yesterday',
    'postId=x',
    'accountId=x',
    'cursor=x',
    `after=${nextCursor}&from=2026-01-01T00:00:00Z`,
  ]) {
    t.equal((await ada.call('GET', `/events?${query}`)).status, 400, query)
  }
  t.equal((await list(`&after=${nextCursor}`)).data.length, 0, 'the cursor still works')
  await numberEvents(db)
})

t.test('events are removed after their time, and a cursor from before is told where to begin again', async (t) => {
  const { db, mediaDir, ada, drafts, list } = await createScene(t)
  await drafts(4)
  const { nextCursor: early } = await list('&limit=1')
  const { data, nextCursor: late } = await list()
  // The ids tell when events got their position.
  await sql`
    update events set id = overlay(id::text placing '0190' from 1)::uuid
    where user_id = ${ada.id} and position < ${data[2].position}`.execute(db)
  const removed = await sweepNow({ db, mediaDir }, { retention: { eventsMs: 30 * DAY_MS } })
  t.equal(removed!.events, data[2].position - 1)
  const { status, body, headers } = await ada.call('GET', `/events?after=${early}`)
  t.strictSame([status, headers['x-error-code']], [410, 'cursor_expired'])
  const { body: oldest } = await ada.call('GET', `/events?after=${body.oldest}`)
  t.strictSame(oldest.data, data.slice(2))
  t.strictSame((await ada.call('GET', '/events')).body.data, data.slice(2))
  t.strictSame((await list(`&after=${late}`)).data, [])
  await sql`delete from events where user_id = ${ada.id}`.execute(db)
  t.equal((await ada.call('GET', `/events?after=${early}`)).status, 410)
  t.strictSame((await list(`&after=${late}`)).data, [], 'nothing is missing after the last event')
})

t.test('a key sees the events that its scopes and its accounts allow', async (t) => {
  const { app, db, ada, account, draft } = await createScene(t)
  const other = await ada.account()
  const both = await ada.call('POST', '/posts', { accountIds: [account, other], caption: 'a' })
  const [own, hidden] = [await draft(), await draft(other)]
  await numberEvents(db)
  const keyOf = async (scopes: ['posts:read'] | ['accounts:read'] | null, accountIds: string[] | null) =>
    (await createKey(db, { userId: ada.id, name: null, expiresAt: null, scopes, accountIds })).key
  const listed = await keyOf(['posts:read'], [account])
  const typesFor = async (key: string, query = '') => {
    const { status, body } = await call(app, key, 'GET', `/events?limit=100${query}`)
    return status === 200 ? body.data : body.error
  }
  t.match(await typesFor(listed), [{ type: 'post.created', data: { postId: own, accountIds: [account] } }])
  const types = async (key: string) => new Set((await typesFor(key)).map(({ type }: { type: string }) => type))
  t.strictSame(await types(await keyOf(['posts:read'], null)), new Set(['post.created']))
  t.strictSame(await types(await keyOf(['accounts:read'], null)), new Set(['account.connected']))
  t.match(await typesFor(listed, '&types=account.*'), /accounts:read/)
  const events = await readAllEvents(db, ada)
  for (const id of [both.body.id, hidden]) {
    const event = events.find(({ data }) => 'postId' in data && data.postId === id)!
    t.equal((await call(app, listed, 'GET', `/events/${event.id}`)).status, 404)
    t.equal((await ada.call('GET', `/events/${event.id}`)).status, 200)
  }
})

t.test('a request waits for the next event that it wants, and no longer than it says', async (t) => {
  const { ada, db, draft, list } = await createScene(t)
  await numberEvents(db)
  const { nextCursor } = await list('&after=now')
  const waiting = list(`&after=${nextCursor}&wait=20`)
  // An event of another type does not end the wait.
  await ada.account()
  const id = await draft()
  await numberEvents(db)
  t.match((await waiting).data, [{ type: 'post.created', data: { postId: id } }])
  const begun = performance.now()
  t.strictSame((await list(`&after=now&wait=1`)).data, [])
  t.ok(performance.now() - begun >= 1_000)
})

t.test('a process lets 100 requests wait, rejects others, and ends all waits when it stops', async (t) => {
  const { app, ada, db } = await createScene(t)
  await numberEvents(db)
  const wait = () => ada.call('GET', '/events?after=now&wait=20')
  const first = await ada.call('GET', '/events?after=now')
  const waits: ReturnType<typeof wait>[] = []
  while (waits.length < WAITERS_MAX + 20) {
    for (let count = 0; count < 10; count++) waits.push(wait())
    // Fewer requests at a time than the time limit of the database allows on a busy machine.
    await ada.call('GET', '/events?after=now')
  }
  let rejections = 0
  for (const reply of waits) void reply.then(({ status }) => status === 429 && rejections++)
  await until('those above the limit are rejected', () => rejections === 20)
  await app.close()
  const replies = await Promise.all(waits)
  const waited = replies.filter(({ status }) => status === 200)
  t.equal(waited.length, WAITERS_MAX)
  for (const { body } of waited) t.strictSame(body, { data: [], nextCursor: first.body.nextCursor, hasMore: false })
  for (const { status, headers } of replies.filter(({ status }) => status !== 200)) {
    t.strictSame([status, headers['x-error-code'], headers['retry-after']], [429, 'too_many_waiting', '1'])
  }
})

t.test('a user whose requests fill the process gives way to others, one wait for each', async (t) => {
  const { ada, user, db } = await createScene(t)
  const bob = await user()
  const account = await bob.account()
  await numberEvents(db)
  const ended: unknown[] = []
  const wait = async (person: Person) => {
    const reply = await person.call('GET', '/events?after=now&wait=20')
    if (person === ada && reply.status !== 429) ended.push([reply.status, reply.body.data])
    return reply
  }
  let refused: Reply | undefined
  await until('ada cannot wait', async () => {
    const waits = Array.from({ length: 10 }, () => wait(ada))
    for (const each of waits) void each.then((reply) => (refused = reply.status === 429 ? reply : refused))
    await ada.call('GET', '/events?after=now')
    return refused
  })
  t.equal(refused?.headers['x-error-code'], 'too_many_waiting')
  ended.length = 0

  const heard = wait(bob)
  await until('a wait of ada ends', () => ended.length > 0)
  t.strictSame(ended, [[200, []]])
  await bob.call('POST', '/posts', { accountIds: [account] })
  await numberEvents(db)
  t.equal((await heard).body.data.at(-1).type, 'post.created')
})

t.test('a client that disconnects gives up its wait', async (t) => {
  const { app, ada, db } = await createScene(t)
  await numberEvents(db)
  const address = await app.listen({ port: 0, host: '127.0.0.1' })
  const wait = (signal: AbortSignal) =>
    fetch(`${address}/api/v1/events?after=now&wait=20`, { headers: { authorization: `Bearer ${ada.key}` }, signal })
  for (let round = 0; round < 2; round++) {
    const gone = new AbortController()
    const waits: Promise<void>[] = []
    let isFull = false
    await until('no more may wait', async () => {
      // A busy machine answers some with 503, and so they do not wait.
      for (let count = 0; count < 10; count++) {
        const note = ({ status }: { status: number }) => {
          if (status === 429) isFull = true
        }
        waits.push(wait(gone.signal).then(note, () => {}))
      }
      await ada.call('GET', '/events?after=now')
      return isFull
    })
    gone.abort()
    await Promise.all(waits)
  }
})

t.test('deleting a user deletes the events of the user', async (t) => {
  const { db, ada, user, draft } = await createScene(t)
  const bob = await user()
  await draft()
  await numberEvents(db)
  const { deleteEventsOf } = await import('../../db/queries/retention/events.ts')
  await draft()
  while ((await deleteEventsOf(db, { userId: ada.id, limit: 2 })) > 0);
  t.strictSame(await readAllEvents(db, ada), [])
  t.equal((await readAllEvents(db, bob)).length, 1)
})

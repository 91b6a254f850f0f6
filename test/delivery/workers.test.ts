import { mock } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { type CompiledQuery, sql } from 'kysely'
import t from 'tap'
import { countDue, readWaiting } from '../../db/queries/delivery/backlog.ts'
import { LEASE_MS } from '../../src/delivery/timing.ts'
import { markPostPublished } from '../../src/posts/mark-published.ts'

import { claimDue, createDeliveryWorld, type DeliveryWorld } from '../helpers/publisher.ts'
import { beforePrepare, lostResponse, scriptedNetwork, withAbortableCalls } from '../helpers/scripted-network.ts'

const SECOND = 1_000
const MINUTE = 60_000

const later = (time: { now: Date }, ms: number) => {
  time.now = new Date(time.now.getTime() + ms)
}

/** Waits for what another part of the process is about to do. */
async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await pause(1)
}

t.test('many workers share what is due, and send each thing once', async (t) => {
  const mastodon = scriptedNetwork('reconcilable', 3)
  const { connectAccount, post, createWorker } = await createDeliveryWorld(t, { mastodon })
  const accounts = await Promise.all(Array.from({ length: 10 }, () => connectAccount('mastodon')))
  const captions: string[] = []
  for (const [index, account] of accounts.entries()) {
    for (const turn of [1, 2, 3]) {
      captions.push(`${index}-${turn}`)
      await post({ accountIds: [account], caption: `${index}-${turn}` })
    }
  }
  const workers = Array.from({ length: 4 }, () => createWorker())
  await Promise.all(
    workers.map(async (worker) => {
      for (let idle = 0; idle < 20; ) {
        idle = (await worker.claim()) > 0 ? 0 : idle + 1
        await worker.idle()
      }
    }),
  )
  t.same([...mastodon.posts].sort(), [...captions].sort())
})

t.test('an account gets its posts one at a time, in the order of their times', async (t) => {
  const mastodon = scriptedNetwork('reconcilable', 10)
  const { connectAccount, post, createWorker, time } = await createDeliveryWorld(t, { mastodon })
  const account = await connectAccount('mastodon')
  const other = createWorker()
  let underWay = 0
  let most = 0
  const watch = async () => {
    underWay++
    most = Math.max(most, underWay)
    // As long as it takes to look for work several times.
    for (let turn = 0; turn < 5; turn++) await other.nextDueInMs()
    underWay--
  }
  const captions = Array.from({ length: 10 }, (_, index) => String(index))
  const start = time.now.getTime() + 60 * MINUTE
  for (const caption of captions.toReversed()) {
    mastodon.steps.push({ isAccepted: true, beforeResponse: watch })
    await post({ accountIds: [account], caption, scheduledAt: new Date(start + Number(caption)).toISOString() })
  }
  later(time, 61 * MINUTE)
  const worker = createWorker()
  while (mastodon.posts.length < captions.length) await Promise.all([worker.claim(), other.claim()])
  await Promise.all([worker.idle(), other.idle()])
  t.same(mastodon.posts, captions)
  t.equal(most, 1)
})

t.test('a network has no more deliveries under way than it may, and holds up no other', async (t) => {
  const [mastodon, bluesky] = [scriptedNetwork('reconcilable', 2), scriptedNetwork('exactly-once', 2)]
  const { connectAccount, post, createWorker } = await createDeliveryWorld(t, { mastodon, bluesky })
  const gate = Promise.withResolvers<void>()
  for (let index = 0; index < 5; index++) {
    mastodon.steps.push({ isAccepted: true, beforeResponse: () => gate.promise })
    await post({ accountIds: [await connectAccount('mastodon')], caption: `m${index}` })
  }
  await post({ accountIds: [await connectAccount('bluesky')], caption: 'b' })
  const worker = createWorker()
  t.equal(await worker.claim(), 3)
  await until(() => mastodon.posts.length === 2 && bluesky.posts.length === 1)
  t.equal(await worker.claim(), 0)
  t.ok((await worker.nextDueInMs())! > 0, 'what waits for a place does not keep the worker awake')
  gate.resolve()
  await worker.idle()
  t.equal(await worker.claim(), 2)
  await worker.idle()
})

t.test('rates that a network counts for each account are kept', async (t) => {
  const telegram = scriptedNetwork('at-most-once', 8)
  const { connectAccount, post, work, time } = await createDeliveryWorld(t, { telegram })
  const [account, other] = [await connectAccount('telegram'), await connectAccount('telegram')]
  for (let index = 0; index < 30; index++) await post({ accountIds: [account], caption: String(index) })
  await work()
  t.equal(telegram.posts.length, 1, 'one message a second to a chat')
  await post({ accountIds: [other], caption: 'other' })
  await work()
  t.equal(telegram.posts.length, 2, 'a limit of one account is none of another')
  const start = time.now.getTime()
  while (time.now.getTime() < start + 30 * SECOND) await work(SECOND)
  t.equal(telegram.posts.length, 21, 'twenty in a minute')
  while (time.now.getTime() < start + 61 * SECOND) await work(SECOND)
  t.ok(telegram.posts.length > 21)
})

t.test('where a network counts requests, a post counts as many as it takes', async (t) => {
  const mastodon = scriptedNetwork()
  const { connectAccount, post, work } = await createDeliveryWorld(t, { mastodon })
  const account = await connectAccount('mastodon')
  for (let index = 0; index < 31; index++) await post({ accountIds: [account], caption: String(index) })
  await work()
  t.equal(mastodon.posts.length, 30, 'ten of 300 in five minutes for each')
  await work(5 * MINUTE)
  t.equal(mastodon.posts.length, 31)
})

const parked = (db: DeliveryWorld['db']) =>
  db.selectFrom('postTargets').select('postId').where('parked', '=', true).execute()

/** How many rows of a table are looked at to claim what is due on one network. Nothing is kept of what was claimed. */
async function lookedAt(
  { db, time }: DeliveryWorld,
  platform: string,
  { table = 'post_targets', without = ['seqscan', 'bitmapscan'] } = {},
) {
  const seen: { claimed: string[]; rows: number }[] = []
  const undone = new Error('undone')
  const look = db.transaction().execute(async (db) => {
    // As where there are many pages of them; or with as bad a plan as there may be.
    for (const each of without) await sql.raw(`set local enable_${each} = off`).execute(db)
    const rowsRead = async () => {
      const { rows } = await sql<{ count: number }>`
        select (seq_tup_read + idx_tup_fetch)::int as count from pg_stat_xact_user_tables
        where relname = ${table}`.execute(db)
      return rows[0]!.count
    }
    const before = await rowsRead()
    const claimed = await claimDue(db, { platforms: [platform], slots: [9], now: time.now })
    seen.push({ claimed: claimed.map(({ caption }) => caption), rows: (await rowsRead()) - before })
    throw undone
  })
  await look.catch((error) => {
    if (error !== undone) throw error
  })
  return seen[0]!
}

t.test('what is parked goes out in its order, and holds up nobody else', async (t) => {
  const telegram = scriptedNetwork('at-most-once', 8)
  const { db, connectAccount, post, time, work } = await createDeliveryWorld(t, { telegram })
  const [resting, other] = [await connectAccount('telegram'), await connectAccount('telegram')]
  const start = time.now.getTime() + MINUTE
  const captions = Array.from({ length: 100 }, (_, index) => String(index))
  for (const caption of captions.toReversed()) {
    const scheduledAt = new Date(start + Number(caption)).toISOString()
    await post({ accountIds: [resting], caption, scheduledAt })
  }
  later(time, 2 * MINUTE)
  await work()
  t.same(telegram.posts, ['0'], 'one message a second')
  t.equal((await parked(db)).length, 98, 'but not what comes next')
  await post({ accountIds: [other], caption: 'other' })
  await work()
  await work(SECOND)
  t.same(telegram.posts, ['0', 'other', '1'], 'and it goes on where it was')
  const early = await post({ accountIds: [resting], caption: 'early' })
  await db
    .updateTable('postTargets')
    .set({ dueAt: new Date(start) })
    .where('postId', '=', early)
    .execute()
  await work(SECOND)
  await work(SECOND)
  t.same(telegram.posts.slice(3), ['early', '2'], 'in the order of their times, whatever is parked')
})

t.test('what waits on an account is looked through once for a claim, even by a bad plan', async (t) => {
  const desk = await createDeliveryWorld(t, { mastodon: scriptedNetwork() })
  const { connectAccount, post } = desk
  const [much, little] = [await connectAccount('mastodon'), await connectAccount('mastodon')]
  for (let index = 0; index < 100; index++) await post({ accountIds: [much], caption: String(index) })
  await post({ accountIds: [little], caption: 'behind' })
  const { claimed, rows } = await lookedAt(desk, 'mastodon', { without: ['indexscan'] })
  t.same(claimed, ['0', 'behind'])
  t.ok(rows < 1_000, `${rows} rows`)
})

t.test('what is behind more than one claim looks at is found, and from then on without passing by it', async (t) => {
  const mastodon = scriptedNetwork()
  const desk = await createDeliveryWorld(t, { mastodon })
  const { ada, db, connectAccount, post, createWorker } = desk
  const [resting, other] = [await connectAccount('mastodon'), await connectAccount('mastodon')]
  const { body } = await ada.call('POST', '/posts', { accountIds: [resting], caption: 'waits' })
  await sql`
    insert into posts select (jsonb_populate_record(posts, jsonb_build_object('id', gen_random_uuid()))).*
    from posts, generate_series(1, 2000) where id = ${body.id}`.execute(db)
  await sql`
    insert into post_targets (user_id, post_id, account_id, platform, state, due_at, claimable_at)
    select user_id, id, ${resting}, 'mastodon', 'queued', '2020-01-01', '2020-01-01' from posts
    where id <> ${body.id}`.execute(db)
  await db
    .updateTable('accounts')
    .set({ availableAt: sql<Date>`now() + interval '1 day'` })
    .where('id', '=', resting)
    .execute()
  await post({ accountIds: [other], caption: 'behind' })
  const worker = createWorker()
  t.equal(await worker.claim(), 1)
  await worker.idle()
  t.same(mastodon.posts, ['behind'])
  await sql`analyze`.execute(db)
  await post({ accountIds: [other], caption: 'next' })
  const { claimed, rows } = await lookedAt(desk, 'mastodon')
  t.same(claimed, ['next'])
  t.ok(rows < 20, `${rows} rows`)
})

t.test('what is parked has its turn with the rest, by how long it has been due', async (t) => {
  const desk = await createDeliveryWorld(t, { mastodon: scriptedNetwork(), bluesky: scriptedNetwork('exactly-once') })
  const { db, connectAccount, post, createWorker, time } = desk
  const start = time.now.getTime() + MINUTE
  const write = async (accountId: string, second: number) => {
    const scheduledAt = new Date(start + second * SECOND).toISOString()
    for (const turn of [1, 2]) await post({ accountIds: [accountId], caption: `${second}-${turn}`, scheduledAt })
    return accountId
  }
  const [late, early] = [
    await write(await connectAccount('mastodon'), 4),
    await write(await connectAccount('mastodon'), 3),
  ]
  const resting = await write(await connectAccount('mastodon'), 0)
  await write(await connectAccount('bluesky'), 1)
  await db
    .updateTable('accounts')
    .set({ availableAt: new Date(start + 10 * MINUTE) })
    .execute()
  later(time, 2 * MINUTE)
  t.equal(await createWorker().claim(), 0)
  t.equal((await parked(db)).length, 8)
  const free = db.updateTable('accounts').where('id', '!=', resting)
  await free.set({ availableAt: new Date(time.now.getTime() - 10 * SECOND) }).execute()
  const platforms = ['mastodon', 'bluesky']
  t.match(await readWaiting(db, { platforms, leaseMs: LEASE_MS, now: time.now }), [
    { waitingMs: 10 * SECOND, held: false },
  ])

  await write(await connectAccount('mastodon'), 2)
  const claim = async (slots: number[]) =>
    (await claimDue(db, { platforms, slots, now: time.now })).map(({ caption }) => caption).sort()
  t.same(await claim([1, 1]), ['1-1', '2-1'])
  t.same(await claim([2, 1]), ['3-1', '4-1'])
  t.same(await claim([2, 1]), [], 'one of each account')
  const of = db.selectFrom('postTargets').select('accountId').where('parked', '=', true)
  t.equal((await of.where('accountId', 'in', [late, early]).execute()).length, 2, 'what is under way is not parked')
})

t.test('workers that look at the same moment share what is parked', async (t) => {
  const desk = await createDeliveryWorld(t, { mastodon: scriptedNetwork() })
  const { db, connectAccount, post, createWorker, time } = desk
  const accounts = await Promise.all(Array.from({ length: 6 }, () => connectAccount('mastodon')))
  for (const accountId of accounts) await post({ accountIds: [accountId], caption: accountId })
  await db
    .updateTable('accounts')
    .set({ availableAt: new Date(time.now.getTime() + MINUTE) })
    .execute()
  t.equal(await createWorker().claim(), 0)
  later(time, 2 * MINUTE)
  const claim = (db: DeliveryWorld['db']) => claimDue(db, { platforms: ['mastodon'], slots: [3], now: time.now })
  const others = await db.transaction().execute(async (first) => {
    t.equal((await claim(first)).length, 3)
    return claim(db)
  })
  t.equal(others.length, 3)
  t.same(await claim(db), [])
})

t.test('what a worker may still hold is not parked: it can end, be it late', async (t) => {
  const mastodon = scriptedNetwork()
  const { db, connectAccount, post, createWorker, time, readDelivery } = await createDeliveryWorld(t, { mastodon })
  const id = await post({ accountIds: [await connectAccount('mastodon')], caption: 'late' })
  const gate = Promise.withResolvers<void>()
  mastodon.steps.push({ isAccepted: true, beforeResponse: () => gate.promise })
  const slow = createWorker()
  t.equal(await slow.claim(), 1)
  await until(() => mastodon.posts.length === 1)
  const availableAt = new Date(time.now.getTime() + 10 * MINUTE)
  await db.updateTable('accounts').set({ availableAt }).execute()
  later(time, MINUTE)
  t.equal(await createWorker().claim(), 0)
  gate.resolve()
  await slow.idle()
  t.match(await readDelivery(id), { state: 'published' })
  t.same(await countDue(db, { now: time.now }), [{ count: 0 }])
})

t.test('what is parked is due no more when it is marked as published', async (t) => {
  const { db, connectAccount, post, createWorker, time } = await createDeliveryWorld(t, { mastodon: scriptedNetwork() })
  const accountIds = [await connectAccount('mastodon')]
  const id = await post({ accountIds, caption: 'by hand' })
  await db
    .updateTable('accounts')
    .set({ availableAt: new Date(time.now.getTime() + MINUTE) })
    .execute()
  t.equal(await createWorker().claim(), 0)
  t.same(await parked(db), [{ postId: id }])
  t.same(await countDue(db, { now: time.now }), [{ count: 1 }])
  t.equal(await markPostPublished(db, id), 'published')
  t.same(await countDue(db, { now: time.now }), [{ count: 0 }])
})

t.test('a worker that dies before the call loses nothing: another one sends it when the lease has ended', async (t) => {
  const mastodon = scriptedNetwork('at-most-once')
  const { connectAccount, post, createWorker, work, time, readDelivery } = await createDeliveryWorld(t, { mastodon })
  const id = await post({ accountIds: [await connectAccount('mastodon')], caption: 'once' })
  const forever = new Promise<void>(() => {})
  const dying = createWorker({
    networks: { mastodon: beforePrepare(scriptedNetwork('at-most-once'), () => forever) },
  })
  t.equal(await dying.claim(), 1)
  t.equal((await readDelivery(id)).state, 'publishing')
  await work(LEASE_MS - SECOND)
  t.same(mastodon.posts, [], 'not while the lease may be renewed')
  later(time, SECOND)
  await work()
  t.same(mastodon.posts, ['once'])
})

t.test('a worker that dies after the call leaves an intent behind, which is asked about or unconfirmed', async (t) => {
  const [mastodon, telegram] = [scriptedNetwork(), scriptedNetwork('at-most-once')]
  const { connectAccount, post, createWorker, work, readDelivery, ada } = await createDeliveryWorld(t, {
    mastodon,
    telegram,
  })
  const [asked, never] = [await connectAccount('mastodon'), await connectAccount('telegram')]
  const id = await post({ accountIds: [asked, never], caption: 'once' })
  const forever = () => new Promise<void>(() => {})
  mastodon.steps.push({ isAccepted: true, beforeResponse: forever })
  telegram.steps.push({ isAccepted: true, beforeResponse: forever })
  t.equal(await createWorker().claim(), 2)
  await until(() => mastodon.posts.length + telegram.posts.length === 2)
  t.match(await ada.call('DELETE', `/posts/${id}`), {
    status: 409,
    body: { error: 'Cannot delete post while it is being published' },
  })
  await work(LEASE_MS)
  t.equal(mastodon.reconcileCount, 0, 'the call may still arrive')
  await work(MINUTE)
  t.same([mastodon.posts, telegram.posts], [['once'], ['once']])
  t.match(await readDelivery(id, asked), { state: 'published', history: [{ outcome: 'found' }] })
  t.match(await readDelivery(id, never), { state: 'unconfirmed', error: { code: 'interrupted' } })
})

t.test('a worker that was taken over sends nothing more, and what it writes does not count', async (t) => {
  const mastodon = scriptedNetwork()
  const { connectAccount, post, createWorker, work, readDelivery, time } = await createDeliveryWorld(t, { mastodon })
  const account = await connectAccount('mastodon')
  const threadParts = { [account]: ['one', 'two'] }
  const id = await post({ accountIds: [account], postType: 'thread', threadParts })
  const gate = Promise.withResolvers<void>()
  mastodon.steps.push({ isAccepted: true, beforeResponse: () => gate.promise })
  const slow = createWorker()
  await slow.claim()
  await until(() => mastodon.posts.length === 1)
  await work(MINUTE)
  t.same(mastodon.posts, ['one', 'two'])
  const before = await readDelivery(id)
  t.match(before, { state: 'published' })
  gate.resolve()
  await slow.idle()
  t.same(mastodon.posts, ['one', 'two'])
  t.same(await readDelivery(id), before)
  await post({ accountIds: [account], caption: 'next' })
  later(time, MINUTE)
  await work()
  t.same(mastodon.posts, ['one', 'two', 'next'], 'the account is free')
})

t.test('a worker that was taken over before its call does not make it', async (t) => {
  const mastodon = scriptedNetwork()
  const { connectAccount, post, createWorker, work, time } = await createDeliveryWorld(t, { mastodon })
  const gate = Promise.withResolvers<void>()
  await post({ accountIds: [await connectAccount('mastodon')], caption: 'once' })
  const slow = createWorker({ networks: { mastodon: beforePrepare(mastodon, () => gate.promise) } })
  await slow.claim()
  later(time, MINUTE)
  await work()
  t.same(mastodon.posts, ['once'])
  gate.resolve()
  await slow.idle()
  t.same(mastodon.posts, ['once'])
})

t.test('a lease that is renewed is not taken over; one that is lost stops the work', async (t) => {
  const mastodon = scriptedNetwork()
  const { connectAccount, post, createWorker, work, time } = await createDeliveryWorld(t, { mastodon })
  await post({ accountIds: [await connectAccount('mastodon')], caption: 'long' })
  const gate = Promise.withResolvers<void>()
  let isAborted = false
  const long = beforePrepare(mastodon, (_act, io) => {
    io.signal.addEventListener('abort', () => {
      isAborted = true
    })
    return gate.promise
  })
  const slow = createWorker({ networks: { mastodon: long } })
  await slow.claim()
  for (let turn = 0; turn < 10; turn++) {
    later(time, LEASE_MS - SECOND)
    await slow.renew()
    await work()
  }
  t.same(mastodon.posts, [])
  t.notOk(isAborted)
  later(time, LEASE_MS)
  await work()
  t.same(mastodon.posts, ['long'])
  await slow.renew()
  t.ok(isAborted)
  gate.resolve()
  await slow.idle()
  t.same(mastodon.posts, ['long'])
})

t.test('a worker that stops gives back what it has not sent, and finishes what it has', async (t) => {
  const mastodon = scriptedNetwork('reconcilable', 2)
  const { connectAccount, post, createWorker, work, readDelivery, time } = await createDeliveryWorld(t, { mastodon })
  const [sending, preparing] = [await connectAccount('mastodon'), await connectAccount('mastodon')]
  const first = await post({ accountIds: [sending], caption: 'sending' })
  const second = await post({ accountIds: [preparing], caption: 'preparing' })
  const stopping = createWorker({
    networks: {
      mastodon: beforePrepare(mastodon, async (act, io) => {
        const aborted = new Promise<void>((resolve) => io.signal.addEventListener('abort', () => resolve()))
        if (act.accountId === preparing) {
          await aborted
          io.signal.throwIfAborted()
        }
        mastodon.steps.push({ isAccepted: true, beforeResponse: () => aborted, error: lostResponse() })
      }),
    },
  })
  t.equal(await stopping.claim(), 2)
  await until(() => mastodon.posts.length === 1)
  await stopping.drain()
  t.match(await readDelivery(second), {
    state: 'queued',
    attempts: 0,
    error: null,
    nextAttemptAt: time.now.toISOString(),
  })
  t.match(await readDelivery(first), { state: 'queued', history: [{ outcome: 'unknown' }] })
  await work(MINUTE)
  t.same(mastodon.posts, ['sending', 'preparing'])
})

t.test('an outcome that cannot be committed at first is committed when the database is back', async (t) => {
  const telegram = scriptedNetwork('at-most-once')
  const { db, connectAccount, post, createWorker, readDelivery } = await createDeliveryWorld(t, { telegram })
  const id = await post({ accountIds: [await connectAccount('telegram')], caption: 'once' })
  let tries = 0
  telegram.steps.push({
    isAccepted: true,
    beforeResponse: () => db.schema.alterTable('delivery_attempts').renameTo('delivery_attempts_away').execute(),
  })
  const worker = createWorker({
    pause: async () => {
      if (++tries === 3) await db.schema.alterTable('delivery_attempts_away').renameTo('delivery_attempts').execute()
    },
  })
  await worker.claim()
  await worker.idle()
  t.equal(tries, 3)
  t.match(await readDelivery(id), { state: 'published', externalId: 'n1' })
})

t.test('deleting and claiming exclude each other', async (t) => {
  const mastodon = scriptedNetwork('reconcilable', 64)
  const { connectAccount, post, createWorker, ada, db } = await createDeliveryWorld(t, { mastodon })
  const account = await Promise.all(Array.from({ length: 20 }, () => connectAccount('mastodon')))
  const ids: string[] = []
  for (const [index, id] of account.entries()) ids.push(await post({ accountIds: [id], caption: String(index) }))
  const worker = createWorker()
  const [replies] = await Promise.all([
    Promise.all(ids.map((id) => ada.call('DELETE', `/posts/${id}`))),
    worker.claim(),
    worker.claim(),
  ])
  await worker.idle()
  const deleted = replies.flatMap(({ status }, index) => (status === 200 ? [String(index)] : []))
  t.same(new Set([...mastodon.posts, ...deleted]).size, 20)
  t.same(
    mastodon.posts.filter((text) => deleted.includes(text)),
    [],
    'nothing is deleted and sent',
  )
  const { count } = await db
    .selectFrom('posts')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  t.equal(count, 20 - deleted.length)
  for (const { status, body } of replies.filter(({ status }) => status !== 200)) {
    t.ok(status === 409 || (status === 400 && body.error === 'Cannot delete published post'), `${status} ${body.error}`)
  }
})

t.test('a worker whose leases cannot be renewed stops before they end', async (t) => {
  const mastodon = scriptedNetwork()
  const { db, connectAccount, post, createWorker, time } = await createDeliveryWorld(t, { mastodon })
  await post({ accountIds: [await connectAccount('mastodon')], caption: 'cut off' })
  const signals: AbortSignal[] = []
  const cutOff = createWorker({
    networks: {
      mastodon: beforePrepare(mastodon, (_act, { signal }) => {
        signals.push(signal)
        return new Promise((_, reject) => signal.addEventListener('abort', () => reject(lostResponse())))
      }),
    },
  })
  await cutOff.claim()
  await until(() => signals.length === 1)
  await db.schema.alterTable('post_targets').renameTo('post_targets_away').execute()
  later(time, 10 * SECOND)
  await t.rejects(cutOff.renew())
  t.notOk(signals[0]?.aborted)
  later(time, 6 * SECOND)
  await t.rejects(cutOff.renew())
  t.ok(signals[0]?.aborted)
  await db.schema.alterTable('post_targets_away').renameTo('post_targets').execute()
  await cutOff.idle()
})

t.test('a network whose code never ends does not hold its account for ever', async (t) => {
  for (const isIntended of [false, true]) {
    const telegram = scriptedNetwork('at-most-once')
    const { connectAccount, post, createWorker, readDelivery } = await createDeliveryWorld(t, { telegram })
    const id = await post({ accountIds: [await connectAccount('telegram')], caption: 'stuck' })
    let begun = false
    const stuck = () => {
      begun = true
      return new Promise(() => {})
    }
    const worker = createWorker({
      networks: {
        telegram: { ...telegram, [isIntended ? 'publish' : 'prepare']: stuck },
      },
    })
    await worker.claim()
    await until(() => begun)
    await worker.drain()
    t.match(await readDelivery(id), { state: isIntended ? 'unconfirmed' : 'queued' })
  }
})

t.test('a network that does not answer is left when the time for its act is over', async (t) => {
  const limits: number[] = []
  const over = mock.method(AbortSignal, 'timeout', (ms: number) => {
    limits.push(ms)
    return AbortSignal.abort(new DOMException('The operation was aborted due to timeout', 'TimeoutError'))
  })
  t.teardown(() => over.mock.restore())
  const telegram = scriptedNetwork('at-most-once')
  const { connectAccount, post, work, readDelivery } = await createDeliveryWorld(t, {
    telegram: {
      ...telegram,
      prepare: async () => ({ ready: { attempt: 1 } }),
      publish: async (_act, { signal }) => {
        signal.throwIfAborted()
        return { id: '1', url: null }
      },
    },
  })
  const id = await post({ accountIds: [await connectAccount('telegram')], caption: 'hanging' })
  await work()
  t.same(limits, [60_000])
  t.match(await readDelivery(id), { state: 'unconfirmed', attempts: 1 })
})

t.test('a worker that stops lets calls that were made have their answer', async (t) => {
  const telegram = scriptedNetwork('at-most-once')
  const { connectAccount, post, createWorker, readDelivery } = await createDeliveryWorld(t, { telegram })
  const id = await post({ accountIds: [await connectAccount('telegram')], caption: 'made' })
  const gate = Promise.withResolvers<void>()
  telegram.steps.push({ isAccepted: true, beforeResponse: () => gate.promise })
  const stopping = createWorker({ networks: { telegram: withAbortableCalls(telegram) } })
  await stopping.claim()
  await until(() => telegram.posts.length === 1)
  const drained = stopping.drain({ calls: false })
  gate.resolve()
  await drained
  t.match(await readDelivery(id), { state: 'published', attempts: 1 })
})

t.test('a worker that stops while it asks a network leaves the question to others, at once', async (t) => {
  const mastodon = scriptedNetwork()
  const { connectAccount, post, createWorker, work, readDelivery, time } = await createDeliveryWorld(t, { mastodon })
  const id = await post({ accountIds: [await connectAccount('mastodon')], caption: 'once' })
  mastodon.steps.push({ isAccepted: true, error: lostResponse() })
  await work()
  later(time, MINUTE)
  let isAsking = false
  const stopping = createWorker({
    networks: {
      mastodon: {
        ...mastodon,
        reconcile: (_act, _credentials, { signal }) => {
          isAsking = true
          return new Promise((_, reject) => signal.addEventListener('abort', () => reject(lostResponse())))
        },
      },
    },
  })
  await stopping.claim()
  await until(() => isAsking)
  await stopping.drain()
  t.match(await readDelivery(id), {
    state: 'queued',
    nextAttemptAt: time.now.toISOString(),
    history: [{ outcome: 'unknown' }],
  })
  await work()
  t.same(mastodon.posts, ['once'])
  t.match(await readDelivery(id), { state: 'published', externalId: 'n1', attempts: 1 })
})

t.test('a worker that stops begins no call, neither the first one nor the next', async (t) => {
  const mastodon = scriptedNetwork()
  const { connectAccount, post, createWorker, work, readDelivery } = await createDeliveryWorld(t, { mastodon })
  const [begun, gate] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const id = await post({ accountIds: [await connectAccount('mastodon')], caption: 'first' })
  const deaf = createWorker({
    networks: {
      mastodon: beforePrepare(mastodon, () => {
        begun.resolve()
        return gate.promise
      }),
    },
  })
  await deaf.claim()
  await begun.promise
  const drained = deaf.drain({ calls: false })
  gate.resolve()
  await drained
  t.same(mastodon.posts, [], 'even where the network does not heed it')
  t.match(await readDelivery(id), { state: 'queued', attempts: 0, error: null })
  await work()

  const account = await connectAccount('mastodon')
  const thread = await post({ accountIds: [account], postType: 'thread', threadParts: { [account]: ['one', 'two'] } })
  const preparing = Promise.withResolvers<void>()
  const stopping = createWorker({
    networks: {
      mastodon: beforePrepare(mastodon, (act, io) => {
        if (act.text === 'one') return
        preparing.resolve()
        return new Promise((_, reject) => io.signal.addEventListener('abort', () => reject(lostResponse())))
      }),
    },
  })
  await stopping.claim()
  await preparing.promise
  await stopping.drain({ calls: false })
  t.match(await readDelivery(thread), { state: 'queued', acts: { length: 1 }, attempts: 1 })
  await work()
  t.same(mastodon.posts, ['first', 'one', 'two'])
})

t.test('a call that begins late in its lease has enough of it', async (t) => {
  const telegram = scriptedNetwork('at-most-once')
  const { connectAccount, post, createWorker, work, time, readDelivery } = await createDeliveryWorld(t, { telegram })
  const account = await connectAccount('telegram')
  const id = await post({ accountIds: [account], caption: 'first' })
  await post({ accountIds: [account], caption: 'second' })
  const [uploading, calling] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  telegram.steps.push({ isAccepted: true, beforeResponse: () => calling.promise })
  const slow = createWorker({ networks: { telegram: beforePrepare(telegram, () => uploading.promise) } })
  await slow.claim()
  later(time, LEASE_MS / 2)
  uploading.resolve()
  await until(() => telegram.posts.length === 1)
  later(time, LEASE_MS - SECOND)
  await work()
  t.same(telegram.posts, ['first'], 'nobody takes it over, or anything else of its account')
  calling.resolve()
  await slow.idle()
  t.match(await readDelivery(id), { state: 'published', attempts: 1 })
})

t.test('nothing else of an account is begun while one delivery prepares, however long', async (t) => {
  const mastodon = scriptedNetwork()
  const { connectAccount, post, createWorker, time, readDelivery } = await createDeliveryWorld(t, { mastodon })
  const account = await connectAccount('mastodon')
  const gate = Promise.withResolvers<void>()
  const slow = createWorker({ networks: { mastodon: beforePrepare(mastodon, () => gate.promise) } })
  await post({ accountIds: [account], caption: 'first' })
  const second = await post({ accountIds: [account], caption: 'second' })
  const { nextAttemptAt } = await readDelivery(second)
  t.equal(await slow.claim(), 1)
  t.match(await readDelivery(second), { state: 'queued', nextAttemptAt }, 'as soon as the account is free')
  for (let turn = 0; turn < 5; turn++) {
    t.equal(await createWorker().claim(), 0)
    later(time, LEASE_MS - SECOND)
    await slow.renew()
  }
  gate.resolve()
  await slow.idle()
  t.same(mastodon.posts, ['first'])
})

t.test('an outcome whose commit was answered by nobody counts once', async (t) => {
  const bluesky = scriptedNetwork('exactly-once')
  const { db, connectAccount, post, createWorker, work, readDelivery } = await createDeliveryWorld(t, { bluesky })
  const account = await connectAccount('bluesky')
  const threadParts = { [account]: ['one', 'two', 'three'] }
  const id = await post({ accountIds: [account], postType: 'thread', threadParts })
  let lostAnswers = 0
  const deaf = new Proxy(db, {
    get: (target, name) => {
      if (name !== 'executeQuery') return Reflect.get(target, name)
      return async (query: CompiledQuery) => {
        const result = await target.executeQuery(query)
        if (query.sql.includes('jsonb_array_length(delivery.sent)') && lostAnswers++ === 0)
          throw new Error('Connection terminated unexpectedly')
        return result
      }
    },
  })
  const worker = createWorker({ db: deaf })
  await worker.claim()
  await worker.idle()
  t.ok(lostAnswers > 1, 'it was committed again')
  await work(MINUTE)
  t.same(bluesky.posts, ['one', 'two', 'three'])
  t.match(await readDelivery(id), { state: 'published', attempts: 3, acts: { length: 3 } })
})

t.test('a delivery that was taken, and not sent yet, is not sent when its post is marked as published', async (t) => {
  const mastodon = scriptedNetwork()
  const { db, connectAccount, post, createWorker, work, readDelivery } = await createDeliveryWorld(t, { mastodon })
  const gate = Promise.withResolvers<void>()
  const slow = createWorker({ networks: { mastodon: beforePrepare(mastodon, () => gate.promise) } })
  const id = await post({ accountIds: [await connectAccount('mastodon')], caption: 'by hand' })
  await slow.claim()
  t.equal(await markPostPublished(db, id), 'published')
  gate.resolve()
  await slow.idle()
  await work(MINUTE)
  t.same(mastodon.posts, [])
  t.match(await readDelivery(id), { state: 'published', attempts: 0 })

  const calling = Promise.withResolvers<void>()
  mastodon.steps.push({ isAccepted: true, beforeResponse: () => calling.promise })
  const busy = await post({ accountIds: [await connectAccount('mastodon')], caption: 'busy' })
  const worker = createWorker()
  await worker.claim()
  await until(() => mastodon.posts.length === 1)
  t.equal(await markPostPublished(db, busy), 'busy')
  calling.resolve()
  await worker.idle()
  t.match(await readDelivery(busy), { state: 'published', externalId: 'n1' })
})

t.test('a worker that stood still after its intent was committed does not make its call', async (t) => {
  const mastodon = scriptedNetwork()
  const { connectAccount, post, createWorker, work, readDelivery } = await createDeliveryWorld(t, { mastodon })
  const id = await post({ accountIds: [await connectAccount('mastodon')], caption: 'asleep' })
  let uptime = 0
  const asleep = createWorker({
    uptimeMs: () => {
      uptime += 20 * SECOND
      return uptime
    },
  })
  await asleep.claim()
  await asleep.idle()
  t.same(mastodon.posts, [])
  await work(MINUTE)
  t.same(mastodon.posts, ['asleep'])
  t.match((await readDelivery(id)).history, [{ outcome: 'failed' }, { outcome: 'published' }])
  t.equal(mastodon.reconcileCount, 0, 'it is known that nothing was sent')
})

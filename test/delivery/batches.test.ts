import { setTimeout as pause } from 'node:timers/promises'
import { type CompiledQuery, sql } from 'kysely'
import t, { type Test } from 'tap'
import type { Db } from '../../db/client.ts'
import type { ClaimedDelivery } from '../../db/queries/delivery/claim.ts'
import { intendAct } from '../../db/queries/delivery/intend.ts'
import { renewLeases } from '../../db/queries/delivery/renew.ts'
import { type Settlement, settleAct, unpublish } from '../../db/queries/delivery/settle.ts'
import { sandboxStore } from '../../db/queries/sandbox.ts'
import { SQLSTATE } from '../../db/sqlstate.ts'
import { CALL_LEASE_MS, LEASE_MS } from '../../src/delivery/timing.ts'
import { claimDue, createDeliveryWorld, type DeliveryWorld } from '../helpers/publisher.ts'
import { scriptedNetwork } from '../helpers/scripted-network.ts'

/** Counts what is sent to the database, each time that it is. */
function counted(db: Db): { db: Db; statements: string[] } {
  const statements: string[] = []
  const executeQuery = (query: CompiledQuery) => {
    statements.push(query.sql)
    return db.executeQuery(query)
  }
  const get = (target: Db, key: string) => {
    if (key === 'executeQuery') return executeQuery
    const value = Reflect.get(target, key, target)
    return typeof value === 'function' ? value.bind(target) : value
  }
  return { db: new Proxy(db, { get: get as never }), statements }
}

const published = (id: string): Settlement => ({
  state: 'published',
  sent: [{ id, url: null }],
  sentBefore: 0,
  mayBeSent: false,
  mayUnpublish: false,
  keepsLease: false,
  prepared: null,
  isWaiting: false,
  failures: 0,
  error: null,
  outcome: 'published',
  act: 1,
  startedMsAgo: 0,
  retryInMs: null,
  accountRestsMs: 0,
  attention: null,
})

const intentOf = (delivery: ClaimedDelivery) => ({
  ...delivery,
  act: 1,
  prepared: null,
  startedMsAgo: 0,
  callLeaseMs: CALL_LEASE_MS,
  leaseMs: LEASE_MS,
  now: null,
})

/** Posts of one delivery each, which are claimed. */
async function claimed({ db, connectAccount, post, time }: DeliveryWorld, count: number): Promise<ClaimedDelivery[]> {
  for (let number = 0; number < count; number++) {
    await post({ accountIds: [await connectAccount('mastodon')], caption: `post ${number}` })
  }
  return claimDue(db, { platforms: ['mastodon'], slots: [count], now: time.now })
}

t.test(
  'what is intended and settled at once takes one statement, and a lost lease is lost to its holder alone',
  async (t) => {
    const desk = await createDeliveryWorld(t, { mastodon: scriptedNetwork() })
    const deliveries = await claimed(desk, 5)
    const lose = (accountId: string) =>
      desk.db
        .updateTable('postTargets')
        .set({ leaseToken: sql<string>`gen_random_uuid()` })
        .where('accountId', '=', accountId)
        .execute()
    const { db, statements } = counted(desk.db)

    await lose(deliveries[1]!.accountId)
    const held = await Promise.all(deliveries.map((delivery) => intendAct(db, intentOf(delivery))))
    t.same(held, [true, false, true, true, true])
    t.equal(statements.length, 1)

    await lose(deliveries[3]!.accountId)
    const lease = (delivery: ClaimedDelivery) => ({ ...delivery, now: null })
    const settled = await Promise.all(
      deliveries.map((delivery, index) => settleAct(db, lease(delivery), published(`n${index}`))),
    )
    t.same(settled, [true, false, true, false, true])
    t.equal(statements.length, 2)

    const became = await Promise.all(deliveries.map(({ postId }) => desk.readDelivery(postId)))
    t.match(became, [
      { state: 'published', externalId: 'n0', attempts: 1, history: [{ outcome: 'published' }] },
      { state: 'publishing', acts: { length: 0 }, attempts: 0 },
      { state: 'published', externalId: 'n2', attempts: 1, history: [{ outcome: 'published' }] },
      { state: 'publishing', acts: { length: 0 }, attempts: 1, history: [{ outcome: null }] },
      { state: 'published', externalId: 'n4', attempts: 1, history: [{ outcome: 'published' }] },
    ])
    const statuses = await Promise.all(deliveries.map(({ postId }) => desk.readStatus(postId)))
    t.same(statuses, ['published', 'scheduled', 'published', 'scheduled', 'published'])
  },
)

/** Connections that wait for a lock. */
const waiting = (db: Db) =>
  sql`select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`.execute(db)

t.test('who is taken over holds nothing any more, while the other one is still at it', async (t) => {
  const desk = await createDeliveryWorld(t, { mastodon: scriptedNetwork() })
  const { db, time } = desk
  const [lost] = await claimed(desk, 1)
  time.now = new Date(time.now.getTime() + LEASE_MS)
  const [held] = await claimDue(db, { platforms: ['mastodon'], slots: [1], now: time.now })
  t.equal(held?.postId, lost!.postId)
  const renewed = ({ userId, postId, accountId, leaseToken }: ClaimedDelivery) => {
    const keys = { userIds: [userId], postIds: [postId], accountIds: [accountId], leaseTokens: [leaseToken] }
    return renewLeases(db, { leaseMs: LEASE_MS, ...keys, now: time.now })
  }
  t.same(await renewed(lost!), [])
  t.notOk(await intendAct(db, intentOf(lost!)))
  t.notOk(await settleAct(db, { ...lost!, now: null }, published('lost')))
  t.match(await renewed(held!), [{ leaseToken: held!.leaseToken }])
  t.ok(await intendAct(db, intentOf(held!)))
  t.ok(await settleAct(db, { ...held!, now: null }, published('held')))
  t.match(await desk.readDelivery(held!.postId), { state: 'published', externalId: 'held' })
})

t.test('who claims does not wait for what somebody else has locked', async (t) => {
  const desk = await createDeliveryWorld(t, { mastodon: scriptedNetwork() })
  const { db, time } = desk
  const [locked, free] = [await desk.connectAccount('mastodon'), await desk.connectAccount('mastodon')]
  for (const account of [locked, free]) await desk.post({ accountIds: [account], caption: 'due' })
  for (const table of ['post_targets', 'accounts'] as const) {
    const column = table === 'accounts' ? 'id' : 'account_id'
    await db.transaction().execute(async (holding) => {
      await sql`select from ${sql.table(table)} where ${sql.ref(column)} = ${locked} for update`.execute(holding)
      let isDone = false
      const claim = claimDue(db, { platforms: ['mastodon'], slots: [2], now: time.now }).then((found) => {
        isDone = true
        return found
      })
      while (!isDone && (await waiting(db)).rows.length === 0) await pause(1)
      t.ok(isDone, `a row of ${table}`)
      // Not awaited where it waits: it ends with the lock.
      if (isDone) t.match(await claim, table === 'post_targets' ? [{ accountId: free }] : [])
    })
  }
})

t.test('what the database does not take of one act does not hold up the others', async (t) => {
  const desk = await createDeliveryWorld(t, { mastodon: scriptedNetwork() })
  const deliveries = await claimed(desk, 3)
  await Promise.all(deliveries.map((delivery) => intendAct(desk.db, intentOf(delivery))))
  const error = { code: 'content_refused', message: 'jsonb has no \u0000', retryable: false }
  const results = await Promise.allSettled(
    deliveries.map((delivery, index) =>
      settleAct(desk.db, { ...delivery, now: null }, { ...published(`n${index}`), ...(index === 1 && { error }) }),
    ),
  )
  t.match(results, [{ value: true }, { reason: { code: SQLSTATE.UNTRANSLATABLE_CHARACTER } }, { value: true }])

  const store = sandboxStore(desk.db)
  const call = { accepted: true, fault: null, kind: 'post' as const, text: '', fields: {}, media: [], parentId: null }
  const nobody = '01920000-0000-7000-8000-00000000000a'
  const calls = await Promise.allSettled(
    [deliveries[0]!.accountId, nobody, deliveries[2]!.accountId].map((accountId) =>
      store.keep({ ...call, accountId, token: nobody, number: 1 }),
    ),
  )
  t.match(calls, [
    { status: 'fulfilled' },
    { reason: { code: SQLSTATE.FOREIGN_KEY_VIOLATION } },
    { status: 'fulfilled' },
  ])
})

t.test('an answer that is lost is lost to all that wait for it, and what was committed counts once', async (t) => {
  const desk = await createDeliveryWorld(t, { mastodon: scriptedNetwork() })
  const deliveries = await claimed(desk, 3)
  await Promise.all(deliveries.map((delivery) => intendAct(desk.db, intentOf(delivery))))
  const { db, statements } = counted(desk.db)
  const deaf = new Proxy(db, {
    get: (target, key) => {
      if (key !== 'executeQuery') return Reflect.get(target, key)
      return async (query: CompiledQuery) => {
        await target.executeQuery(query)
        throw new Error('Connection terminated unexpectedly')
      }
    },
  })
  const settle = (db: Db) =>
    Promise.allSettled(
      deliveries.map((delivery, index) => settleAct(db, { ...delivery, now: null }, published(`n${index}`))),
    )
  t.match(await settle(deaf), Array(3).fill({ reason: { message: 'Connection terminated unexpectedly' } }))
  t.equal(statements.length, 1, 'it was not sent again')
  t.match(await settle(db), Array(3).fill({ value: false }))
  const became = await Promise.all(deliveries.map(({ postId }) => desk.readDelivery(postId)))
  t.match(became, [{ externalId: 'n0' }, { externalId: 'n1' }, { externalId: 'n2' }])
})

/** Begins `work` while what `holding` does is not committed yet, and gives what comes of it when it is. */
async function beginWhile<T>(db: Db, holding: (db: Db) => Promise<unknown>, work: () => Promise<T>): Promise<T> {
  let begun: Promise<T> | undefined
  let isDone = false
  await db.transaction().execute(async (tx) => {
    await holding(tx)
    begun = work().finally(() => {
      isDone = true
    })
    const waiting = () =>
      sql`select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`.execute(db)
    while (!isDone && (await waiting()).rows.length === 0) await pause(1)
  })
  return begun!
}

t.test('a post is published by what is out, though somebody was about to make it scheduled again', async (t) => {
  const desk = await createDeliveryWorld(t, { mastodon: scriptedNetwork() })
  const { ada, db, time } = desk
  const accountIds = [await desk.connectAccount('mastodon'), await desk.connectAccount('mastodon')]
  const id = await desk.post({ accountIds, caption: 'out' })
  const [out, other] = await claimDue(db, { platforms: ['mastodon'], slots: [2], now: time.now })
  await db.updateTable('posts').set({ status: 'published' }).execute()
  const held = await beginWhile(
    db,
    async (tx) => {
      await settleAct(tx, { ...other!, now: null }, { ...published('n'), state: 'failed', sent: [], outcome: 'failed' })
      await unpublish(tx, { userId: ada.id, postId: id })
    },
    async () => (await intendAct(db, intentOf(out!))) && settleAct(db, { ...out!, now: null }, published('n1')),
  )
  t.equal(held, true)
  t.match(await desk.readDelivery(id, out!.accountId), { state: 'published' })
  t.equal(await desk.readStatus(id), 'published')
})

t.test('an attempt is over in the ledger, though it was begun after the statement that ends it', async (t) => {
  const desk = await createDeliveryWorld(t, { mastodon: scriptedNetwork() })
  const [delivery] = await claimed(desk, 1)
  const held = await beginWhile(
    desk.db,
    (tx) => intendAct(tx, intentOf(delivery!)),
    () =>
      settleAct(
        desk.db,
        { ...delivery!, now: null },
        { ...published('n'), state: 'queued', sent: [], outcome: 'failed', retryInMs: 0 },
      ),
  )
  t.equal(held, true)
  t.match(await desk.readDelivery(delivery!.postId), { state: 'queued', attempts: 1, history: [{ outcome: 'failed' }] })
})

/** What orders the rows of a table. */
const KEYS = { posts: 'user_id, id', post_targets: 'user_id, post_id, account_id' }

/**
 * Does `begin`, by which `count` statements come to wait for the row in the middle of a table: somebody else has it. They
 * have nothing behind it then, so that neither of them can have what the other one needs first.
 */
async function meetInOrder(t: Test, db: Db, table: keyof typeof KEYS, count: number, begin: () => void) {
  const places = async (lock = '') => {
    const { rows } = await sql<{ place: string }>`
      select ctid::text as place from ${sql.table(table)} order by ${sql.raw(`${KEYS[table]} ${lock}`)}`.execute(db)
    return rows.map(({ place }) => place)
  }
  // From the last one to the first, so that a scan of the table would come to them in this order.
  for (const place of (await places()).reverse()) {
    await sql`update ${sql.table(table)} set user_id = user_id where ctid = ${place}::tid`.execute(db)
  }
  const rows = await places()
  const middle = rows.length / 2
  await db.transaction().execute(async (holding) => {
    await sql`select from ${sql.table(table)} where ctid = ${rows[middle]}::tid for update`.execute(holding)
    begin()
    while ((await waiting(db)).rows.length < count) await pause(1)
    t.strictSame(await places('for no key update skip locked'), rows.slice(middle + 1), `free ${table}`)
  })
}

const fromTheEnd = (deliveries: ClaimedDelivery[]) => deliveries.toSorted((a, b) => b.postId.localeCompare(a.postId))

t.test('what comes to the same deliveries, in whatever order, locks them in one', async (t) => {
  const desk = await createDeliveryWorld(t, { mastodon: scriptedNetwork() })
  const { db, time } = desk
  const deliveries = fromTheEnd(await claimed(desk, 8))
  const all = <K extends keyof ClaimedDelivery>(key: K) => deliveries.map((delivery) => delivery[key])
  const keys = { userIds: all('userId'), postIds: all('postId'), accountIds: all('accountId') }
  const works: (() => Promise<unknown[]>)[] = [
    () => renewLeases(db, { leaseMs: LEASE_MS, ...keys, leaseTokens: all('leaseToken'), now: time.now }),
    () => Promise.all(deliveries.map((delivery) => intendAct(db, intentOf(delivery)))),
    () => Promise.all(deliveries.map((delivery) => settleAct(db, { ...delivery, now: null }, published('n')))),
  ]
  for (const work of works) {
    let done: Promise<unknown[]> | undefined
    await meetInOrder(t, db, 'post_targets', 1, () => {
      done = work()
    })
    t.equal((await done)?.filter(Boolean).length, deliveries.length)
  }
})

t.test('two workers that come to the same posts from both ends do not get in the way of each other', async (t) => {
  const desk = await createDeliveryWorld(t, { mastodon: scriptedNetwork() })
  const postIds: string[] = []
  for (let number = 0; number < 8; number++) {
    const accountIds = [await desk.connectAccount('mastodon'), await desk.connectAccount('mastodon')]
    postIds.push(await desk.post({ accountIds, caption: `post ${number}` }))
  }
  const deliveries = fromTheEnd(await claimDue(desk.db, { platforms: ['mastodon'], slots: [16], now: desk.time.now }))
  await Promise.all(deliveries.map((delivery) => intendAct(desk.db, intentOf(delivery))))
  const workers = [counted(desk.db), counted(desk.db)]
  const batches = [0, 1].map((index) => deliveries.filter((_, place) => place % 2 === index))
  batches[1]!.reverse()
  const settled: Promise<boolean[]>[] = []
  await meetInOrder(t, desk.db, 'posts', 2, () => {
    for (const [index, batch] of batches.entries()) {
      const { db } = workers[index]!
      settled.push(
        Promise.all(batch.map((delivery) => settleAct(db, { ...delivery, now: null }, published(delivery.accountId)))),
      )
    }
  })
  t.same(await Promise.all(settled), Array(2).fill(Array(8).fill(true)))
  t.same(
    workers.map(({ statements }) => statements.length),
    [1, 1],
    'neither had to be tried again',
  )
  t.same(await Promise.all(postIds.map((id) => desk.readStatus(id))), Array(8).fill('published'))
})

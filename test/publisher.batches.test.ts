import { setTimeout as pause } from 'node:timers/promises'
import { type CompiledQuery, sql } from 'kysely'
import t from 'tap'
import type { Db } from '../db/client.ts'
import {
  type ClaimedDelivery,
  claimDeliveries,
  intendAct,
  type Settlement,
  settleAct,
} from '../db/queries/deliveries.ts'
import { sandboxStore } from '../db/queries/sandbox.ts'
import { createDesk, type Desk } from './helpers/publisher.ts'
import { scriptedNetwork } from './helpers/scripted-network.ts'

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
  mayBeOut: false,
  failures: 0,
  error: null,
  outcome: 'published',
  act: 1,
  startedAt: null,
  retryInMs: null,
  accountRestsMs: 0,
  attention: null,
})

const intentOf = (delivery: ClaimedDelivery) => ({ ...delivery, act: 1, startedAt: null, now: null })

/** Posts of one delivery each, which are claimed. */
async function claimed({ db, connected, post, time }: Desk, count: number): Promise<ClaimedDelivery[]> {
  for (let number = 0; number < count; number++) {
    await post({ accountIds: [await connected('mastodon')], caption: `post ${number}` })
  }
  return claimDeliveries(db, { platforms: ['mastodon'], slots: [count], now: time.now })
}

t.test(
  'what is intended and settled at once takes one statement, and a lost lease is lost to its holder alone',
  async (t) => {
    const desk = await createDesk(t, { mastodon: scriptedNetwork() })
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

    const became = await Promise.all(deliveries.map(({ postId }) => desk.delivery(postId)))
    t.match(became, [
      { state: 'published', externalId: 'n0', attempts: 1, history: [{ outcome: 'published' }] },
      { state: 'publishing', acts: { length: 0 }, attempts: 0 },
      { state: 'published', externalId: 'n2', attempts: 1, history: [{ outcome: 'published' }] },
      { state: 'publishing', acts: { length: 0 }, attempts: 1, history: [{ outcome: null }] },
      { state: 'published', externalId: 'n4', attempts: 1, history: [{ outcome: 'published' }] },
    ])
    const statuses = await Promise.all(deliveries.map(({ postId }) => desk.status(postId)))
    t.same(statuses, ['published', 'scheduled', 'published', 'scheduled', 'published'])
  },
)

t.test('what the database does not take of one act does not hold up the others', async (t) => {
  const desk = await createDesk(t, { mastodon: scriptedNetwork() })
  const deliveries = await claimed(desk, 3)
  await Promise.all(deliveries.map((delivery) => intendAct(desk.db, intentOf(delivery))))
  const error = { code: 'content_refused', message: 'jsonb has no \u0000', retryable: false }
  const results = await Promise.allSettled(
    deliveries.map((delivery, index) =>
      settleAct(desk.db, { ...delivery, now: null }, { ...published(`n${index}`), ...(index === 1 && { error }) }),
    ),
  )
  t.match(results, [{ value: true }, { reason: { code: '22P05' } }, { value: true }])

  const store = sandboxStore(desk.db)
  const call = { accepted: true, fault: null, kind: 'post' as const, text: '', fields: {}, media: [], parentId: null }
  const nobody = '01920000-0000-7000-8000-00000000000a'
  const calls = await Promise.allSettled(
    [deliveries[0]!.accountId, nobody, deliveries[2]!.accountId].map((accountId) =>
      store.keep({ ...call, accountId, token: nobody, number: 1 }),
    ),
  )
  t.match(calls, [{ status: 'fulfilled' }, { reason: { code: '23503' } }, { status: 'fulfilled' }])
})

t.test('an answer that is lost is lost to all that wait for it, and what was committed counts once', async (t) => {
  const desk = await createDesk(t, { mastodon: scriptedNetwork() })
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
  const became = await Promise.all(deliveries.map(({ postId }) => desk.delivery(postId)))
  t.match(became, [{ externalId: 'n0' }, { externalId: 'n1' }, { externalId: 'n2' }])
})

t.test('two workers that come to the same posts from both ends do not get in the way of each other', async (t) => {
  const desk = await createDesk(t, { mastodon: scriptedNetwork() })
  const postIds: string[] = []
  for (const caption of ['one', 'two']) {
    postIds.push(
      await desk.post({ accountIds: [await desk.connected('mastodon'), await desk.connected('mastodon')], caption }),
    )
  }
  const deliveries = await claimDeliveries(desk.db, { platforms: ['mastodon'], slots: [4], now: desk.time.now })
  await Promise.all(deliveries.map((delivery) => intendAct(desk.db, intentOf(delivery))))
  const [first, second] = postIds.map((id) => deliveries.filter(({ postId }) => postId === id))
  const workers = [counted(desk.db), counted(desk.db)]
  const batches = [
    [first![0]!, second![0]!],
    [second![1]!, first![1]!],
  ]
  const settled: Promise<boolean[]>[] = []
  // Until both of them wait, somebody else has the post that one of them would come to first, and the other one last.
  await desk.db.transaction().execute(async (db) => {
    await db.selectFrom('posts').select('id').where('id', '=', postIds[0]!).forUpdate().execute()
    for (const [index, batch] of batches.entries()) {
      const { db } = workers[index]!
      settled.push(
        Promise.all(batch.map((delivery) => settleAct(db, { ...delivery, now: null }, published(delivery.accountId)))),
      )
    }
    const waiting = () =>
      sql`select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`.execute(desk.db)
    while ((await waiting()).rows.length < 2) await pause(1)
  })
  t.same(await Promise.all(settled), Array(2).fill([true, true]))
  t.same(
    workers.map(({ statements }) => statements.length),
    [1, 1],
    'neither had to be tried again',
  )
  t.same(await Promise.all(postIds.map((id) => desk.status(id))), ['published', 'published'])
})

import { type CompiledQuery, sql } from 'kysely'
import t from 'tap'
import type { Db } from '../../db/client.ts'
import type { ClaimedDelivery } from '../../db/queries/delivery/claim.ts'
import { intendAct } from '../../db/queries/delivery/intend.ts'
import { renewLeases } from '../../db/queries/delivery/renew.ts'
import { unpublish } from '../../db/queries/delivery/unpublish.ts'
import { sandboxStore } from '../../db/queries/sandbox.ts'
import { SQLSTATE } from '../../db/sqlstate.ts'
import { LEASE_MS } from '../../src/engine/delivery/timing.ts'
import { claimDue, createDeliveryWorld } from '../helpers/publisher.ts'
import { scriptedNetwork } from '../helpers/scripted-network.ts'
import { claimSome, intentOf, published, settle, withRecordedStatements } from '../helpers/settlement.ts'
import { blockedBackends, until } from '../helpers/until.ts'

/** Starts `work` while the transaction of `holding` is open, commits that, and returns the result of `work`. */
async function beginWhile<T>(db: Db, holding: (db: Db) => Promise<unknown>, work: () => Promise<T>): Promise<T> {
  let begun: Promise<T> | undefined
  let isDone = false
  await db.transaction().execute(async (tx) => {
    await holding(tx)
    begun = work().finally(() => {
      isDone = true
    })
    await until('the work ends, or waits for a lock', async () => isDone || (await blockedBackends(db)).length > 0)
  })
  return begun!
}

t.test('intents and outcomes of the same moment share one statement, and a lost lease fails alone', async (t) => {
  const world = await createDeliveryWorld(t, { mastodon: scriptedNetwork() })
  const deliveries = await claimSome(world, 5)
  const lose = (accountId: string) =>
    world.db
      .updateTable('postTargets')
      .set({ leaseToken: sql<string>`gen_random_uuid()` })
      .where('accountId', '=', accountId)
      .execute()
  const { db, statements } = withRecordedStatements(world.db)

  await lose(deliveries[1]!.accountId)
  const attempts = await Promise.all(deliveries.map((delivery) => intendAct(db, intentOf(delivery))))
  t.strictSame(attempts, [1, undefined, 1, 1, 1])
  t.equal(statements.length, 1)

  await lose(deliveries[3]!.accountId)
  const lease = (delivery: ClaimedDelivery) => ({ ...delivery, now: null })
  const settled = await Promise.all(
    deliveries.map((delivery, index) => settle(db, lease(delivery), published(`n${index}`))),
  )
  t.same(settled, [true, false, true, false, true])
  t.equal(statements.length, 2)

  const became = await Promise.all(deliveries.map(({ postId }) => world.readDelivery(postId)))
  t.hasStrict(became, [
    { state: 'published', externalId: 'n0', attempts: 1, history: [{ outcome: 'published' }] },
    { state: 'publishing', acts: [], attempts: 0 },
    { state: 'published', externalId: 'n2', attempts: 1, history: [{ outcome: 'published' }] },
    { state: 'publishing', acts: [], attempts: 1, history: [{ outcome: null }] },
    { state: 'published', externalId: 'n4', attempts: 1, history: [{ outcome: 'published' }] },
  ])
  const statuses = await Promise.all(deliveries.map(({ postId }) => world.readStatus(postId)))
  t.same(statuses, ['published', 'scheduled', 'published', 'scheduled', 'published'])
})

t.test('a row that the database rejects does not fail the other rows of its batch', async (t) => {
  const world = await createDeliveryWorld(t, { mastodon: scriptedNetwork() })
  const deliveries = await claimSome(world, 3)
  await Promise.all(deliveries.map((delivery) => intendAct(world.db, intentOf(delivery))))
  const error = { code: 'content_refused', message: 'jsonb has no \u0000', retryable: false }
  const results = await Promise.allSettled(
    deliveries.map((delivery, index) =>
      settle(world.db, { ...delivery, now: null }, { ...published(`n${index}`), ...(index === 1 && { error }) }),
    ),
  )
  t.hasStrict(results, [{ value: true }, { reason: { code: SQLSTATE.UNTRANSLATABLE_CHARACTER } }, { value: true }])

  const store = sandboxStore(world.db)
  const call = { accepted: true, fault: null, kind: 'post' as const, text: '', fields: {}, media: [], parentId: null }
  const nobody = '01920000-0000-7000-8000-00000000000a'
  const calls = await Promise.allSettled(
    [deliveries[0]!.accountId, nobody, deliveries[2]!.accountId].map((accountId) =>
      store.keep({ ...call, accountId, token: nobody, number: 1 }),
    ),
  )
  t.hasStrict(calls, [
    { status: 'fulfilled' },
    { reason: { code: SQLSTATE.FOREIGN_KEY_VIOLATION } },
    { status: 'fulfilled' },
  ])
})

t.test('a lost response to a batch fails all of its callers, and what was committed counts once', async (t) => {
  const world = await createDeliveryWorld(t, { mastodon: scriptedNetwork() })
  const deliveries = await claimSome(world, 3)
  await Promise.all(deliveries.map((delivery) => intendAct(world.db, intentOf(delivery))))
  const { db, statements } = withRecordedStatements(world.db)
  const unresponsive = new Proxy(db, {
    get: (target, key) => {
      if (key !== 'executeQuery') return Reflect.get(target, key)
      return async (query: CompiledQuery) => {
        await target.executeQuery(query)
        throw new Error('Connection terminated unexpectedly')
      }
    },
  })
  const settleAll = (db: Db) =>
    Promise.allSettled(
      deliveries.map((delivery, index) => settle(db, { ...delivery, now: null }, published(`n${index}`))),
    )
  t.strictSame(
    (await settleAll(unresponsive)).map((result) => result.status === 'rejected' && result.reason.message),
    Array(3).fill('Connection terminated unexpectedly'),
  )
  t.equal(statements.length, 1, 'the statement was not repeated')
  t.hasStrict(await settleAll(db), Array(3).fill({ value: false }))
  const became = await Promise.all(deliveries.map(({ postId }) => world.readDelivery(postId)))
  t.hasStrict(became, [{ externalId: 'n0' }, { externalId: 'n1' }, { externalId: 'n2' }])
})

t.test('only the holder of the lease can renew, intend and settle', async (t) => {
  const world = await createDeliveryWorld(t, { mastodon: scriptedNetwork() })
  const { db, time } = world
  const [lost] = await claimSome(world, 1)
  time.now = new Date(time.now.getTime() + LEASE_MS)
  const [held] = await claimDue(db, { platforms: ['mastodon'], slots: [1], now: time.now })
  t.equal(held?.postId, lost!.postId)
  const renewed = ({ userId, postId, accountId, leaseToken }: ClaimedDelivery) => {
    const keys = { userIds: [userId], postIds: [postId], accountIds: [accountId], leaseTokens: [leaseToken] }
    return renewLeases(db, { leaseMs: LEASE_MS, ...keys, now: time.now })
  }
  t.same(await renewed(lost!), [])
  t.notOk(await intendAct(db, intentOf(lost!)))
  t.notOk(await settle(db, { ...lost!, now: null }, published('lost')))
  t.hasStrict(await renewed(held!), [{ leaseToken: held!.leaseToken }])
  t.ok(await intendAct(db, intentOf(held!)))
  t.ok(await settle(db, { ...held!, now: null }, published('held')))
  t.hasStrict(await world.readDelivery(held!.postId), { state: 'published', externalId: 'held' })
})

t.test('a post is published although another transaction was about to make it scheduled', async (t) => {
  const world = await createDeliveryWorld(t, { mastodon: scriptedNetwork() })
  const { ada, db, time } = world
  const accountIds = [await world.connectAccount('mastodon'), await world.connectAccount('mastodon')]
  const id = await world.post({ accountIds, caption: 'out' })
  const [out, other] = await claimDue(db, { platforms: ['mastodon'], slots: [2], now: time.now })
  await db.updateTable('posts').set({ status: 'published' }).execute()
  const held = await beginWhile(
    db,
    async (tx) => {
      await settle(tx, { ...other!, now: null }, { ...published('n'), state: 'failed', sent: null, outcome: 'failed' })
      await unpublish(tx, { userId: ada.id, postId: id })
    },
    async () => (await intendAct(db, intentOf(out!))) && settle(db, { ...out!, now: null }, published('n1')),
  )
  t.equal(held, true)
  t.hasStrict(await world.readDelivery(id, out!.accountId), { state: 'published' })
  t.equal(await world.readStatus(id), 'published')
})

t.test('an attempt ends in the history, although it was stored after the statement that ends it began', async (t) => {
  const world = await createDeliveryWorld(t, { mastodon: scriptedNetwork() })
  const [delivery] = await claimSome(world, 1)
  const held = await beginWhile(
    world.db,
    (tx) => intendAct(tx, intentOf(delivery!)),
    () =>
      settle(
        world.db,
        { ...delivery!, now: null },
        {
          ...published('n'),
          state: 'queued',
          sent: null,
          outcome: 'failed',
          retryInMs: 0,
          isOpen: false,
          isWaiting: false,
        },
      ),
  )
  t.equal(held, true)
  t.hasStrict(await world.readDelivery(delivery!.postId), {
    state: 'queued',
    attempts: 1,
    history: [{ outcome: 'failed' }],
  })
})

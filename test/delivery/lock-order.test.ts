import { sql } from 'kysely'
import t, { type Test } from 'tap'
import type { Db } from '../../db/client.ts'
import type { ClaimedDelivery } from '../../db/queries/delivery/claim.ts'
import { intendAct } from '../../db/queries/delivery/intend.ts'
import { renewLeases } from '../../db/queries/delivery/renew.ts'
import { LEASE_MS } from '../../src/engine/delivery/timing.ts'
import { claimDue, createDeliveryWorld } from '../helpers/publisher.ts'
import { scriptedNetwork } from '../helpers/scripted-network.ts'
import { claimSome, intentOf, published, settle, withRecordedStatements } from '../helpers/settlement.ts'
import { untilBlocked } from '../helpers/until.ts'

/** The columns by which statements have to lock the rows of a table. */
const KEYS = { posts: 'user_id, id', post_targets: 'user_id, post_id, account_id' }

/**
 * Locks the row in the middle of a table, starts `count` statements by `begin`, and waits until they are blocked. None
 * of them may hold a row behind the middle then: statements that lock in the same order cannot deadlock.
 */
async function checkLockOrder(t: Test, db: Db, table: keyof typeof KEYS, count: number, begin: () => void) {
  const readRowIds = async (lock = '') => {
    const { rows } = await sql<{ rowId: string }>`
      select ctid::text as row_id from ${sql.table(table)} order by ${sql.raw(`${KEYS[table]} ${lock}`)}`.execute(db)
    return rows.map(({ rowId }) => rowId)
  }
  // Rewritten from last to first, the rows lie in reverse: a sequential scan would lock them in that order.
  for (const rowId of (await readRowIds()).reverse()) {
    await sql`update ${sql.table(table)} set user_id = user_id where ctid = ${rowId}::tid`.execute(db)
  }
  const rows = await readRowIds()
  const middle = rows.length / 2
  await db.transaction().execute(async (holding) => {
    await sql`select from ${sql.table(table)} where ctid = ${rows[middle]}::tid for update`.execute(holding)
    begin()
    await untilBlocked(db, { count })
    t.strictSame(await readRowIds('for no key update skip locked'), rows.slice(middle + 1), `free ${table}`)
  })
}

const inReverse = (deliveries: ClaimedDelivery[]) => deliveries.toSorted((a, b) => b.postId.localeCompare(a.postId))

t.test('statements on the same deliveries lock them in the same order', async (t) => {
  const world = await createDeliveryWorld(t, { mastodon: scriptedNetwork() })
  const { db, time } = world
  const deliveries = inReverse(await claimSome(world, 8))
  const all = <K extends keyof ClaimedDelivery>(key: K) => deliveries.map((delivery) => delivery[key])
  const keys = { userIds: all('userId'), postIds: all('postId'), accountIds: all('accountId') }
  const statements: (() => Promise<unknown[]>)[] = [
    () => renewLeases(db, { leaseMs: LEASE_MS, ...keys, leaseTokens: all('leaseToken'), now: time.now }),
    () => Promise.all(deliveries.map((delivery) => intendAct(db, intentOf(delivery)))),
    () => Promise.all(deliveries.map((delivery) => settle(db, { ...delivery, now: null }, published('n')))),
  ]
  for (const work of statements) {
    let done: Promise<unknown[]> | undefined
    await checkLockOrder(t, db, 'post_targets', 1, () => {
      done = work()
    })
    t.equal((await done)?.filter(Boolean).length, deliveries.length)
  }
})

t.test('two workers that settle deliveries of the same posts in opposite order do not deadlock', async (t) => {
  const world = await createDeliveryWorld(t, { mastodon: scriptedNetwork() })
  const postIds: string[] = []
  for (let number = 0; number < 8; number++) {
    const accountIds = [await world.connectAccount('mastodon'), await world.connectAccount('mastodon')]
    postIds.push(await world.post({ accountIds, caption: `post ${number}` }))
  }
  const deliveries = inReverse(await claimDue(world.db, { platforms: ['mastodon'], slots: [16], now: world.time.now }))
  await Promise.all(deliveries.map((delivery) => intendAct(world.db, intentOf(delivery))))
  const workers = [withRecordedStatements(world.db), withRecordedStatements(world.db)]
  const batches = [0, 1].map((index) => deliveries.filter((_, position) => position % 2 === index))
  batches[1]!.reverse()
  const settled: Promise<boolean[]>[] = []
  await checkLockOrder(t, world.db, 'posts', 2, () => {
    for (const [index, batch] of batches.entries()) {
      const { db } = workers[index]!
      settled.push(
        Promise.all(batch.map((delivery) => settle(db, { ...delivery, now: null }, published(delivery.accountId)))),
      )
    }
  })
  t.same(await Promise.all(settled), Array(2).fill(Array(8).fill(true)))
  t.same(
    workers.map(({ statements }) => statements.length),
    [1, 1],
    'no statement was repeated',
  )
  t.same(await Promise.all(postIds.map((id) => world.readStatus(id))), Array(8).fill('published'))
})

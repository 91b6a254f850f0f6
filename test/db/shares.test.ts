import { sql } from 'kysely'
import t from 'tap'
import { withDatabaseBudget } from '../../db/budget.ts'
import { connect, readPool } from '../../db/client.ts'
import { createKey } from '../../src/features/auth/create-key.ts'
import { call, createWorld, type Person } from '../helpers/app.ts'
import { createDatabase } from '../helpers/database.ts'
import { daily } from '../helpers/queue.ts'
import { until } from '../helpers/until.ts'

t.test('statements of one user that wait leave connections to others', async (t) => {
  const url = await createDatabase(t)
  const [db, admin] = [connect({ url, poolMax: 4 }), connect({ url, poolMax: 1 })]
  t.teardown(() => Promise.all([db.destroy(), admin.destroy()]))
  const as = (userId: string, remainingMs: number, statement = sql`select 1`) =>
    withDatabaseBudget({ userId, remainingMs }, () => statement.execute(db))
  const blocked = sql`select pg_advisory_xact_lock_shared(1)`
  await admin.transaction().execute(async (transaction) => {
    await sql`select pg_advisory_xact_lock(1)`.execute(transaction)
    const slow = Array.from({ length: 8 }, () => as('ada', 60_000, blocked))
    await until('three statements wait', () => readPool(db).inUse === 3)
    await as('bob', 60_000)
    await t.rejects(as('ada', 50), { code: 'ETIMEDOUT' }, 'a fourth one of ada waits no longer than its request may')
    t.equal(readPool(db).inUse, 3)
    t.teardown(() => Promise.all(slow))
  })
  await until('all have ended', () => readPool(db).inUse === 0)
  await Promise.all(Array.from({ length: 8 }, () => as('ada', 60_000)))
})

t.test('a user alone uses all connections but one, and its share once another user comes', async (t) => {
  const url = await createDatabase(t)
  const [db, admin] = [connect({ url, poolMax: 8 }), connect({ url, poolMax: 2 })]
  t.teardown(() => Promise.all([db.destroy(), admin.destroy()]))
  const as = (userId: string, lock: number) =>
    withDatabaseBudget({ userId, remainingMs: 60_000 }, () =>
      sql`select pg_advisory_xact_lock_shared(${lock})`.execute(db),
    )
  await admin.connection().execute(async (session) => {
    for (const lock of [1, 2, 3]) await sql`select pg_advisory_lock(${lock})`.execute(session)
    const slow = [1, 1, 2, 2, 2, 2, 2].map((lock) => as('ada', lock))
    await until('seven statements of ada wait', () => readPool(db).inUse === 7)
    slow.push(...Array.from({ length: 4 }, () => as('ada', 2)))
    const other = as('bob', 3)
    await until('one of bob waits', () => readPool(db).inUse === 8)
    await sql`select pg_advisory_unlock(1)`.execute(session)
    await Promise.all(slow.slice(0, 2))
    await until('ada uses six places, and bob one', () => readPool(db).inUse === 7)
    await as('bob', 4)
    t.equal(readPool(db).inUse, 7, 'one is left')
    await sql`select pg_advisory_unlock(3)`.execute(session)
    await other
    await until('ada uses seven again', () => readPool(db).inUse === 7)
    await sql`select pg_advisory_unlock(2)`.execute(session)
    await Promise.all(slow)
  })
  t.equal(readPool(db).inUse, 0)
})

t.test('a request uses the share of the user of its key', async (t) => {
  const { db, databaseUrl, app, user } = await createWorld(t, { poolMax: 4 })
  const admin = connect({ url: databaseUrl, poolMax: 1 })
  t.teardown(() => admin.destroy())
  const [ada, bob] = [await user(), await user()]
  const get = async ({ key }: Person, path: string) =>
    (await app.inject({ url: `/api/v1/${path}`, headers: { authorization: `Bearer ${key}` } })).statusCode
  await admin.transaction().execute(async (transaction) => {
    await sql`lock table posts in access exclusive mode`.execute(transaction)
    const slow = Array.from({ length: 8 }, () => get(ada, 'posts'))
    t.teardown(() => Promise.all(slow))
    await until('ada uses her share', () => readPool(db).inUse === 3)
    t.equal(await get(bob, 'accounts'), 200)
  })
})

t.test('posts that wait for a queue use the share of their user, with many keys too', async (t) => {
  const { db, databaseUrl, app, user } = await createWorld(t, { poolMax: 4 })
  const admin = connect({ url: databaseUrl, poolMax: 1 })
  t.teardown(() => admin.destroy())
  const [ada, bob] = [await user(), await user()]
  const accounts = await Promise.all(Array.from({ length: 6 }, () => ada.account('x')))
  for (const id of accounts) await ada.call('PUT', `/accounts/${id}/schedule`, daily('09:00'))
  const keys = await Promise.all(
    accounts.map((id) => createKey(db, { userId: ada.id, name: null, expiresAt: null, accountIds: [id] })),
  )
  const create = ({ key }: { key: string }, accountId: string, queue: string) =>
    call(app, key, 'POST', '/posts', { accountIds: [accountId], caption: 'hi', schedule: { queue } })
  const theirs = await bob.account('x')
  await bob.call('PUT', `/accounts/${theirs}/schedule`, daily('09:00'))
  const waiting = await admin.transaction().execute(async (transaction) => {
    await sql`select from account_schedules where account_id = any(${accounts}) for update`.execute(transaction)
    const waiting = keys.flatMap((key, index) => [
      create(key, accounts[index]!, 'front'),
      create(key, accounts[index]!, 'next'),
    ])
    let looks = 0
    await until('ada uses her share for a while', () => {
      looks = readPool(db).inUse === 3 ? looks + 1 : 0
      return looks === 20
    })
    let status = 0
    const other = create(bob, theirs, 'next').then((reply) => {
      status = reply.status
    })
    t.teardown(() => other)
    await until('bob has a slot', () => status === 201)
    return waiting
  })
  t.strictSame(new Set((await Promise.all(waiting)).map(({ status }) => status)), new Set([201]))
})

import { sql } from 'kysely'
import t from 'tap'
import { withDatabaseBudget } from '../../db/budget.ts'
import { connect, readPool } from '../../db/client.ts'
import { createWorld, type Person } from '../helpers/app.ts'
import { createDatabase } from '../helpers/database.ts'
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

import { CamelCasePlugin, Kysely, PostgresDialect, sql } from 'kysely'
import pg from 'pg'
import t, { type Test } from 'tap'
import { connect, type Db } from '../../db/client.ts'
import { newId } from '../../db/id.ts'
import { insertAccount } from '../../db/queries/accounts.ts'
import { findDeliveries } from '../../db/queries/find/deliveries.ts'
import { findPosts } from '../../db/queries/find/posts.ts'
import type { PostSource } from '../../db/queries/find/sources.ts'
import { insertUser } from '../../db/queries/people.ts'
import type { DB } from '../../db/types.ts'
import { readConditions } from '../../src/features/posts/filters.ts'
import { createDatabase } from '../helpers/database.ts'

const USERS = 10
const POSTS_PER_USER = 4_000
const NO_CONDITIONS = readConditions({ userId: '', rights: { scopes: null, accountIds: null } }, {})
const EVERYTHING = {
  startTime: 'infinity',
  startId: 'ffffffff-ffff-ffff-ffff-ffffffffffff',
  endTime: '-infinity',
  endId: '00000000-0000-0000-0000-000000000000',
}

/**
 * The database, with a log of the statements that it gets. Other tests of the process may have used up the forms that
 * are prepared: then a statement is built for its values, and only the driver sees it.
 */
function connectLogged(t: Test, url: string): { db: Db; statements: string[] } {
  const statements: string[] = []
  const pool = new pg.Pool({ connectionString: url, max: 1 })
  // `end` resolves before the server has closed the connection: the end of the test may terminate it.
  pool.on('error', () => {})
  const db = new Kysely<DB>({
    dialect: new PostgresDialect({ pool }),
    plugins: [new CamelCasePlugin({ maintainNestedObjectKeys: true })],
    log: ({ query }) => void statements.push(query.sql),
  })
  t.teardown(() => db.destroy())
  return { db, statements }
}

/**
 * The plan of a prepared statement: `connect` lets Postgres plan these without looking at their values. `explain
 * (generic_plan)` needs PostgreSQL 16.
 */
const explain = (db: Db, statement: string): Promise<string> =>
  db.connection().execute(async (db) => {
    const numbers = [...statement.matchAll(/\$(\d+)/g)].map(([, number]) => Number(number))
    const values = Array(Math.max(...numbers))
      .fill('null')
      .join()
    await sql`set plan_cache_mode = force_generic_plan`.execute(db)
    await sql`prepare explained as ${sql.raw(statement)}`.execute(db)
    const { rows } = await sql<{ 'QUERY PLAN': string }>`explain execute explained(${sql.raw(values)})`.execute(db)
    await sql`deallocate explained`.execute(db)
    return rows.map((row) => row['QUERY PLAN']).join('\n')
  })

t.test('a page with filters is read in the order of an index, and stops when it is full', async (t) => {
  const url = await createDatabase(t)
  const db = connect({ url })
  t.teardown(() => db.destroy())
  const userIds = Array.from({ length: USERS }, newId)
  for (const id of userIds) await insertUser(db, { id, name: 'a user' })
  // In turns, as posts of many users are.
  await sql`
    insert into posts (user_id, id, caption, post_type, status, scheduled_at)
    select (${userIds}::uuid[])[1 + number % ${USERS}], gen_random_uuid(), repeat('a', 100), 'post', 'scheduled',
      now() + number * interval '1 minute'
    from generate_series(1, ${USERS * POSTS_PER_USER}) as number`.execute(db)
  await sql`analyze posts`.execute(db)
  for (const source of ['all', 'unpublished', 'scheduled', 'updated'] satisfies PostSource[]) {
    const recorded = connectLogged(t, url)
    const conditions = { ...NO_CONDITIONS, postType: 'post', statuses: ['scheduled' as const] }
    const query = { source, order: 'desc' as const }
    const page = await findPosts(recorded.db, query, { ...conditions, ...EVERYTHING, userId: userIds[0]!, limit: 25 })
    t.equal(page.length, 25)
    const lines = await explain(db, recorded.statements[0]!)
    // The files of a post are sorted.
    const [plan] = lines.split('SubPlan')
    t.notMatch(plan, /Sort|Bitmap/, `${source}\n${lines}`)
  }
})

t.test('what an account has not is not looked for among all posts of its user', async (t) => {
  const url = await createDatabase(t)
  const db = connect({ url })
  t.teardown(() => db.destroy())
  const [userId, used, unused] = [newId(), newId(), newId()]
  await insertUser(db, { id: userId, name: 'a user' })
  for (const id of [used, unused]) {
    await insertAccount(db, { id, platform: 'sandbox', username: id, displayName: null, userId, organizationId: null })
  }
  await sql`
    with post as (
      insert into posts (user_id, id, caption, post_type, status)
      select ${userId}::uuid, gen_random_uuid(), 'a', 'post', 'draft' from generate_series(1, ${POSTS_PER_USER})
      returning user_id, id)
    insert into post_targets (user_id, post_id, account_id, platform)
    select user_id, id, ${used}::uuid, 'sandbox' from post`.execute(db)
  // The primary key is now the smaller index, which tempts Postgres.
  await sql`reindex index post_targets_pkey`.execute(db)
  await sql`vacuum analyze post_targets`.execute(db)
  const recorded = connectLogged(t, url)
  const conditions = { ...NO_CONDITIONS, userId, accountId: unused, limit: 25 }
  for (const order of ['asc', 'desc'] as const) {
    const query = { source: 'account', order } as const
    t.same(await findPosts(recorded.db, query, { ...conditions, ...EVERYTHING }), [])
  }
  const start = { afterTime: 'infinity', afterPostId: EVERYTHING.startId, afterAccountId: EVERYTHING.startId }
  t.same(await findDeliveries(recorded.db, 'account', { ...conditions, ...start }), [])
  t.equal(recorded.statements.length, 3)
  for (const statement of recorded.statements) {
    const lines = await explain(db, statement)
    t.match(lines, /using post_targets_of_account/)
    t.notMatch(lines, /post_targets_pkey|Seq Scan on post_targets/)
  }
})

t.test('deliveries with times of their own are found by the index of these times', async (t) => {
  const url = await createDatabase(t)
  const db = connect({ url })
  t.teardown(() => db.destroy())
  const [userId, accountId] = [newId(), newId()]
  await insertUser(db, { id: userId, name: 'a user' })
  const account = { id: accountId, platform: 'sandbox', username: 'ada', displayName: null } as const
  await insertAccount(db, { ...account, userId, organizationId: null })
  await sql`
    with post as (
      insert into posts (user_id, id, caption, post_type, status, scheduled_at)
      select ${userId}::uuid, gen_random_uuid(), 'a', 'post', 'scheduled', now() + number * interval '1 minute'
      from generate_series(1, ${POSTS_PER_USER}) as number
      returning user_id, id, scheduled_at)
    insert into post_targets (user_id, post_id, account_id, platform, own_scheduled_at)
    select user_id, id, ${accountId}::uuid, 'sandbox',
      case when scheduled_at < now() + interval '1 day' then scheduled_at + interval '1 year' end
    from post`.execute(db)
  await sql`vacuum analyze posts, post_targets`.execute(db)
  const recorded = connectLogged(t, url)
  const [from, before] = [new Date(Date.now() + 365 * 86_400_000), new Date(Date.now() + 367 * 86_400_000)]
  const conditions = { ...NO_CONDITIONS, userId, scheduledFrom: from, scheduledBefore: before, limit: 25 }
  for (const order of ['asc', 'desc'] as const) {
    const isAscending = order === 'asc'
    const [start, end] = isAscending ? [from, before] : [before, from]
    const range = { startTime: start.toISOString(), endTime: end.toISOString(), startId: EVERYTHING.endId }
    const query = { source: 'scheduled', order } as const
    t.equal((await findPosts(recorded.db, query, { ...conditions, ...range, endId: EVERYTHING.endId })).length, 25)
  }
  const place = { afterTime: before.toISOString(), afterPostId: EVERYTHING.endId, afterAccountId: EVERYTHING.endId }
  t.equal((await findDeliveries(recorded.db, 'scheduled', { ...conditions, ...place })).length, 25)
  for (const statement of recorded.statements) {
    const lines = await explain(db, statement)
    t.match(lines, /post_targets_own_schedule/)
    t.notMatch(lines, /Seq Scan on post(s|_targets)/)
  }
})

import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import t from 'tap'
import { withDatabaseBudget } from '../../db/budget.ts'
import { connect } from '../../db/client.ts'
import { migrate } from '../../db/migrate.ts'
import { SQLSTATE } from '../../db/sqlstate.ts'
import { startOwnPostgres } from '../helpers/own-postgres.ts'
import {
  assertUnavailable,
  createPerson,
  startService,
  startServiceWithPerson,
  withTableLocked,
} from '../helpers/service.ts'
import { untilBlocked } from '../helpers/until.ts'

t.test('idle backends that die are replaced', async (t) => {
  const { send, create, admin } = await startServiceWithPerson(t)
  for (let round = 0; round < 5; round++) {
    await Promise.all(Array.from({ length: 4 }, () => send('GET', '/posts')))
    // The timeout makes Postgres wait until the backends have ended.
    const { rows: terminated } = await sql`select pg_terminate_backend(pid, 10000) from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid()`.execute(admin)
    // Every second round, the pool has time to notice.
    if (round % 2 === 0) await sleep(50)
    const replies = await Promise.all(Array.from({ length: 8 }, () => create()))
    const failed = replies.filter(({ status }) => status !== 201)
    for (const reply of failed) assertUnavailable(t, reply, 'a request on a connection whose end is not known yet')
    t.ok(failed.length <= terminated.length, `${terminated.length} dead connections fail ${failed.length} requests`)
    t.equal((await send('GET', '/posts')).status, 200)
  }
})

t.test('a backend that dies during a statement is a 503, and nothing is stored', async (t) => {
  const { send, create, admin, stored } = await startServiceWithPerson(t)
  const { id } = (await create('first')).body
  await withTableLocked(admin, 'posts', async () => {
    const replies = [create('second'), send('GET', '/posts'), send('DELETE', `/posts/${id}`)]
    for (const pid of await untilBlocked(admin, { count: 3 }))
      await sql`select pg_terminate_backend(${pid})`.execute(admin)
    for (const reply of await Promise.all(replies)) assertUnavailable(t, reply, 'terminated')
  })
  t.strictSame(await stored(), [{ id, caption: 'first' }])
  t.equal((await send('GET', '/posts')).status, 200)
})

t.test('a backend that dies between two statements of a transaction is a 503', async (t) => {
  const { app, send, db, admin } = await startServiceWithPerson(t)
  app.get('/test', () =>
    db.transaction().execute(async (transaction) => {
      const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(transaction)
      await sql`select pg_terminate_backend(${rows[0]?.pid}, 5000)`.execute(admin)
      await sleep(50)
      return (await sql`select 1`.execute(transaction)).rows
    }),
  )
  for (let round = 0; round < 5; round++) assertUnavailable(t, await send('GET', '/test'), `round ${round}`)
  t.equal((await send('GET', '/posts')).status, 200)
})

t.test('a connection whose backend has ended is not reused', async (t) => {
  const { db, admin } = await startServiceWithPerson(t, { poolMax: 1 })
  await withTableLocked(admin, 'posts', async () => {
    const dying = sql`select from posts`.execute(db)
    const next = sql`select 1 as n`.execute(db)
    const both = Promise.allSettled([dying, next])
    for (const pid of await untilBlocked(admin)) await sql`select pg_terminate_backend(${pid})`.execute(admin)
    t.hasStrict(await both, [{ reason: { code: SQLSTATE.ADMIN_SHUTDOWN } }, { value: { rows: [{ n: 1 }] } }])
  })
})

t.test('a connection on which a statement may still run is not reused', async (t) => {
  const { db } = await startServiceWithPerson(t, { poolMax: 1 })
  const backend = async () =>
    (await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(db)).rows.map(({ pid }) => pid)
  const before = await backend()
  // The budget of the request ends before the statement.
  await t.rejects(
    withDatabaseBudget({ remainingMs: 200 }, () => sql`select pg_sleep(3)`.execute(db)),
    { message: 'Query read timeout' },
  )
  t.notSame(await backend(), before)
})

t.test('a frozen backend is a 503, and its connection is not reused', async (t) => {
  const server = await startOwnPostgres(t, { fsync: 'off' })
  const admin = connect({ url: server.url, poolMax: 1 })
  t.teardown(() => admin.destroy())
  await migrate(admin)
  const { key } = await createPerson(admin)
  const { send, db } = await startService(t, server.url, { poolMax: 1, statementTimeoutMs: 200 })
  const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(db)
  const pid = rows[0]!.pid
  process.kill(pid, 'SIGSTOP')
  try {
    assertUnavailable(t, await send(key, 'GET', '/posts'), 'the backend does not respond')
    t.equal((await send(key, 'GET', '/posts')).status, 200, 'the next request has another backend')
  } finally {
    process.kill(pid, 'SIGCONT')
  }
})

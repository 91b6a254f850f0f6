import { mock } from 'node:test'
import { sql } from 'kysely'
import t from 'tap'
import { connect } from '../../db/client.ts'
import { createDatabase } from './database.ts'
import { until, untilBlocked } from './until.ts'

t.test('until returns the first value that meets the condition', async (t) => {
  const values = [null, '', 'ready', 'later']
  t.equal(await until('a value', () => values.shift()), 'ready')
  const counts = [0, 1, 2, 3]
  t.equal(await until('two', async () => counts.shift()!, { isMet: (count) => count === 2 }), 2)
})

t.test('a wait that reaches its deadline names what it waited for and the last value', async (t) => {
  await t.rejects(
    until('three posts', () => ['one', 'two'], { timeoutMs: 30, isMet: (posts) => posts.length === 3 }),
    { message: "Timed out after 30 ms. Expected: three posts. Last value: [ 'one', 'two' ]" },
  )
})

t.test('a condition that hangs does not outlast the deadline', async (t) => {
  await t.rejects(
    until('an end', () => new Promise<boolean>(() => {}), { timeoutMs: 30 }),
    { message: 'Timed out after 30 ms. Expected: an end. Last value: nothing: the condition has not returned' },
  )
})

t.test('an error of the condition ends the wait', async (t) => {
  const error = new Error('broken')
  const fail = () => Promise.reject(error)
  await t.rejects(until('anything', fail), error)
})

t.test('until waits while timers are mocked', async (t) => {
  mock.timers.enable({ apis: ['setTimeout', 'setInterval'] })
  t.teardown(() => mock.timers.reset())
  let polls = 0
  await until('three polls', () => ++polls === 3)
})

t.test('untilBlocked returns the backends that are blocked on a lock in its database', async (t) => {
  const db = connect({ url: await createDatabase(t), poolMax: 3 })
  t.teardown(() => db.destroy())
  const blocked = await db.transaction().execute(async (holder) => {
    await sql`lock table users in access exclusive mode`.execute(holder)
    const reader = db.connection().execute(async (connection) => {
      const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(connection)
      await connection.selectFrom('users').select('id').execute()
      return rows[0]!.pid
    })
    const pids = await untilBlocked(db)
    await t.rejects(untilBlocked(db, { count: 2, timeoutMs: 30 }), /2 backends are blocked on a lock/)
    // In an object, so that the transaction does not wait for a reader that waits for the transaction.
    return { pids, reader }
  })
  t.strictSame(blocked.pids, [await blocked.reader])
})

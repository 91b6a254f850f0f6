import { sql } from 'kysely'
import t from 'tap'
import { connect } from '../../db/client.ts'
import { migrate } from '../../db/migrate.ts'
import { examine } from '../../src/cli/examine/examine.ts'
import { createFolder } from '../helpers/app.ts'
import { startOwnPostgres } from '../helpers/own-postgres.ts'
import { missingPooler, openPooler } from '../helpers/pooler.ts'
import { createPerson, PRODUCTION_TIMEOUT, startService } from '../helpers/service.ts'
import { until } from '../helpers/until.ts'

const PLACES = 3
const POOL_MAX = 10
const FEW = /gives this process \d of the 10 connections that it may open/
const NONE = /gives this process no connection: others have them all/

type Send = Awaited<ReturnType<typeof startService>>['send']

/** How many of many requests at the same time are refused. */
async function countRefused(send: Send, key: string): Promise<number> {
  const replies = await Promise.all(Array.from({ length: 40 }, () => send(key, 'GET', '/posts')))
  return replies.filter(({ status }) => status !== 200).length
}

t.test('where there are fewer connections than a process may open', async (t) => {
  const server = await startOwnPostgres(t)
  const admin = connect({ url: server.url, poolMax: 1 })
  t.teardown(() => admin.destroy())
  await migrate(admin)
  const { key } = await createPerson(admin)
  await sql`create role few login connection limit ${sql.lit(PLACES)}`.execute(admin)
  await sql`grant select, insert, update, delete on all tables in schema public to few`.execute(admin)
  await admin.destroy()

  await t.test('with a limit of the role, every request is served by those', async (t) => {
    const url = new URL(server.url)
    url.username = 'few'
    const { send } = await startService(t, url.href, { ...PRODUCTION_TIMEOUT, poolMax: POOL_MAX })
    await until('every request is served', async () => (await countRefused(send, key)) === 0)
  })

  await t.test('in a session pool, the service works with those, and says so', { skip: missingPooler }, async (t) => {
    const pooler = await openPooler(server.url, { pool_mode: 'session', default_pool_size: `${PLACES}` })
    t.teardown(pooler.close)
    const lines: string[] = []
    const startedAt = performance.now()
    const { send, db, log } = await startService(t, pooler.url, {
      ...PRODUCTION_TIMEOUT,
      poolMax: POOL_MAX,
      onFewConnections: (line) => void lines.push(line),
    })
    const burst = () => countRefused(send, key)
    await until('the service has found out what it gets', async () => (await burst()) === 0 && lines.length > 0)
    await until('it serves every request again', async () => (await burst()) === 0)
    t.ok(lines.length <= 1 + (performance.now() - startedAt) / 60_000, 'once a minute at most')
    t.match(lines[0], FEW)
    t.match(lines[0], /DATABASE_POOL_MAX.*transaction mode/)

    const env = { DATABASE_URL: pooler.url, MEDIA_DIR: await createFolder(t) }
    const findDatabase = async () => (await examine(env)).find(({ check }) => check === 'database')
    t.match(await findDatabase(), { status: 'wrong', message: NONE, mend: /DATABASE_POOL_MAX/ }, 'beside the service')
    const other = await startService(t, pooler.url, { ...PRODUCTION_TIMEOUT, poolMax: POOL_MAX })
    await until('the log of another process says why it gets none', async () => {
      await other.send(key, 'GET', '/posts')
      return other.log.some((line) => NONE.test(line))
    })
    await until('this one serves every request', async () => (await burst()) === 0)
    t.notOk(log.some((line) => NONE.test(line)))
    await db.destroy()
    await until('the other process gets its connections', async () => {
      return (await other.send(key, 'GET', '/posts')).status === 200
    })
    await other.db.destroy()
    t.match(await findDatabase(), { status: 'warning', message: FEW, mend: /DATABASE_POOL_MAX/ }, 'alone')
  })
})

import { randomBytes } from 'node:crypto'
import { chownSync, statSync } from 'node:fs'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import { sql } from 'kysely'
import t from 'tap'
import { connect } from '../../db/client.ts'
import { findDiskFull } from '../../db/disk-space.ts'
import { migrate } from '../../db/migrate.ts'
import { examine } from '../../src/cli/examine/examine.ts'
import { createFolder } from '../helpers/app.ts'
import { runService } from '../helpers/command.ts'
import { startOwnPostgres } from '../helpers/own-postgres.ts'
import { samplesOf } from '../helpers/scrape.ts'
import { createPerson, startService, startServiceWithPerson } from '../helpers/service.ts'
import { mountSmallDisk, withoutMounts } from '../helpers/small-disk.ts'
import { until } from '../helpers/until.ts'

/** The status of /readyz, with the code and the message of an error. */
async function readinessOf(app: FastifyInstance) {
  const { statusCode, headers, body } = await app.inject('/readyz')
  return [statusCode, headers['x-error-code'], JSON.parse(body).error]
}

const UNREADY = [503, 'database_full', 'The database has no space left']
const FULL = { status: 503, body: { error: 'The database has no space left' } }

t.test(
  'a table whose disk is full refuses writes with a 503, and reads are served',
  { skip: withoutMounts },
  async (t) => {
    const server = await startOwnPostgres(t, { fsync: 'off' })
    const admin = connect({ url: server.url, poolMax: 1 })
    t.teardown(() => admin.destroy())
    await migrate(admin)
    const { rows } = await sql<{ folder: string }>`select current_setting('data_directory') as folder`.execute(admin)
    const { uid, gid } = statSync(rows[0]!.folder)
    const disk = mountSmallDisk(t, 512)
    chownSync(disk, uid, gid)
    await sql`create tablespace small location ${sql.lit(disk)}`.execute(admin)
    await sql`alter table posts set tablespace small`.execute(admin)
    const { key, account } = await createPerson(admin)
    const { app, send } = await startService(t, server.url)
    const post = { accountIds: [account], caption: 'a'.repeat(300) }
    let reply = await send(key, 'POST', '/posts', post)
    // A page is 8 kB: fewer posts than this fill the disk.
    for (let count = 0; reply.status === 201 && count < 5_000; count++) reply = await send(key, 'POST', '/posts', post)
    t.strictSame(reply, FULL)
    t.equal((await send(key, 'GET', '/posts')).status, 200)
    t.strictSame(await readinessOf(app), UNREADY, 'readyz tells, although the rest of the database has space')
  },
)

t.test(
  'idle processes, gauges and the doctor tell that the disk of the database is full',
  { skip: withoutMounts },
  async (t) => {
    const server = await startOwnPostgres(t, { fsync: 'off' })
    const admin = connect({ url: server.url, poolMax: 1 })
    t.teardown(() => admin.destroy())
    const { rows } = await sql<{ folder: string }>`select current_setting('data_directory') as folder`.execute(admin)
    const { uid, gid } = statSync(rows[0]!.folder)
    const disk = mountSmallDisk(t, 65_536)
    chownSync(disk, uid, gid)
    await sql`create tablespace small location ${sql.lit(disk)}`.execute(admin)
    await sql`create database small tablespace small`.execute(admin)
    const url = new URL(server.url)
    url.pathname = '/small'
    const db = connect({ url: url.href, poolMax: 1 })
    t.teardown(() => db.destroy())
    await migrate(db)
    const MEDIA_DIR = await createFolder(t)
    const CREDENTIALS_KEY = randomBytes(32).toString('base64')
    const env = { DATABASE_URL: url.href, MEDIA_DIR, CREDENTIALS_KEY, METRICS_PORT: '0' }
    const worker = await runService('worker', env)
    t.teardown(() => worker.stop())
    const { app } = await startService(t, url.href)
    const gauge = async () => {
      const samples = samplesOf(await (await fetch(worker.facts.metrics!)).text())
      return samples['postroom_dependency_usable{dependency="databaseSpace"}']
    }
    t.strictSame([await readinessOf(app), await gauge()], [[200, undefined, undefined], 1])
    // One page at a time, as Postgres takes it.
    await t.rejects(writeFile(join(disk, 'other'), Buffer.alloc(2 ** 26)), { code: 'ENOSPC' })
    await until('the service is unready', () => readinessOf(app), { isMet: ([status]) => status === 503 })
    t.strictSame(await readinessOf(app), UNREADY)
    await until('the gauge of the worker is 0', gauge, { isMet: (value) => value === 0 })
    t.match(await findDiskFull(db), { code: '53100' })
    const findings = await examine(env)
    t.hasStrict(findings, [{ check: 'configuration' }, { check: 'database', message: 'it has no space left' }])
    await rm(join(disk, 'other'))
    t.equal(await findDiskFull(db, { rememberedMs: 0 }), undefined, 'the trial finds space again')
    t.match(await findDiskFull(db), { code: '53100' })
  },
)

t.test('a full disk, too little memory and a failing disk of the database are 503s, each with its code', async (t) => {
  const { app, key, admin, account, create } = await startServiceWithPerson(t)
  const refuseWith = (sqlstate: string) =>
    sql`
      create or replace function refuse() returns trigger language plpgsql as
      ${sql.lit(`begin raise exception 'could not extend file' using errcode = '${sqlstate}'; end`)}`.execute(admin)
  await refuseWith('53100')
  await sql`create trigger refuse before insert on posts for each row execute function refuse()`.execute(admin)
  for (const [sqlstate, code, error] of [
    ['53100', 'database_full', FULL.body.error],
    ['53200', 'database_unavailable', 'Database not available'],
    ['58030', 'database_unavailable', 'Database not available'],
  ] as const) {
    await refuseWith(sqlstate)
    const headers = { authorization: `Bearer ${key}` }
    const payload = { accountIds: [account] }
    const reply = await app.inject({ method: 'POST', url: '/api/v1/posts', headers, payload })
    t.strictSame([reply.statusCode, reply.headers['x-error-code'], reply.json()], [503, code, { error }], sqlstate)
  }
  await sql`drop trigger refuse on posts`.execute(admin)
  t.equal((await create()).status, 201)
})

import { chownSync, statSync } from 'node:fs'
import { sql } from 'kysely'
import t from 'tap'
import { connect } from '../../db/client.ts'
import { migrate } from '../../db/migrate.ts'
import { startOwnPostgres } from '../helpers/own-postgres.ts'
import { createPerson, startService, startServiceWithPerson } from '../helpers/service.ts'
import { mountSmallDisk, withoutMounts } from '../helpers/small-disk.ts'

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
    const { send } = await startService(t, server.url)
    const post = { accountIds: [account], caption: 'a'.repeat(300) }
    let reply = await send(key, 'POST', '/posts', post)
    // A page is 8 kB: fewer posts than this fill the disk.
    for (let count = 0; reply.status === 201 && count < 5_000; count++) reply = await send(key, 'POST', '/posts', post)
    t.strictSame(reply, FULL)
    t.equal((await send(key, 'GET', '/posts')).status, 200)
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

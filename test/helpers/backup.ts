import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import type { Db } from '../../db/client.ts'
import { onServer, type Teardown, urlOf } from './database.ts'
import { until } from './until.ts'

/**
 * Copies the database of `db` as a backup of this moment would, dropped at the end of the calling test. All connections
 * to it are closed: Postgres copies only what nobody uses. Returns the URL of the copy.
 */
export async function copyDatabase(t: Teardown, db: Db, url: string): Promise<string> {
  const source = new URL(url).pathname.slice(1)
  const name = `test_${randomUUID().replaceAll('-', '')}`
  await until(`${source} is copied`, () =>
    onServer(async (db) => {
      await sql`select pg_terminate_backend(pid) from pg_stat_activity where datname = ${source}`.execute(db)
      return sql`create database ${sql.ref(name)} template ${sql.ref(source)}`.execute(db).then(
        () => true,
        () => false,
      )
    }),
  )
  await untilConnected(db)
  t.teardown(() => onServer((db) => sql`drop database if exists ${sql.ref(name)} with (force)`.execute(db)))
  return urlOf(name)
}

/** The maximal number of connections in a pool of tests. */
const CONNECTIONS = 10

/** Waits until a pool has noticed that its connections were closed. */
export const untilConnected = (db: Db): Promise<true> =>
  until('all connections work', () =>
    Promise.all(Array.from({ length: CONNECTIONS }, () => sql`select pg_sleep(0.01)`.execute(db))).then(
      () => true as const,
      () => false,
    ),
  )

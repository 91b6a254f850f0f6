import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { connect, type Db } from '../../db/client.ts'
import { migrate } from '../../db/migrate.ts'

/** A migrated, empty database. Tests work on copies. */
export const TEMPLATE = 'postroom_template'

/** Of the names of the copies. */
const PREFIX = 'postroom_test_'

/** Creates the template. */
export async function createTemplate(): Promise<void> {
  await onServer((db) => sql`create database ${sql.ref(TEMPLATE)} template template0`.execute(db))
  const db = connect({ url: urlOf(TEMPLATE) })
  await migrate(db).finally(() => db.destroy())
}

/** Drops the template, and the databases that tests have left. */
export const dropDatabases = () =>
  onServer(async (db) => {
    const { rows } = await sql<{ name: string }>`
      select datname as name from pg_database
      where datname = ${TEMPLATE} or starts_with(datname, ${PREFIX})`.execute(db)
    for (const { name } of rows) await sql`drop database ${sql.ref(name)} with (force)`.execute(db)
  })

export const serverUrl = (): string => {
  const url = process.env.TEST_DATABASE_URL
  if (!url) throw new Error('TEST_DATABASE_URL is not set: run tests with `npm test`, which starts a database')
  return url
}

/** The connection string of another database on the same server. */
export function urlOf(name: string): string {
  const url = new URL(serverUrl())
  url.pathname = `/${name}`
  return url.href
}

/** Runs `work` on the server's default database. */
export async function onServer<T>(work: (db: Db) => Promise<T>): Promise<T> {
  const db = connect({ url: serverUrl(), poolMax: 1 })
  try {
    return await work(db)
  } finally {
    await db.destroy()
  }
}

export interface Teardown {
  teardown(work: () => Promise<unknown>): void
}

/** Databases of this file that no test uses at the moment, by name. */
const idle: string[] = []

/**
 * Lends the calling test a migrated, empty database. At the end of the test its rows are deleted, and the next test gets it.
 * A test that changes more than rows needs `createDatabase`.
 */
export async function borrowDatabase(t: Teardown): Promise<string> {
  const name = idle.pop() ?? (await copyTemplate(TEMPLATE))
  t.teardown(async () => {
    await deleteRows(name)
    idle.push(name)
  })
  return urlOf(name)
}

/** Creates a database for the calling test, dropped at its end. It is migrated and empty, unless `template` says otherwise. */
export async function createDatabase(t: Teardown, template: string = TEMPLATE): Promise<string> {
  const name = await copyTemplate(template)
  t.teardown(() => onServer((db) => sql`drop database ${sql.ref(name)} with (force)`.execute(db)))
  return urlOf(name)
}

async function copyTemplate(template: string): Promise<string> {
  const name = `${PREFIX}${randomUUID().replaceAll('-', '')}`
  await onServer((db) => sql`create database ${sql.ref(name)} template ${sql.ref(template)}`.execute(db))
  return name
}

/** Ends the connections that a failed test has left, and leaves the rows that migrations insert. Takes 2 to 6 ms. */
async function deleteRows(name: string): Promise<void> {
  const db = connect({ url: urlOf(name), poolMax: 1 })
  try {
    await sql`
      select pg_terminate_backend(pid) from pg_stat_activity
      where datname = ${name} and pid <> pg_backend_pid() and backend_type = 'client backend'`.execute(db)
    await sql
      .raw(`do $$
        declare name text;
        begin
          -- Skips triggers and foreign keys.
          perform set_config('session_replication_role', 'replica', true);
          for name in
            select tablename from pg_tables where schemaname = 'public' and tablename <> 'schema_migrations'
          loop execute format('delete from %I', name); end loop;
          insert into sweeps (name) values ('retention');
        end $$`)
      .execute(db)
  } finally {
    await db.destroy()
  }
}

/** All rows of all tables as text, followed by the decoded bytes of all `bytea` values. To search for secrets. */
export async function everythingIn(db: Db): Promise<string> {
  const { rows } = await sql<{ name: string }>`
    select table_name as name from information_schema.tables where table_schema = 'public'`.execute(db)
  const tables = await Promise.all(
    rows.map(({ name }) => sql<{ row: string }>`select t::text as row from ${sql.table(name)} t`.execute(db)),
  )
  const text = tables.flatMap(({ rows }) => rows.map(({ row }) => row)).join('\n')
  const bytes = [...text.matchAll(/\\x([0-9a-f]+)/g)].map(([, hex]) => Buffer.from(hex!, 'hex').toString('latin1'))
  return [text, ...bytes].join('\n')
}

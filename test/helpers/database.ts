import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { connect, type Db } from '../../db/client.ts'
import { migrate } from '../../db/migrate.ts'

/** A migrated, empty database. Each test works on a copy. */
export const TEMPLATE = 'postroom_template'

/** Creates the template, runs `work`, and drops the template. */
export async function withTemplate<T>(work: () => Promise<T>): Promise<T> {
  const drop = () => onServer((db) => sql`drop database if exists ${sql.ref(TEMPLATE)}`.execute(db))
  await drop()
  await onServer((db) => sql`create database ${sql.ref(TEMPLATE)} template template0`.execute(db))
  const db = connect({ url: urlOf(TEMPLATE) })
  await migrate(db).finally(() => db.destroy())
  try {
    return await work()
  } finally {
    await drop()
  }
}

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

/** Creates a database for the calling test, dropped at its end. It is migrated and empty, unless `template` says otherwise. */
export async function createDatabase(t: Teardown, template: string = TEMPLATE): Promise<string> {
  const name = `test_${randomUUID().replaceAll('-', '')}`
  await onServer((db) => sql`create database ${sql.ref(name)} template ${sql.ref(template)}`.execute(db))
  t.teardown(() => onServer((db) => sql`drop database ${sql.ref(name)} with (force)`.execute(db)))
  return urlOf(name)
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

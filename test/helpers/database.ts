import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { connect, type Db } from '../../db/client.ts'
import { migrate } from '../../db/migrate.ts'
import { EVERYONE } from '../../db/queries/events/stream.ts'

/** A migrated, empty database. Tests work on copies. */
export const TEMPLATE = 'postroom_template'

/** The prefix of the names of the copies. */
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

const serverUrl = (): string => {
  const url = process.env.TEST_DATABASE_URL
  if (!url) throw new Error('TEST_DATABASE_URL is not set: run tests with `npm test`, which starts a database')
  return url
}

/** The connection string of another database on the same server. */
export const urlOf = (name: string): string => withName(serverUrl(), name)

/** The same as the service reaches it: in test/postgres, through a pooler and a slow link. */
const serviceUrlOf = (name: string): string => withName(process.env.TEST_SERVICE_URL ?? serverUrl(), name)

function withName(server: string, name: string): string {
  const url = new URL(server)
  url.pathname = `/${name}`
  return url.href
}

/** Runs `work` on the server's default database. */
export const onServer = <T>(work: (db: Db) => Promise<T>): Promise<T> => onDatabase(serverUrl(), work)

async function onDatabase<T>(url: string, work: (db: Db) => Promise<T>): Promise<T> {
  const db = connect({ url, poolMax: 1 })
  try {
    return await work(db)
  } finally {
    await db.destroy()
  }
}

export interface Teardown {
  teardown(work: () => Promise<unknown>): void
}

interface Copy {
  name: string
  /** The result of `readSchemaMark` for the new copy. */
  schemaMark: string
}

/** Copies of the template that no test of this process uses at the moment, without rows. */
const idle: Copy[] = []

/**
 * Gives the calling test a migrated, empty database. At the end of the test, its rows are deleted, and the next test
 * gets it. It is dropped instead if the test has changed its schema.
 */
export async function createDatabase(t: Teardown): Promise<string> {
  const copy = idle.pop() ?? (await copyTemplate())
  t.teardown(async () => {
    if (await cleanUp(copy)) idle.push(copy)
    else await drop(copy.name)
  })
  return serviceUrlOf(copy.name)
}

/** Creates a copy of a database, which is dropped at the end of the calling test. */
export async function copyDatabase(t: Teardown, original: string = TEMPLATE): Promise<string> {
  const name = await createCopy(original)
  t.teardown(() => drop(name))
  return urlOf(name)
}

async function copyTemplate(): Promise<Copy> {
  const name = await createCopy(TEMPLATE)
  return { name, schemaMark: await onDatabase(urlOf(name), readSchemaMark) }
}

async function createCopy(original: string): Promise<string> {
  const name = `${PREFIX}${randomUUID().replaceAll('-', '')}`
  await onServer((db) => sql`create database ${sql.ref(name)} template ${sql.ref(original)}`.execute(db))
  return name
}

const drop = (name: string) => onServer((db) => sql`drop database ${sql.ref(name)} with (force)`.execute(db))

const CATALOGS = ['pg_class', 'pg_attribute', 'pg_constraint', 'pg_trigger', 'pg_proc', 'pg_db_role_setting']

/** Differs after each change of the schema or of the settings: catalogs keep the transaction that wrote a row. */
async function readSchemaMark(db: Db): Promise<string> {
  const marks = [...CATALOGS, 'schema_migrations'].map(
    (name) => sql`select count(*), max(xmin::text::bigint) from ${sql.table(name)}`,
  )
  const { rows } = await sql`${sql.join(marks, sql` union all `)}`.execute(db)
  return JSON.stringify(rows)
}

/**
 * Ends the connections that a failed test has left, and restores the rows of migrations. Returns whether the
 * database is again as it was.
 */
const cleanUp = ({ name, schemaMark }: Copy): Promise<boolean> =>
  onDatabase(urlOf(name), async (db) => {
    await sql`
      select pg_terminate_backend(pid) from pg_stat_activity
      where datname = ${name} and pid <> pg_backend_pid() and backend_type = 'client backend'`.execute(db)
    if ((await readSchemaMark(db)) !== schemaMark) return false
    await sql
      .raw(`do $$
        declare name text;
        begin
          -- Skips triggers and foreign keys.
          perform set_config('session_replication_role', 'replica', true);
          for name in
            -- Most tables were never written to, and even an empty delete opens all indexes.
            select relname from pg_class
            where relnamespace = 'public'::regnamespace and relkind = 'r' and relname <> 'schema_migrations'
              and pg_relation_size(oid) > 0
          loop execute format('delete from %I', name); end loop;
          insert into sweeps (name) values ('retention');
          insert into event_streams (user_id) values ('${EVERYONE}');
          insert into metrics_cursor default values;
        end $$`)
      .execute(db)
    return true
  })

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

import { type Kysely, sql } from 'kysely'
import t from 'tap'
import { connect, type Db } from '../../db/client.ts'
import { loadMigrations } from '../../db/migrate.ts'
import { concurrentIndex, type Migration, type Step } from '../../db/migration.ts'
import { applyMigrations } from '../../db/migration-runner.ts'
import { copyDatabase, type Teardown } from '../helpers/database.ts'

/** Tables whose rows requests and workers lock in one transaction, in an order that a migration does not know. */
const PUBLISHING = [
  'accounts',
  'delivery_attempts',
  'limit_rests',
  'post_media',
  'post_targets',
  'posts',
  'sandbox_calls',
]

/** Tables that grow with the use of the service: reading all of one takes minutes. */
const LARGE = [...PUBLISHING, 'event_outbox', 'events', 'idempotency_keys', 'media', 'webhook_deliveries']

/** Released with one statement for all rows of a table. */
const READS_ALL_ROWS: Record<string, string[]> = {
  '0026_stored_links': ['idempotency_keys'],
  '0029_cancelled_deliveries': ['event_outbox', 'post_targets'],
  '0036_post_words': ['posts'],
}

const readsAllRows = (name: string) => `reads or writes rows of ${name} in one statement`

/** Migrations before the rule, whose releases nobody upgrades from without a stop. */
const MIGRATIONS = await loadMigrations()
const WITHOUT_RULE = Object.keys(MIGRATIONS).slice(0, 7)

interface Table {
  oid: number
  name: string
  file: number
}

const tablesIn = async (db: Db) => {
  const { rows } = await sql<Table>`
    select oid::integer as oid, relname as name, relfilenode::integer as file from pg_class
    where relkind = 'r' and relnamespace = 'public'::regnamespace order by relname`.execute(db)
  return rows
}

/** Lists the parts of a database that statements of older code name or depend on. */
const partsIn = async (db: Db) => {
  const { rows } = await sql<{ part: string }>`
    select 'column ' || table_name || '.' || column_name || ' ' || data_type as part from information_schema.columns
    where table_schema = 'public'
    union all select 'index ' || indexdef from pg_indexes where schemaname = 'public'`.execute(db)
  return rows.map(({ part }) => part)
}

/** Runs a step in a transaction, and returns what of it other processes would notice. */
async function checkStep(db: Db, step: Step): Promise<string[]> {
  if (typeof step !== 'function') {
    await step.create.execute(db)
    return []
  }
  return db.transaction().execute(async (db) => {
    const before = await tablesIn(db)
    await step(db as unknown as Kysely<unknown>)
    const { rows: locks } = await sql<{ oid: number; mode: string }>`
      select relation::integer as oid, mode from pg_locks where pid = pg_backend_pid() and locktype = 'relation'`.execute(
      db,
    )
    const after = await tablesIn(db)
    const lockedFor = (...modes: string[]) =>
      before
        .filter(({ oid }) => locks.some((lock) => lock.oid === oid && modes.includes(lock.mode)))
        .map(({ name }) => name)
    const locked = lockedFor('ShareLock', 'ShareRowExclusiveLock', 'ExclusiveLock', 'AccessExclusiveLock')
    const together = locked.filter((name) => PUBLISHING.includes(name))
    const rewritten = before
      .filter(({ oid, file }) => after.some((now) => now.oid === oid && now.file !== file))
      .map(({ name }) => name)
    // `validate constraint` reads the table too, and holds up nobody.
    const validates = lockedFor('ShareUpdateExclusiveLock').length > 0
    const read = lockedFor('AccessShareLock', 'RowExclusiveLock').filter(
      (name) => LARGE.includes(name) && !locked.includes(name) && !validates,
    )
    const indexed = lockedFor('ShareLock').filter((name) => !rewritten.includes(name))
    return [
      ...(together.length > 1 ? [`locks ${together.join(' and ')} together`] : []),
      ...indexed.map((name) => `builds an index on ${name} that blocks writers`),
      ...rewritten.map((name) => `rewrites ${name}`),
      ...read.map(readsAllRows),
    ]
  })
}

/**
 * Whether an index begins with all columns of another one and has no condition: it serves every statement that the
 * other one served.
 */
function beginsWith(index: string, other: string): boolean {
  const columnsOf = (part: string) => /^index CREATE INDEX \S+ (ON .+ USING btree \(.+)\)$/.exec(part)?.[1]
  const [columns, others] = [columnsOf(index), columnsOf(other)]
  return columns !== undefined && others !== undefined && `${columns},`.startsWith(`${others},`)
}

async function checkMigration(db: Db, { steps, servesFrom }: Migration): Promise<string[]> {
  const tables = await tablesIn(db)
  const before = await partsIn(db)
  const breaches: string[] = []
  for (const step of steps) breaches.push(...(await checkStep(db, step)))
  const after = await partsIn(db)
  const { rows: required } = await sql<{ name: string }>`
    select table_name || '.' || column_name as name from information_schema.columns
    where table_schema = 'public' and table_name = any(${tables.map(({ name }) => name)})
      and is_nullable = 'NO' and column_default is null`.execute(db)
  const isTakenAway = (part: string) => !after.includes(part) && !after.some((kept) => beginsWith(kept, part))
  const isNew = (column: string) => !before.some((part) => part.startsWith(`column ${column} `))
  return [
    ...breaches,
    ...before.filter((part) => isTakenAway(part) && !servesFrom).map((part) => `takes away ${part}`),
    ...required
      .filter(({ name }) => isNew(name))
      .map(({ name }) => `requires ${name}, which older code does not write`),
  ]
}

async function open(t: Teardown, template?: string) {
  const db = connect({ url: await copyDatabase(t, template), poolMax: 1 })
  t.teardown(() => db.destroy())
  return db
}

t.test('every migration leaves older processes working, and holds nobody up', async (t) => {
  const db = await open(t, 'template0')
  await applyMigrations(db, Object.fromEntries(WITHOUT_RULE.map((name) => [name, MIGRATIONS[name]!])), () => {})
  for (const [name, migration] of Object.entries(MIGRATIONS)) {
    if (WITHOUT_RULE.includes(name)) continue
    t.strictSame(await checkMigration(db, migration), (READS_ALL_ROWS[name] ?? []).map(readsAllRows), name)
  }
})

t.test('breaches of the rule are found', async (t) => {
  const run =
    (...statements: string[]): Step =>
    async (db: Kysely<unknown>) => {
      for (const statement of statements) await sql.raw(statement).execute(db)
    }
  const add = (table: string) => `alter table ${table} add column extra text`
  const cases: [migration: Migration, breaches: (string | RegExp)[]][] = [
    [{ steps: [run(add('accounts')), run(add('post_targets'))] }, []],
    [{ steps: [run(add('post_targets'), add('accounts'))] }, ['locks accounts and post_targets together']],
    [{ steps: [concurrentIndex('extra', sql`posts (caption)`)] }, []],
    [{ steps: [run('create index extra on posts (caption)')] }, ['builds an index on posts that blocks writers']],
    [{ steps: [run('create table extra (id integer)', 'create index extra_id on extra (id)')] }, []],
    [{ steps: [run(`alter table media add column extra uuid default gen_random_uuid()`)] }, ['rewrites media']],
    [
      { steps: [run('create table extra (id uuid)'), run('insert into extra select id from posts')] },
      ['reads or writes rows of posts in one statement'],
    ],
    [{ steps: [run(`update media set alt_text = ''`)] }, ['reads or writes rows of media in one statement']],
    [{ steps: [run('alter table posts drop column caption')] }, ['takes away column posts.caption text']],
    [{ steps: [run('alter table posts drop column caption')], servesFrom: '1.0.0' }, []],
    // The new index begins with the column of the old one.
    [
      {
        steps: [
          concurrentIndex('extra', sql`post_media (user_id, media_id, position)`),
          run('drop index post_media_media_id'),
        ],
      },
      [],
    ],
    [
      {
        steps: [concurrentIndex('extra', sql`post_media (media_id, user_id)`), run('drop index post_media_media_id')],
      },
      [/^takes away index .* post_media_media_id /],
    ],
    // Old workers could not use the new index: they published one post in two seconds.
    [
      {
        steps: [
          run('drop index post_targets_claimable'),
          concurrentIndex('post_targets_claimable', sql`post_targets (claimable_at) where not parked`),
        ],
      },
      [/^takes away index .* post_targets_claimable /],
    ],
    [
      { steps: [run('alter table users add column extra text not null')] },
      ['requires users.extra, which older code does not write'],
    ],
  ]
  for (const [migration, breaches] of cases) {
    const found = await checkMigration(await open(t), migration)
    t.match(found, breaches)
    t.equal(found.length, breaches.length, String(found))
  }
})

import { setTimeout as pause } from 'node:timers/promises'
import { type Kysely, sql } from 'kysely'
import type { Db } from './client.ts'
import type { ConcurrentIndex, Migration, Step } from './migration.ts'
import { hasSqlstate, SQLSTATE } from './sqlstate.ts'

/** A step waits this long for a lock, because the requests and workers that need the table wait behind it meanwhile. */
const LOCK_TIMEOUT_MS = 100
/** They run between two attempts. The pauses differ, so that an attempt does not always meet the same statement. */
const RETRY_MS = { min: 200, max: 600 }
/** Any number. Not that of Kysely's Migrator: Postroom 1.0 waits for it in the way that `takeMigrationLock` avoids. */
const MIGRATION_LOCK = 4_721_390_006
const MIGRATION_LOCK_POLL_MS = 200

type Log = (line: string) => void

interface StepRecord {
  name: string
  stepsDone: number
  isLast: boolean
  servesFrom: string | null
}

/**
 * Applies those of `migrations` that are missing, and returns their names. Several processes may do so simultaneously,
 * while others serve and publish. A process that is killed leaves a state from which the next run continues.
 */
export const applyMigrations = (db: Db, migrations: Record<string, Migration>, log: Log): Promise<string[]> =>
  withMigrationLock(db, log, async (db) => {
    // A role or database may have a limit for the statements of its requests. An index takes longer to build.
    await sql`set statement_timeout = 0`.execute(db)
    await createHistory(db)
    const applied: string[] = []
    for (const [name, migration] of Object.entries(migrations)) {
      if (await applyMigration(db, name, migration, log)) applied.push(name)
    }
    return applied
  })

/** Runs `work` on one connection, while no other process migrates the database. */
export const withMigrationLock = <T>(db: Db, log: Log, work: (db: Db) => Promise<T>): Promise<T> =>
  db.connection().execute(async (db) => {
    await takeMigrationLock(db, log)
    try {
      return await work(db)
    } finally {
      await sql`select pg_advisory_unlock(${sql.lit(MIGRATION_LOCK)})`.execute(db)
    }
  })

/**
 * Polls: a session that waits in `pg_advisory_lock` keeps a snapshot, which `create index concurrently` of the session
 * that holds the lock would wait for.
 * https://www.postgresql.org/docs/current/sql-createindex.html#SQL-CREATEINDEX-CONCURRENTLY
 */
async function takeMigrationLock(db: Db, log: Log): Promise<void> {
  for (let isFirst = true; ; isFirst = false) {
    const { rows } = await sql<{ locked: boolean }>`
      select pg_try_advisory_lock(${sql.lit(MIGRATION_LOCK)}) as locked`.execute(db)
    if (rows[0]!.locked) return
    if (isFirst) log('Another process is migrating the database: waiting for it')
    await pause(MIGRATION_LOCK_POLL_MS)
  }
}

/** Creates the table of applied migrations, and copies those of Postroom 1.0 into it. */
async function createHistory(db: Db): Promise<void> {
  await sql`
    create table if not exists schema_migrations (
      name text primary key,
      -- How many of its steps are committed.
      steps_done integer not null,
      -- Null until all are.
      applied_at timestamptz,
      -- The oldest version of Postroom that the schema serves since; null if the migration changes nothing about it.
      serves_from text
    )`.execute(db)
  const { rows } = await sql<{ exists: boolean }>`
    select to_regclass('kysely_migration') is not null as exists`.execute(db)
  if (!rows[0]!.exists) return
  await sql`
    insert into schema_migrations (name, steps_done, applied_at)
    select name, 1, timestamp::timestamptz from kysely_migration
    on conflict (name) do nothing`.execute(db)
}

/** Runs the steps that are missing. Returns false if none was. */
async function applyMigration(db: Db, name: string, { steps, servesFrom }: Migration, log: Log): Promise<boolean> {
  const known = await db
    .selectFrom('schemaMigrations')
    .select(['stepsDone', 'appliedAt'])
    .where('name', '=', name)
    .executeTakeFirst()
  if (known?.appliedAt) return false
  for (const [index, step] of [...steps.entries()].slice(known?.stepsDone ?? 0)) {
    const stepsDone = index + 1
    const record = { name, stepsDone, isLast: stepsDone === steps.length, servesFrom: servesFrom ?? null }
    await retryOnConflict(name, log, () => runStep(db, step, record))
  }
  return true
}

async function retryOnConflict(name: string, log: Log, work: () => Promise<void>): Promise<void> {
  for (let isFirst = true; ; isFirst = false) {
    try {
      return await work()
    } catch (error) {
      const isConflict = hasSqlstate(
        error,
        SQLSTATE.LOCK_NOT_AVAILABLE,
        SQLSTATE.DEADLOCK_DETECTED,
        SQLSTATE.SERIALIZATION_FAILURE,
      )
      if (!isConflict) throw error
      if (isFirst) log(`${name} waits for a table that another transaction uses, and tries again until it is free`)
      await pause(RETRY_MS.min + Math.random() * (RETRY_MS.max - RETRY_MS.min))
    }
  }
}

async function runStep(db: Db, step: Step, done: StepRecord): Promise<void> {
  if (typeof step !== 'function') {
    await buildIndex(db, step)
    return record(db, done)
  }
  await db.transaction().execute(async (db) => {
    await sql`set local lock_timeout = ${sql.lit(LOCK_TIMEOUT_MS)}`.execute(db)
    // A step knows no row types: they are those of the newest schema.
    await step(db as unknown as Kysely<unknown>)
    await record(db, done)
  })
}

/** An interrupted build leaves an invalid index, which costs writers time and serves no reader. */
async function buildIndex(db: Db, { index, create }: ConcurrentIndex): Promise<void> {
  const { rows } = await sql<{ valid: boolean }>`
    select indisvalid as valid from pg_index where indexrelid = to_regclass(${index})`.execute(db)
  if (rows[0]?.valid) return
  if (rows[0]) await sql`drop index concurrently ${sql.ref(index)}`.execute(db)
  await create.execute(db)
}

async function record(db: Db, { name, stepsDone, isLast, servesFrom }: StepRecord): Promise<void> {
  const state = { stepsDone, appliedAt: isLast ? sql<Date>`now()` : null, servesFrom }
  await db
    .insertInto('schemaMigrations')
    .values({ name, ...state })
    .onConflict((conflict) => conflict.column('name').doUpdateSet(state))
    .execute()
}

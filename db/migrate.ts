import { readdirSync } from 'node:fs'
import { extname } from 'node:path'
import { sql } from 'kysely'
import manifest from '../package.json' with { type: 'json' }
import { applyFunctions, listOutdatedFunctions } from './apply-functions.ts'
import type { Db } from './client.ts'
import { type Migration, maxVersion } from './migration.ts'
import { applyMigrations, withMigrationLock } from './migration-runner.ts'
import { hasSqlstate, SQLSTATE } from './sqlstate.ts'

const FOLDER = new URL('./migrations/', import.meta.url)

/** The names of all migrations, in order. Never edit a released one: a change gets the next number. */
export const MIGRATION_NAMES: readonly string[] = readdirSync(FOLDER)
  .flatMap((file) => /^(\d{4}_\w+)\.[jt]s$/.exec(file)?.[1] ?? [])
  .sort()

/** All migrations by their names, in order. A process that starts on a migrated database loads none. */
export async function loadMigrations(): Promise<Record<string, Migration>> {
  const load = async (name: string): Promise<[string, Migration]> => {
    const migration = await import(new URL(name + extname(import.meta.url), FOLDER).href)
    // Those of Postroom 1.0 have one step.
    return [name, 'up' in migration ? { steps: [migration.up] } : migration]
  }
  return Object.fromEntries(await Promise.all(MIGRATION_NAMES.map(load)))
}

/**
 * Whether the schema serves this code: `outdated` lacks migrations or functions of this code, and `too_new` has lost
 * something that this code needs. A schema with newer migrations is `ready` as long as they serve this version.
 */
type SchemaState = 'ready' | 'outdated' | 'too_new'

interface SchemaStatus {
  state: SchemaState
  /** The version of this code. */
  version: string
  applied: string[]
  /** Migrations with at least one step that is not done. */
  pending: string[]
  /** Functions of `db/functions/` that are missing, or come from another file of this version or an earlier one. */
  pendingFunctions: string[]
  /** Applied migrations of a newer version. */
  newer: string[]
  /** The oldest version that the schema serves; null if any does. */
  servesFrom: string | null
}

/**
 * Applies the missing migrations, and returns their names. Then replaces outdated functions. Several processes may run
 * it simultaneously.
 */
export async function migrate(db: Db, log: (line: string) => void = () => {}): Promise<string[]> {
  const { state, version, pending, pendingFunctions, newer, servesFrom } = await readSchema(db)
  if (state === 'too_new') throw new Error(tooNewMessage(version, servesFrom!))
  if (pending.length > 0 && newer.length > 0) {
    throw new Error(
      `Postroom ${version} has ${pending.join(', ')}, which another version has skipped when it applied ${newer.join(', ')}. Run a version that has all of them`,
    )
  }
  const applied = pending.length > 0 ? await applyMigrations(db, await loadMigrations(), log) : []
  if (pendingFunctions.length > 0) await withMigrationLock(db, log, applyFunctions)
  return applied
}

export const checkSchema = async (db: Db): Promise<SchemaState> => (await readSchema(db)).state

/** Reads which migrations are applied, and which functions. Two short statements. */
export async function readSchema(db: Db): Promise<SchemaStatus> {
  const rows = await readHistory(db)
  const isApplied = (name: string) => rows.some((row) => row.name === name && row.isApplied)
  const servesFrom = rows.reduce((latest, row) => maxVersion(latest, row.servesFrom), null as string | null)
  const pending = MIGRATION_NAMES.filter((name) => !isApplied(name))
  const pendingFunctions = await listOutdatedFunctions(db)
  const isTooNew = maxVersion(manifest.version, servesFrom) !== manifest.version
  return {
    state: isTooNew ? 'too_new' : pending.length + pendingFunctions.length > 0 ? 'outdated' : 'ready',
    version: manifest.version,
    applied: MIGRATION_NAMES.filter(isApplied),
    pending,
    pendingFunctions,
    newer: rows.map(({ name }) => name).filter((name) => !MIGRATION_NAMES.includes(name)),
    servesFrom,
  }
}

export const tooNewMessage = (version: string, servesFrom: string) =>
  `The schema of the database serves Postroom ${servesFrom} or newer, and this is ${version}. Run the newer version`

interface HistoryRow {
  name: string
  isApplied: boolean
  servesFrom: string | null
}

/** In a database of Postroom 1.0, Kysely's table has the applied migrations. In an empty one, there is no table. */
async function readHistory(db: Db): Promise<HistoryRow[]> {
  try {
    return await db
      .selectFrom('schemaMigrations')
      .select(['name', sql<boolean>`applied_at is not null`.as('isApplied'), 'servesFrom'])
      .orderBy('name')
      .execute()
  } catch (error) {
    if (!hasSqlstate(error, SQLSTATE.UNDEFINED_TABLE)) throw error
  }
  try {
    const { rows } = await sql<HistoryRow>`
      select name, true as "isApplied", null as "servesFrom" from kysely_migration order by name`.execute(db)
    return rows
  } catch (error) {
    if (hasSqlstate(error, SQLSTATE.UNDEFINED_TABLE)) return []
    throw error
  }
}

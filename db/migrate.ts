import { sql } from 'kysely'
import { type Migration, Migrator } from 'kysely/migration'
import type { Db } from './client.ts'
import * as initial from './migrations/0001_initial.ts'
import * as mediaFiles from './migrations/0002_media_files.ts'
import * as publishing from './migrations/0003_publishing.ts'
import * as idempotency from './migrations/0004_idempotency.ts'
import * as postsWithoutIdIndex from './migrations/0005_posts_without_id_index.ts'
import * as parkedDeliveries from './migrations/0006_parked_deliveries.ts'
import * as accountLimits from './migrations/0007_account_limits.ts'
import * as networkWaits from './migrations/0008_network_waits.ts'
import { hasSqlstate, SQLSTATE } from './sqlstate.ts'

/** Every migration by its name, in order. Never edit an applied one: a change gets the next number. */
const migrations: Record<string, Migration> = {
  '0001_initial': initial,
  '0002_media_files': mediaFiles,
  '0003_publishing': publishing,
  '0004_idempotency': idempotency,
  '0005_posts_without_id_index': postsWithoutIdIndex,
  '0006_parked_deliveries': parkedDeliveries,
  '0007_account_limits': accountLimits,
  '0008_network_waits': networkWaits,
}

/** Applies the missing migrations, and returns their names. Several processes may run it simultaneously. */
export async function migrate(db: Db): Promise<string[]> {
  const migrator = new Migrator({ db, provider: { getMigrations: async () => migrations } })
  const { error, results } = await migrator.migrateToLatest()
  if (error) throw error
  return (results ?? []).map((result) => result.migrationName)
}

/** Whether exactly the migrations of this code have been applied. */
export async function isMigrated(db: Db): Promise<boolean> {
  try {
    const { rows } = await sql<{ name: string }>`select name from kysely_migration order by name`.execute(db)
    return JSON.stringify(rows.map(({ name }) => name)) === JSON.stringify(Object.keys(migrations))
  } catch (error) {
    if (hasSqlstate(error, SQLSTATE.UNDEFINED_TABLE)) return false
    throw error
  }
}

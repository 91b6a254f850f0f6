import { sql } from 'kysely'
import manifest from '../package.json' with { type: 'json' }
import { applyFunctions, listOutdatedFunctions } from './apply-functions.ts'
import type { Db } from './client.ts'
import { type Migration, maxVersion, type Step } from './migration.ts'
import { applyMigrations, withMigrationLock } from './migration-runner.ts'
import * as initial from './migrations/0001_initial.ts'
import * as mediaFiles from './migrations/0002_media_files.ts'
import * as publishing from './migrations/0003_publishing.ts'
import * as idempotency from './migrations/0004_idempotency.ts'
import * as postsWithoutIdIndex from './migrations/0005_posts_without_id_index.ts'
import * as parkedDeliveries from './migrations/0006_parked_deliveries.ts'
import * as accountLimits from './migrations/0007_account_limits.ts'
import * as networkWaits from './migrations/0008_network_waits.ts'
import * as restores from './migrations/0009_restores.ts'
import * as metrics from './migrations/0010_metrics.ts'
import * as retention from './migrations/0012_retention.ts'
import * as connections from './migrations/0013_connections.ts'
import * as tokenRefresh from './migrations/0014_token_refresh.ts'
import * as serverApps from './migrations/0015_server_apps.ts'
import * as find from './migrations/0016_find.ts'
import * as keyRights from './migrations/0018_key_rights.ts'
import * as connectionMetadata from './migrations/0019_connection_metadata.ts'
import * as postsOfOrganizations from './migrations/0020_posts_of_organizations.ts'
import * as events from './migrations/0021_events.ts'
import * as webhooks from './migrations/0022_webhooks.ts'
import * as mediaTracks from './migrations/0023_media_tracks.ts'
import * as mediaEdits from './migrations/0024_media_edits.ts'
import * as webhookMakers from './migrations/0025_webhook_makers.ts'
import * as storedLinks from './migrations/0026_stored_links.ts'
import * as altTextLimits from './migrations/0027_alt_text_limits.ts'
import * as rightsOfIdempotencyKeys from './migrations/0028_rights_of_idempotency_keys.ts'
import * as cancelledDeliveries from './migrations/0029_cancelled_deliveries.ts'
import * as filesOfAccounts from './migrations/0030_files_of_accounts.ts'
import * as altTextsOfPosts from './migrations/0031_alt_texts_of_posts.ts'
import * as localSchedules from './migrations/0032_local_schedules.ts'
import * as eventsOfEveryone from './migrations/0033_events_of_everyone.ts'
import * as renditions from './migrations/0034_renditions.ts'
import * as postsWithoutMedia from './migrations/0035_posts_without_media.ts'
import * as postWords from './migrations/0036_post_words.ts'
import * as referencesOfUsers from './migrations/0037_references_of_users.ts'
import * as timesOfAccounts from './migrations/0038_times_of_accounts.ts'
import * as accountSchedules from './migrations/0039_account_schedules.ts'
import * as settingsOfAccounts from './migrations/0040_settings_of_accounts.ts'
import * as textDigests from './migrations/0041_text_digests.ts'
import * as deliveryMetrics from './migrations/0042_delivery_metrics.ts'
import * as avatars from './migrations/0043_avatars.ts'
import * as oauthGrants from './migrations/0044_oauth_grants.ts'
import * as mediaFit from './migrations/0045_media_fit.ts'
import * as metricCalls from './migrations/0046_metric_calls.ts'
import * as budgets from './migrations/0047_budgets.ts'
import * as slotsOfPosts from './migrations/0048_slots_of_posts.ts'
import * as gonePosts from './migrations/0049_gone_posts.ts'
import * as mediaFocus from './migrations/0050_media_focus.ts'
import * as renditionJobs from './migrations/0051_rendition_jobs.ts'
import * as filesOfParts from './migrations/0052_files_of_parts.ts'
import * as documents from './migrations/0053_documents.ts'
import * as deliveryChanges from './migrations/0054_delivery_changes.ts'
import * as deliveryEdits from './migrations/0055_delivery_edits.ts'
import * as spendingOfChanges from './migrations/0056_spending_of_changes.ts'
import { hasSqlstate, SQLSTATE } from './sqlstate.ts'

/** The migrations of Postroom 1.0 have one step. */
const oneStep = ({ up }: { up: Step }): Migration => ({ steps: [up] })

/** Every migration by its name, in order. Never edit a released one: a change gets the next number. */
export const MIGRATIONS: Record<string, Migration> = {
  '0001_initial': oneStep(initial),
  '0002_media_files': oneStep(mediaFiles),
  '0003_publishing': oneStep(publishing),
  '0004_idempotency': oneStep(idempotency),
  '0005_posts_without_id_index': oneStep(postsWithoutIdIndex),
  '0006_parked_deliveries': oneStep(parkedDeliveries),
  '0007_account_limits': oneStep(accountLimits),
  '0008_network_waits': networkWaits,
  '0009_restores': restores,
  '0010_metrics': metrics,
  '0012_retention': retention,
  '0013_connections': connections,
  '0014_token_refresh': tokenRefresh,
  '0015_server_apps': serverApps,
  '0016_find': find,
  '0018_key_rights': keyRights,
  '0019_connection_metadata': connectionMetadata,
  '0020_posts_of_organizations': postsOfOrganizations,
  '0021_events': events,
  '0022_webhooks': webhooks,
  '0023_media_tracks': mediaTracks,
  '0024_media_edits': mediaEdits,
  '0025_webhook_makers': webhookMakers,
  '0026_stored_links': storedLinks,
  '0027_alt_text_limits': altTextLimits,
  '0028_rights_of_idempotency_keys': rightsOfIdempotencyKeys,
  '0029_cancelled_deliveries': cancelledDeliveries,
  '0030_files_of_accounts': filesOfAccounts,
  '0031_alt_texts_of_posts': altTextsOfPosts,
  '0032_local_schedules': localSchedules,
  '0033_events_of_everyone': eventsOfEveryone,
  '0034_renditions': renditions,
  '0035_posts_without_media': postsWithoutMedia,
  '0036_post_words': postWords,
  '0037_references_of_users': referencesOfUsers,
  '0038_times_of_accounts': timesOfAccounts,
  '0039_account_schedules': accountSchedules,
  '0040_settings_of_accounts': settingsOfAccounts,
  '0041_text_digests': textDigests,
  '0042_delivery_metrics': deliveryMetrics,
  '0043_avatars': avatars,
  '0044_oauth_grants': oauthGrants,
  '0045_media_fit': mediaFit,
  '0046_metric_calls': metricCalls,
  '0047_budgets': budgets,
  '0048_slots_of_posts': slotsOfPosts,
  '0049_gone_posts': gonePosts,
  '0050_media_focus': mediaFocus,
  '0051_rendition_jobs': renditionJobs,
  '0052_files_of_parts': filesOfParts,
  '0053_documents': documents,
  '0054_delivery_changes': deliveryChanges,
  '0055_delivery_edits': deliveryEdits,
  '0056_spending_of_changes': spendingOfChanges,
}

/**
 * Whether the schema serves this code: `outdated` lacks migrations or functions of this code, and `too_new` has lost
 * something that this code needs. A schema with newer migrations is `ready` as long as they serve this version.
 */
export type SchemaState = 'ready' | 'outdated' | 'too_new'

export interface SchemaStatus {
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
  const applied = pending.length > 0 ? await applyMigrations(db, MIGRATIONS, log) : []
  if (pendingFunctions.length > 0) await withMigrationLock(db, log, applyFunctions)
  return applied
}

export const checkSchema = async (db: Db): Promise<SchemaState> => (await readSchema(db)).state

/** Reads which migrations are applied, and which functions. Two short statements. */
export async function readSchema(db: Db): Promise<SchemaStatus> {
  const rows = await readHistory(db)
  const names = Object.keys(MIGRATIONS)
  const isApplied = (name: string) => rows.some((row) => row.name === name && row.isApplied)
  const servesFrom = rows.reduce((latest, row) => maxVersion(latest, row.servesFrom), null as string | null)
  const pending = names.filter((name) => !isApplied(name))
  const pendingFunctions = await listOutdatedFunctions(db)
  const isTooNew = maxVersion(manifest.version, servesFrom) !== manifest.version
  return {
    state: isTooNew ? 'too_new' : pending.length + pendingFunctions.length > 0 ? 'outdated' : 'ready',
    version: manifest.version,
    applied: names.filter(isApplied),
    pending,
    pendingFunctions,
    newer: rows.map(({ name }) => name).filter((name) => !names.includes(name)),
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

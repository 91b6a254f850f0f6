import type { Step } from '../migration.ts'

/**
 * Adds the local time and the time zone that a request gave as the time of a post, with the instant that they meant. Null
 * where the request gave an instant. An earlier version changes `scheduled_at` alone: they count only where it is that
 * instant.
 */
export const steps: Step[] = [(db) => db.schema.alterTable('posts').addColumn('local_schedule', 'jsonb').execute()]

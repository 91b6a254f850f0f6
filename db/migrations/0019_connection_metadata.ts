import type { Step } from '../migration.ts'

/** What the accounts of a connection get as their metadata. */
export const steps: Step[] = [(db) => db.schema.alterTable('connections').addColumn('metadata', 'jsonb').execute()]

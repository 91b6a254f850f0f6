import { sql } from 'kysely'
import type { Step } from '../migration.ts'

export const steps: Step[] = [
  // The key that created it; null for those of earlier versions. No foreign key: the webhook outlives the key.
  (db) => sql`alter table webhooks add column created_by uuid`.execute(db),
]

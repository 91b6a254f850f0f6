import { sql } from 'kysely'
import type { Step } from '../migration.ts'

export const steps: Step[] = [
  // Responses of createConnection had their link as plain text. A request that is repeated creates another link.
  (db) =>
    sql`
      delete from idempotency_keys
      where body like '%"url":"%' and body::jsonb ? 'url' and body::jsonb ? 'platform'`.execute(db),
]

import { sql } from 'kysely'
import type { Step } from '../migration.ts'

/** The scopes of an access token that has fewer than its grant, because its client asked for these; null for all. */
export const steps: Step[] = [
  async (db) => {
    await sql`alter table oauth_tokens add column scopes text[]`.execute(db)
  },
]

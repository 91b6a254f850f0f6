import { sql } from 'kysely'
import type { Step } from '../migration.ts'

/** Adds documents to the kinds of files, and the number of their pages. */
export const steps: Step[] = [
  async (db) => {
    await sql`
      alter table media
        add column pages integer,
        drop constraint media_kind_check,
        add constraint media_kind_check check (kind in ('image', 'gif', 'video', 'document')) not valid`.execute(db)
  },
  async (db) => {
    await sql`alter table media validate constraint media_kind_check`.execute(db)
  },
]

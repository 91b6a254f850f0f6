import { sql } from 'kysely'
import type { Step } from '../migration.ts'

/** Lets a video that workers have to make be needed earlier when the time of a delivery changes. */
export const steps: Step[] = [
  async (db) => {
    await sql`
      create or replace trigger post_targets_plan_renditions
        after insert or update of renditions, due_at on post_targets for each row
        when (new.renditions is not null) execute function plan_renditions()`.execute(db)
  },
]

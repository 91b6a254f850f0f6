import { sql } from 'kysely'
import type { Step } from '../migration.ts'

/** Counts the calls that read numbers, for networks whose daily quota publishing needs too. */
export const steps: Step[] = [
  (db) =>
    sql`
      create table metric_calls (
        platform text not null,
        -- In UTC.
        day date not null,
        calls integer not null,
        primary key (platform, day))`.execute(db),
]

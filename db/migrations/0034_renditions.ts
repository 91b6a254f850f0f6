import { sql } from 'kysely'
import type { Step } from '../migration.ts'

/** Adds files that are made from media, such as previews. Their bytes become staged when their row is deleted. */
export const steps: Step[] = [
  async (db) => {
    await sql`
      create table renditions (
        user_id uuid not null,
        media_id uuid not null,
        target text not null,
        -- Null if the file cannot be made.
        storage_key text,
        created_at timestamptz not null default now(),
        primary key (user_id, media_id, target),
        foreign key (user_id, media_id) references media (user_id, id) on delete cascade)`.execute(db)
    // Empty: the file of its name replaces it.
    await sql`
      create function stage_rendition() returns trigger language plpgsql as $$ begin return null; end $$`.execute(db)
    await sql`
      create trigger renditions_stage after delete on renditions for each row
        when (old.storage_key is not null) execute function stage_rendition()`.execute(db)
  },
]

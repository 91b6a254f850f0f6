import { sql } from 'kysely'
import type { Step } from '../migration.ts'

export const steps: Step[] = [
  // Whether the post is known to have no files, so that lists need not look for them. Null if it is not known.
  (db) => sql`alter table posts add column without_media boolean`.execute(db),
  // A trigger, because processes of the previous version add files too.
  async (db) => {
    await sql`
      create function note_post_media() returns trigger language plpgsql as $$
      begin
        update posts set without_media = null
        where user_id = new.user_id and id = new.post_id and without_media;
        return null;
      end $$`.execute(db)
    await sql`
      create trigger post_media_note_post after insert on post_media for each row
      execute function note_post_media()`.execute(db)
  },
]

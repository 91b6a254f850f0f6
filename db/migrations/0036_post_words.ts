import { sql } from 'kysely'
import type { Step } from '../migration.ts'

/**
 * What finds posts by their texts. Creating a post writes nothing of it: workers add the words within a second. They
 * cost more than the rest of the post, and a search has to be quick, not a create.
 */
export const steps: Step[] = [
  async (db) => {
    await sql`
      create table post_words (
        user_id uuid not null,
        post_id uuid not null,
        -- The words of the post, and the span of its user that it is in: see src/posts/words.ts.
        words text[] not null,
        primary key (user_id, post_id),
        constraint post_words_post foreign key (user_id, post_id) references posts (user_id, id) on delete cascade
      )`.execute(db)
    // A search reads many spans. Each would read the whole list of pending entries.
    await sql`create index post_words_words on post_words using gin (words) with (fastupdate = off)`.execute(db)
    // Posts whose words have to be read. No foreign key, which would make the sequencer wait for locked posts.
    await sql`
      create table post_words_due (
        seq bigint generated always as identity primary key,
        user_id uuid not null,
        post_id uuid not null
      )`.execute(db)
    await sql`alter table post_words_due set (autovacuum_vacuum_scale_factor = 0.01)`.execute(db)
  },
  // Workers take the last ones first: new posts, and then the newest of those that exist now.
  (db) => sql`insert into post_words_due (user_id, post_id) select user_id, id from posts order by id`.execute(db),
]

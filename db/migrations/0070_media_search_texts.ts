import { sql } from 'kysely'
import { concurrentIndex, type Step } from '../migration.ts'

/**
 * Names, alternative texts and references of files as searches compare them, by src/platforms/rules/fold-text.ts. Null
 * in files that an earlier version has written: workers add them.
 */
export const steps: Step[] = [
  (db) => db.schema.alterTable('media').addColumn('search_text', 'text').execute(),
  (db) =>
    sql`
      create function forget_search_text() returns trigger language plpgsql as $$
      begin
        return new;
      end $$`.execute(db),
  // Processes of the previous version change an alternative text alone.
  (db) =>
    sql`
      create trigger media_forget_search_text before update of alt_text on media for each row
      when (new.alt_text is distinct from old.alt_text and new.search_text is not distinct from old.search_text)
      execute function forget_search_text()`.execute(db),
  concurrentIndex('media_without_search_text', sql`media (user_id, id) where search_text is null and kind is not null`),
]

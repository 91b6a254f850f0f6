import { sql } from 'kysely'
import { concurrentIndex, type Step } from '../migration.ts'

/**
 * What lists the posts of an organisation. Creating a post whose accounts do not all belong to one organisation writes no
 * entry of these indexes.
 */
export const steps: Step[] = [
  // The organisation that all accounts of the post belong to. Posts of older versions lack it.
  (db) => db.schema.alterTable('posts').addColumn('organization_id', 'uuid').execute(),
  // Since when `posts.organization_id` may be wrong for posts of the organisation; null if it is right for all of them. It may
  // be wrong for the organisations that exist now.
  async (db) => {
    await sql`
      alter table organizations add column posts_unmarked_since timestamptz default '-infinity'`.execute(db)
    await sql`alter table organizations alter column posts_unmarked_since drop default`.execute(db)
  },
  async (db) => {
    await sql`
      create function note_moved_account() returns trigger language plpgsql as $$
      begin
        update organizations set posts_unmarked_since = clock_timestamp()
        where id in (old.organization_id, new.organization_id);
        return null;
      end $$`.execute(db)
    await sql`
      create trigger accounts_note_move after update of organization_id on accounts for each row
      when (new.organization_id is distinct from old.organization_id)
      execute function note_moved_account()`.execute(db)
  },
  // Processes of version 1.0 write neither `position` nor `organization_id`.
  async (db) => {
    await sql`
      create function note_unmarked_post() returns trigger language plpgsql as $$
      begin
        update organizations set posts_unmarked_since = clock_timestamp()
        where id = (select organization_id from accounts where accounts.id = new.account_id)
          and posts_unmarked_since is null;
        return new;
      end $$`.execute(db)
    await sql`
      create trigger post_targets_note_unmarked before insert on post_targets for each row
      when (new.position is null)
      execute function note_unmarked_post()`.execute(db)
  },
  concurrentIndex('posts_of_organization', sql`posts (organization_id, id) where organization_id is not null`),
  // As `posts_unpublished`, `posts_scheduled`, `posts_updated` and `posts_external_reference` for the posts of a user.
  concurrentIndex(
    'posts_of_organization_unpublished',
    sql`posts (organization_id, status, id) where organization_id is not null and status <> 'published'`,
  ),
  concurrentIndex(
    'posts_of_organization_scheduled',
    sql`posts (organization_id, scheduled_at, id) where organization_id is not null and scheduled_at is not null`,
  ),
  concurrentIndex(
    'posts_of_organization_updated',
    sql`posts (organization_id, updated_at, id) where organization_id is not null`,
  ),
  concurrentIndex(
    'posts_of_organization_reference',
    sql`posts (organization_id, external_reference, id)
      where organization_id is not null and external_reference is not null`,
  ),
]

import { sql } from 'kysely'
import { concurrentIndex, type Step } from '../migration.ts'

/**
 * What finding posts and deliveries needs. Each index serves one order or one rare condition; every other filter looks at a
 * bounded number of rows of one of them. Creating a post for three accounts writes 13 index entries without these. Of
 * these, it writes the three on posts.
 */
export const steps: Step[] = [
  (db) =>
    db.schema
      .alterTable('posts')
      // The client's own name for the post, and its own pairs of names and texts.
      .addColumn('external_reference', 'text')
      .addColumn('metadata', 'jsonb')
      .execute(),
  (db) =>
    db.schema
      .alterTable('post_targets')
      // Keeps the order of `accountIds`. Null in posts of older versions.
      .addColumn('position', 'integer')
      // When the result last changed; null if it never has.
      .addColumn('changed_at', 'timestamptz')
      .execute(),
  (db) =>
    db.schema
      .alterTable('media')
      .addColumn('file_name', 'text')
      .addColumn('external_reference', 'text')
      .addColumn('metadata', 'jsonb')
      .execute(),
  (db) => db.schema.alterTable('accounts').addColumn('metadata', 'jsonb').execute(),
  // A trigger and not a part of each statement, because processes of the previous version change deliveries too. A delivery
  // that a worker takes is not a change: its result comes moments later. The time is that of the change and not that of
  // its transaction, so that it is soon visible.
  async (db) => {
    await sql`
      create function note_delivery_change() returns trigger language plpgsql as $$
      begin
        new.changed_at := clock_timestamp();
        return new;
      end $$`.execute(db)
    await sql`
      create trigger post_targets_note_change before update on post_targets for each row
      when (new.state <> 'publishing' and (new.state is distinct from old.state
        or new.error is distinct from old.error or new.sent is distinct from old.sent))
      execute function note_delivery_change()`.execute(db)
  },
  // Drafts and scheduled posts, which are few beside the published ones. Publishing a post removes it from here.
  concurrentIndex('posts_unpublished', sql`posts (user_id, status, id) where status <> 'published'`),
  // The calendar.
  concurrentIndex('posts_scheduled', sql`posts (user_id, scheduled_at, id) where scheduled_at is not null`),
  // What has changed since a time. Its entries are written at the end of the index, where the last ones were.
  concurrentIndex('posts_updated', sql`posts (user_id, updated_at, id)`),
  // No write for a post without a reference.
  concurrentIndex(
    'posts_external_reference',
    sql`posts (user_id, external_reference, id) where external_reference is not null`,
  ),
  // No write at creation or success.
  concurrentIndex(
    'post_targets_troubled',
    sql`post_targets (user_id, post_id, account_id)
      where state in ('failed', 'unconfirmed', 'missed') or error is not null`,
  ),
  // No write at creation, and one when a delivery ends.
  concurrentIndex(
    'post_targets_changed',
    sql`post_targets (user_id, changed_at, post_id, account_id) where changed_at is not null`,
  ),
  // The deliveries of one user to one account. Begins with the column of the index that it replaces, so that creating a post
  // writes as many entries as before.
  concurrentIndex('post_targets_of_account', sql`post_targets (account_id, user_id, post_id)`),
  (db) => db.schema.dropIndex('post_targets_account_id').execute(),
]

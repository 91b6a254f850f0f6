import { sql } from 'kysely'
import { prepared } from '../../prepared.ts'
import { postEvent } from '../events/post.ts'
import { noteLastUse } from '../media.ts'
import { type LockedPost, withLockedPost } from './lock.ts'

/**
 * Deletes the user's post with its deliveries and attachments, unless it is on a network or being sent. Returns its
 * status before. Returns nothing if the user has no such post, or if the statement has to be repeated: see
 * `withLockedPost`. Locks the deliveries, as a claim does, and then the post, so that neither can change between the
 * check and the delete.
 */
export const deleteUnpublishedPost = prepared<{ userId: string; id: string }, LockedPost>(
  'delete_unpublished_post',
  (db, value) =>
    withLockedPost(db, { userId: value('userId'), id: value('id') })
      .with('deleted', (db) =>
        db
          .deleteFrom('posts')
          .using('found')
          .whereRef('posts.userId', '=', 'found.userId')
          .whereRef('posts.id', '=', 'found.id')
          .where((eb) => eb.or([eb('found.status', '!=', 'published'), eb('found.isTakenDown', '=', true)]))
          .where('found.busy', '=', false)
          .returning([
            'posts.userId',
            'posts.id',
            'posts.status',
            'posts.scheduledAt',
            'posts.externalReference',
            'posts.metadata',
          ]),
      )
      .with('notedMedia', () => noteLastUse(sql.table('deleted')))
      .with(
        'event',
        () => sql<Record<never, never>>`(
          insert into event_outbox (user_id, type, post_id, account_ids, data)
          select user_id, 'post.deleted', id, array(select account_id from deliveries), ${postEvent('deleted')}
          from deleted)`,
      )
      .selectFrom('found')
      .select(['status', 'busy', 'isTakenDown']),
)

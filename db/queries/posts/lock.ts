import { type SqlBool, sql } from 'kysely'
import type { PostStatus } from '../../../schemas/post.ts'
import type { Db } from '../../client.ts'
import { prepared } from '../../prepared.ts'

export interface LockedPost {
  status: PostStatus
  /** A worker is sending one of its deliveries. */
  busy: boolean
  /** It was published, and all that was is taken down. */
  isTakenDown: boolean
}

/**
 * A query with the row `found`: the user's post, locked after its deliveries in the order of their accounts, as workers
 * lock them. Has no row if there is no such post, or if another request has changed it while this one waited for the
 * lock: accounts that the post has got since would not be locked. The caller then repeats the statement.
 */
export const withLockedPost = (db: Db, post: { userId: string; id: string }) =>
  db
    .with('deliveries', (db) =>
      db
        .selectFrom('postTargets')
        .select(['state', 'accountId', 'sent', 'intent'])
        .where('userId', '=', post.userId)
        .where('postId', '=', post.id)
        .orderBy('accountId')
        .forUpdate(),
    )
    .with('found', (db) =>
      db
        .selectFrom('posts')
        .select((eb) => [
          'userId',
          'id',
          eb.ref('status').$castTo<PostStatus>().as('status'),
          sql<boolean>`(select coalesce(bool_or(state = 'publishing'), false) from deliveries)`.as('busy'),
          sql<boolean>`(
            select coalesce(bool_or(state = 'removed') and bool_and(state = 'removed'
              or (state not in ('published', 'unconfirmed') and sent = '[]' and intent is null)), false)
            from deliveries)`.as('isTakenDown'),
        ])
        .where('userId', '=', post.userId)
        .where('id', '=', post.id)
        // Always true: it makes Postgres lock the deliveries before the post.
        .where(sql<SqlBool>`(select count(*) from deliveries) >= 0`)
        // Compares the locked row with the one that the statement began with.
        .where('updatedAt', '=', (eb) =>
          eb
            .selectFrom('posts as seen')
            .select('seen.updatedAt')
            .where('seen.userId', '=', post.userId)
            .where('seen.id', '=', post.id),
        )
        .forUpdate(),
    )

export interface LockedPostWithAccounts extends LockedPost {
  accountIds: string[]
}

/**
 * Locks the user's post and its deliveries until the transaction ends. May have to be repeated: see `withLockedPost`.
 */
export const lockPost = prepared<{ userId: string; id: string }, LockedPostWithAccounts>('lock_post', (db, value) =>
  withLockedPost(db, { userId: value('userId'), id: value('id') })
    .selectFrom('found')
    .select([
      'status',
      'busy',
      'isTakenDown',
      sql<string[]>`array(select account_id from deliveries)`.as('accountIds'),
    ]),
)

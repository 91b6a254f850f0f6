import { sql } from 'kysely'
import type { Focus } from '../../schemas/media.ts'
import type { Db } from '../client.ts'
import { prepared } from '../prepared.ts'
import type { SearchedTexts } from './media-search-texts.ts'
import { isFileOf, isUnsentFile } from './posts/files.ts'

/** The description of a file, which networks get. */
interface Description {
  altText: string | null
  focus: Focus | null
}

/** The file's description. Locks the file, so that no post gets it until the transaction ends. */
export const lockDescription = prepared<{ userId: string; id: string }, Description & SearchedTexts>(
  'lock_description',
  (db, value) =>
    db
      .selectFrom('media')
      .select(['altText', sql<Focus | null>`focus`.as('focus'), 'fileName', 'externalReference'])
      .where('userId', '=', value('userId'))
      .where('id', '=', value('id'))
      .where('kind', 'is not', null)
      .forUpdate(),
)

/** A post that is not published yet, or not to all of its accounts. */
export interface UnpublishedUse {
  postId: string
  /** Whether it is scheduled, or a delivery that has not sent the file may be retried. */
  isApproved: boolean
  accountIds: string[]
}

/** Up to `limit` posts that may still publish the file. */
export const listUnpublishedUses = prepared<{ userId: string; id: string; limit: number | null }, UnpublishedUse>(
  'list_unpublished_uses',
  (_db, value) => sql`
    select posts.id as post_id, posts.status <> 'draft' as is_approved,
      array(select account_id from post_targets
        where post_targets.user_id = posts.user_id and post_targets.post_id = posts.id) as account_ids
    from post_media join posts on posts.user_id = post_media.user_id and posts.id = post_media.post_id
    where post_media.user_id = ${value('userId')} and post_media.media_id = ${value('id')}
      and (posts.status = 'draft' or exists (
        select from post_targets
        where post_targets.user_id = posts.user_id and post_targets.post_id = posts.id
          and state <> 'published' and ${isUnsentFile} and ${isFileOf('post_targets')}))
    order by posts.id
    limit ${value('limit')}`,
)

/** Makes the versions of posts new: each gets another `updatedAt`, and so another ETag. */
export async function touchPosts(db: Db, { userId, ids }: { userId: string; ids: readonly string[] }): Promise<void> {
  await sql`
    update posts
    -- The API shows milliseconds.
    set updated_at = greatest(now(), date_trunc('milliseconds', updated_at) + interval '1 millisecond')
    where user_id = ${userId} and id = any(${ids}::uuid[])`.execute(db)
}

/** Returns no row if the user has no such file. */
export const updateDescription = prepared<
  { userId: string; id: string; searchText: string } & Description,
  { id: string }
>('update_description', (db, value) =>
  db
    .updateTable('media')
    .set({ altText: value('altText'), focus: sql`${value('focus')}::jsonb`, searchText: value('searchText') })
    .where('userId', '=', value('userId'))
    .where('id', '=', value('id'))
    .where('kind', 'is not', null)
    .returning('id'),
)

/** Locks up to `limit` deliveries that may still publish the file. */
export const lockUnpublishedDeliveries = prepared<{ userId: string; id: string; limit: number }, { postId: string }>(
  'lock_unpublished_deliveries',
  (_db, value) => sql`
    select post_targets.post_id
    from post_media
    join post_targets on post_targets.user_id = post_media.user_id and post_targets.post_id = post_media.post_id
    where post_media.user_id = ${value('userId')} and post_media.media_id = ${value('id')}
      and post_targets.state <> 'published' and ${isUnsentFile} and ${isFileOf('post_targets')}
    order by post_targets.post_id, post_targets.account_id
    limit ${value('limit')}
    for update of post_targets`,
)

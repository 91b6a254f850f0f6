import { sql } from 'kysely'
import type { Db } from '../../client.ts'
import type { DeliveryKey } from '../delivery/delivery.ts'

interface FilesOfPost {
  /** In order. An id may occur twice. */
  mediaIds: readonly string[]
  /** Null for the files of the post. */
  deliveries: readonly { accountId: string; mediaIds: readonly string[] | null }[]
}

/** The rows of a post in `post_media`: its own files, then those of its accounts. */
export const fileRows = ({ mediaIds, deliveries }: FilesOfPost) =>
  [{ accountId: null, mediaIds }, ...deliveries]
    .flatMap(({ accountId, mediaIds }) => (mediaIds ?? []).map((id) => ({ media_id: id, account_id: accountId })))
    .map((row, index) => ({ position: index + 1, ...row }))

/** Whether a row of `post_media` is a file that a delivery publishes: of its account, or else of the post. */
export const isFileOf = (delivery: 'post_targets' | 'claimed') => {
  const [ownMedia, accountId] = [sql.ref(`${delivery}.own_media`), sql.ref(`${delivery}.account_id`)]
  return sql<boolean>`post_media.account_id is not distinct from case when ${ownMedia} then ${accountId} end`
}

/** Replaces the files that a post has for one account alone. The others keep their positions. */
export async function replaceFilesOfAccount(
  db: Db,
  { userId, postId, accountId }: DeliveryKey,
  mediaIds: readonly string[],
): Promise<void> {
  const ofPost = sql`user_id = ${userId} and post_id = ${postId}`
  await sql`delete from post_media where ${ofPost} and account_id = ${accountId}`.execute(db)
  await sql`
    insert into post_media (user_id, post_id, position, media_id, account_id)
    select ${userId}, ${postId}, coalesce((select max(position) from post_media where ${ofPost}), 0) + file.position,
      file.media_id, ${accountId}
    from unnest(${[...mediaIds]}::uuid[]) with ordinality as file(media_id, position)`.execute(db)
}

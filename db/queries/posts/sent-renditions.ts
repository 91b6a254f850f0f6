import { sql } from 'kysely'
import type { Adjustment } from '../../../schemas/media.ts'
import type { VideoTarget } from '../../../schemas/video-target.ts'
import { FEW_ROWS } from '../few-rows.ts'

/** The renditions that a delivery sends, by file: the target of each, and the rules that the file breaks. */
type StoredRenditions = Record<string, StoredRendition>

export type StoredRendition = Pick<SentRendition, 'target' | 'why' | 'video'>

/** A rendition that an account gets in place of a file. */
export interface SentRendition extends Adjustment {
  target: string
  /** The video that a worker makes. Absent for images, which are made before the post is written. */
  video?: VideoTarget
}

/** Renditions as a delivery stores them. Null without any. */
export const toStored = (renditions: readonly SentRendition[]): StoredRenditions | null =>
  renditions.length > 0
    ? Object.fromEntries(
        renditions.map(({ mediaId, target, why, video }) => [mediaId, { target, why, ...(video && { video }) }]),
      )
    : null

/** The renditions that the accounts of a post get. Null without any. */
export const sentRenditions = sql<SentRendition[] | null>`(
  select json_agg(jsonb_build_object(
      'accountId', delivery.account_id, 'mediaId', media.id, 'target', sent.value -> 'target', 'why', sent.value -> 'why',
      'from', json_build_object(
        'mimeType', media.mime_type, 'bytes', media.bytes, 'width', media.width, 'height', media.height),
      -- A video that is not made yet, or could not be made, has the facts of its plan.
      'to', json_build_object('mimeType', coalesce(renditions.mime_type, 'video/mp4'), 'bytes', renditions.bytes,
        'width', coalesce(renditions.width, (sent.value -> 'video' ->> 'width')::integer),
        'height', coalesce(renditions.height, (sent.value -> 'video' ->> 'height')::integer)))
      || case when sent.value ? 'video' then jsonb_build_object('video', sent.value -> 'video') else '{}' end
    order by delivery.position, media.id)
  from post_targets as delivery
  cross join lateral (select * from jsonb_each(delivery.renditions) ${FEW_ROWS}) as sent
  join media on media.user_id = delivery.user_id and media.id = sent.key::uuid
  left join renditions on renditions.user_id = delivery.user_id and renditions.media_id = media.id
    and renditions.target = sent.value ->> 'target'
  where delivery.user_id = posts.user_id and delivery.post_id = posts.id and delivery.renditions is not null
    and (renditions.target is not null or sent.value ? 'video'))`

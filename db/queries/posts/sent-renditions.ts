import { sql } from 'kysely'
import type { Adjustment } from '../../../schemas/media.ts'

/** The renditions that a delivery sends, by file: the target of each, and the rules that the file breaks. */
export type StoredRenditions = Record<string, Pick<SentRendition, 'target' | 'why'>>

/** A rendition that an account gets in place of a file. */
export interface SentRendition extends Adjustment {
  target: string
}

/** The renditions that the accounts of a post get. Null without any. */
export const sentRenditions = sql<SentRendition[] | null>`(
  select json_agg(json_build_object(
      'accountId', delivery.account_id, 'mediaId', media.id, 'target', renditions.target, 'why', sent.value -> 'why',
      'from', json_build_object(
        'mimeType', media.mime_type, 'bytes', media.bytes, 'width', media.width, 'height', media.height),
      'to', json_build_object('mimeType', renditions.mime_type, 'bytes', renditions.bytes, 'width', renditions.width,
        'height', renditions.height)) order by delivery.position, media.id)
  from post_targets as delivery
  cross join jsonb_each(delivery.renditions) as sent
  join media on media.user_id = delivery.user_id and media.id = sent.key::uuid
  join renditions on renditions.user_id = delivery.user_id and renditions.media_id = media.id
    and renditions.target = sent.value ->> 'target'
  where delivery.user_id = posts.user_id and delivery.post_id = posts.id and delivery.renditions is not null)`

import { type ExpressionBuilder, sql } from 'kysely'
import type { PublishedAct } from '../../../schemas/delivery.ts'
import type { MediaFit } from '../../../schemas/media.ts'
import type { PostType } from '../../../schemas/platform.ts'
import type { LocalSchedule, Post, PostStatus } from '../../../schemas/post.ts'
import type { DB } from '../../types.ts'
import { isoTime } from '../iso-time.ts'
import { jsonColumns } from '../json-columns.ts'
import { shortTexts } from './long-texts.ts'

/** The columns that a request writes. */
export interface WrittenColumns {
  caption: string
  firstComment?: string | null
  postType: PostType
  status: PostStatus
  scheduledAt: Date | null
  altTexts?: Readonly<Record<string, string>> | null
  mediaFit?: MediaFit | null
  padColor?: string | null
  localSchedule?: LocalSchedule | null
  externalReference?: string | null
  metadata?: Record<string, string> | null
}

export const WRITTEN_COLUMNS = jsonColumns({
  caption: 'text',
  firstComment: 'text',
  postType: 'text',
  status: 'text',
  scheduledAt: 'timestamptz',
  altTexts: 'jsonb',
  mediaFit: 'text',
  padColor: 'text',
  localSchedule: 'jsonb',
  externalReference: 'text',
  metadata: 'jsonb',
} satisfies Record<keyof WrittenColumns, string>)

const headColumns = (eb: ExpressionBuilder<DB, 'posts'>) =>
  [
    'id',
    'userId',
    eb.ref('postType').$castTo<PostType>().as('postType'),
    eb.ref('status').$castTo<PostStatus>().as('status'),
    isoTime<string | null>('scheduledAt').as('scheduledAt'),
    eb.ref('localSchedule').$castTo<LocalSchedule | null>().as('localSchedule'),
    isoTime('createdAt').as('createdAt'),
    isoTime('updatedAt').as('updatedAt'),
    'externalReference',
    eb.ref('metadata').$castTo<Record<string, string> | null>().as('metadata'),
  ] as const

/** The columns of a post in the API. */
export const postColumns = (eb: ExpressionBuilder<DB, 'posts'>) =>
  [...headColumns(eb), 'caption', 'firstComment'] as const

/** The ids of a post's own files in order. Null if it has none, which `dropAbsent` replaces. */
const mediaIds = sql<string[]>`case when posts.without_media is null then (
  select json_agg(media_id order by position) from post_media
  where post_media.user_id = posts.user_id and post_media.post_id = posts.id and account_id is null) end`.as('mediaIds')

/** The columns of a post in a list of the API. */
export const listedColumns = (eb: ExpressionBuilder<DB, 'posts'>) =>
  [...headColumns(eb), ...shortTexts, mediaIds] as const

/** An act as `post_targets.sent` has it. One that failed, and was left out, has an error. */
interface SentAct {
  id: string | null
  url: string | null
  removedAt?: string
  error?: unknown
}

interface DeliveryRow {
  acts?: unknown
  cost?: unknown
  goneAt?: unknown
  edit?: unknown
}

const toPublishedActs = (sent: readonly SentAct[]): PublishedAct[] =>
  sent
    .filter((act) => !('error' in act))
    .map(({ id, url, removedAt }) => ({
      externalId: id,
      externalUrl: url,
      ...(removedAt !== undefined && { removedAt }),
    }))

/** Makes deliveries what the API shows: published acts, and absent in place of null. Changes the deliveries. */
export function dropAbsentOfDeliveries<T>(deliveries: T[]): T[] {
  for (const delivery of deliveries as DeliveryRow[]) {
    if (delivery.acts) delivery.acts = toPublishedActs(delivery.acts as SentAct[])
    if (delivery.cost === null) delivery.cost = undefined
    if (delivery.goneAt === null) delivery.goneAt = undefined
    if (delivery.edit === null) delivery.edit = undefined
  }
  return deliveries
}

interface Row extends Pick<Post, 'scheduledAt' | 'scheduledAtLocal' | 'timeZone' | 'fold'> {
  altTexts?: unknown
  mediaFit?: unknown
  padColor?: unknown
  adjustments?: unknown
  mediaIds: unknown
  externalReference: unknown
  metadata: unknown
  localSchedule: LocalSchedule | null | undefined
  targets?: { delivery?: DeliveryRow }[]
}

/**
 * Makes a row what the API shows: absent in place of null, no files as an empty list, and no local time if the post has
 * been moved to another instant since. Changes the rows, which takes less time than copies would.
 */
export function dropAbsent<T>(posts: T[]): T[] {
  for (const post of posts as Row[]) {
    if (post.mediaIds === null) post.mediaIds = []
    if (post.altTexts === null) post.altTexts = undefined
    if (post.mediaFit === null) post.mediaFit = undefined
    if (post.padColor === null) post.padColor = undefined
    if (post.adjustments === null) post.adjustments = undefined
    if (post.externalReference === null) post.externalReference = undefined
    if (post.metadata === null) post.metadata = undefined
    if (post.targets) dropAbsentOfDeliveries(post.targets.flatMap(({ delivery }) => delivery ?? []))
    const { localSchedule } = post
    post.localSchedule = undefined
    if (localSchedule && localSchedule.scheduledAt === post.scheduledAt) Object.assign(post, localSchedule)
  }
  return posts
}

import { type ExpressionBuilder, sql } from 'kysely'
import type { MediaFit } from '../../../schemas/media.ts'
import type { PostType } from '../../../schemas/platform.ts'
import type { LocalSchedule, Post, PostStatus } from '../../../schemas/post.ts'
import type { PostComment } from '../../../schemas/post-comment.ts'
import type { PostLinks } from '../../../schemas/post-links.ts'
import type { PostPoll } from '../../../schemas/post-poll.ts'
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
  comments?: readonly PostComment[] | null
  poll?: PostPoll | null
  links?: PostLinks | null
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
  comments: 'jsonb',
  poll: 'jsonb',
  links: 'jsonb',
  altTexts: 'jsonb',
  mediaFit: 'text',
  padColor: 'text',
  localSchedule: 'jsonb',
  externalReference: 'text',
  metadata: 'jsonb',
} satisfies Record<keyof WrittenColumns, string>)

/** The columns of a post in the API, except for its texts and files. */
export const headColumns = (eb: ExpressionBuilder<DB, 'posts'>) =>
  [
    'posts.id',
    'posts.userId',
    eb.ref('posts.postType').$castTo<PostType>().as('postType'),
    eb.ref('posts.status').$castTo<PostStatus>().as('status'),
    isoTime<string | null>('posts.scheduledAt').as('scheduledAt'),
    eb.ref('posts.localSchedule').$castTo<LocalSchedule | null>().as('localSchedule'),
    isoTime('posts.createdAt').as('createdAt'),
    isoTime('posts.updatedAt').as('updatedAt'),
    'posts.externalReference',
    eb.ref('posts.metadata').$castTo<Record<string, string> | null>().as('metadata'),
  ] as const

/** The ids of a post's own files in order. Null if it has none, which `dropAbsent` replaces. */
export const mediaIds = sql<string[]>`case when posts.without_media is null then (
  select json_agg(media_id order by position) from post_media
  where post_media.user_id = posts.user_id and post_media.post_id = posts.id and account_id is null) end`

/** The columns of a post in a list of the API. */
export const listedColumns = (eb: ExpressionBuilder<DB, 'posts'>) =>
  [...headColumns(eb), ...shortTexts, mediaIds.as('mediaIds')] as const

interface Row extends Pick<Post, 'scheduledAt' | 'scheduledAtLocal' | 'timeZone' | 'fold'> {
  comments?: unknown
  poll?: unknown
  links?: unknown
  altTexts?: unknown
  mediaFit?: unknown
  padColor?: unknown
  adjustments?: unknown
  mediaIds: unknown
  externalReference: unknown
  metadata: unknown
  localSchedule: LocalSchedule | null | undefined
}

/**
 * Makes a row what the API shows: absent in place of null, no files as an empty list, and no local time if the post has
 * been moved to another instant since. Changes the rows, which takes less time than copies would.
 */
export function dropAbsent<T>(posts: T[]): T[] {
  for (const post of posts as Row[]) {
    if (post.mediaIds === null) post.mediaIds = []
    if (post.comments === null) post.comments = undefined
    if (post.poll === null) post.poll = undefined
    if (post.links === null) post.links = undefined
    if (post.altTexts === null) post.altTexts = undefined
    if (post.mediaFit === null) post.mediaFit = undefined
    if (post.padColor === null) post.padColor = undefined
    if (post.adjustments === null) post.adjustments = undefined
    if (post.externalReference === null) post.externalReference = undefined
    if (post.metadata === null) post.metadata = undefined
    const { localSchedule } = post
    post.localSchedule = undefined
    if (localSchedule && localSchedule.scheduledAt === post.scheduledAt) Object.assign(post, localSchedule)
  }
  return posts
}

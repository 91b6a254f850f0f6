import type { ExpressionBuilder } from 'kysely'
import type { PostType } from '../../../schemas/platform.ts'
import type { PostStatus } from '../../../schemas/post.ts'
import type { DB } from '../../types.ts'
import { isoTime } from '../iso-time.ts'
import { jsonColumns } from '../json-columns.ts'

/** The columns that a request writes. */
export interface WrittenColumns {
  caption: string
  firstComment?: string | null
  postType: PostType
  status: PostStatus
  scheduledAt: Date | null
  altTexts?: Record<string, string> | null
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
  externalReference: 'text',
  metadata: 'jsonb',
} satisfies Record<keyof WrittenColumns, string>)

/** The columns of a post in the API. */
export const postColumns = (eb: ExpressionBuilder<DB, 'posts'>) =>
  [
    'id',
    'userId',
    'caption',
    'firstComment',
    eb.ref('postType').$castTo<PostType>().as('postType'),
    eb.ref('status').$castTo<PostStatus>().as('status'),
    isoTime<string | null>('scheduledAt').as('scheduledAt'),
    isoTime('createdAt').as('createdAt'),
    isoTime('updatedAt').as('updatedAt'),
    'externalReference',
    eb.ref('metadata').$castTo<Record<string, string> | null>().as('metadata'),
  ] as const

/** Leaves out what a post does not have, as the API does. Changes the rows, which takes less time than copies would. */
export function dropAbsent<T>(posts: T[]): T[] {
  for (const post of posts as { altTexts?: unknown; externalReference: unknown; metadata: unknown }[]) {
    if (post.altTexts === null) post.altTexts = undefined
    if (post.externalReference === null) post.externalReference = undefined
    if (post.metadata === null) post.metadata = undefined
  }
  return posts
}

import type { BodyPath } from '../../../schemas/warning.ts'
import type { Post, Target } from '../contract/post.ts'

/*
 * Paths into the body of a request. They are built only for violations, counters and warnings.
 */

export const captionPath = ({ captionOverride, path }: Pick<Target, 'captionOverride' | 'path'>): BodyPath =>
  captionOverride === null ? ['caption'] : [...path, 'captionOverride']

/** The path of a comment in the body, and its name in messages. */
export const placeOfComment = ({ comments }: Pick<Post, 'comments'>, index: number): CommentPlace =>
  comments
    ? { path: ['comments', index, 'text'], name: `comment ${index + 1}` }
    : { path: ['firstComment'], name: 'first comment' }

export interface CommentPlace {
  path: BodyPath
  name: string
}

export const fieldPath = ({ path }: Pick<Target, 'path'>, key: string, inside: BodyPath = []): BodyPath => [
  ...path,
  'fields',
  key,
  ...inside,
]

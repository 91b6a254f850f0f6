import type { BodyPath } from '../../../schemas/warning.ts'
import type { Target } from '../contract/post.ts'

/*
 * Paths into the body of a request. They are built only for violations, counters and warnings.
 */

export const captionPath = ({ captionOverride, path }: Pick<Target, 'captionOverride' | 'path'>): BodyPath =>
  captionOverride === null ? ['caption'] : [...path, 'captionOverride']

export const fieldPath = ({ path }: Pick<Target, 'path'>, key: string, inside: BodyPath = []): BodyPath => [
  ...path,
  'fields',
  key,
  ...inside,
]

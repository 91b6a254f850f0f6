import type { BodyPath } from '../../../schemas/warning.ts'
import type { CheckContext, PostToCheck } from './context.ts'

type PathContext = Pick<CheckContext, 'accountId' | 'findOverridePath'> & { post: Pick<PostToCheck, 'overrides'> }

/*
 * Paths into the body of a request. They are built only for violations, counters and warnings.
 */

export function captionPath({ post, accountId, findOverridePath }: PathContext): BodyPath {
  const isOverridden = typeof post.overrides.get(accountId)?.captionOverride === 'string'
  return isOverridden ? [...findOverridePath(accountId), 'captionOverride'] : ['caption']
}

export const fieldPath = (
  { accountId, findOverridePath }: Omit<PathContext, 'post'>,
  key: string,
  inside: BodyPath = [],
): BodyPath => [...findOverridePath(accountId), 'fields', key, ...inside]

import type { Post, Target } from './contract/post.ts'
import { limitsOf } from './limits.ts'
import { textsFor } from './rules/account-texts.ts'
import type { LoadedTarget, TargetAccount } from './rules/context.ts'
import type { PostMedia } from './rules/files.ts'

/** A target with its account, the limits of this account, and its files as they are attached. */
export function loadTarget<A extends TargetAccount>(
  { postType, caption }: Pick<Post, 'postType' | 'caption'>,
  target: Target,
  account: A,
  media: PostMedia,
): LoadedTarget & { account: A } {
  const limits = limitsOf(account)
  const { externalId } = account
  return {
    ...target,
    account,
    limits,
    postType,
    accountKind: typeof externalId === 'string' ? limits.findAccountKind?.(externalId) : undefined,
    ...textsFor({ caption }, target),
    attached: media,
    media,
  }
}

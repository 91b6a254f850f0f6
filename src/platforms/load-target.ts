import type { Post, Target } from './contract/post.ts'
import { limitsOf } from './limits.ts'
import { commentsOf, taggingOf, textsFor } from './rules/account-texts.ts'
import type { LoadedTarget, TargetAccount } from './rules/context.ts'
import type { PostMedia } from './rules/files.ts'
import { withPoll } from './rules/poll.ts'

const NO_FIELDS = {}

/** A target with its account, the limits of this account, and its files as they are attached. */
export function loadTarget<A extends TargetAccount>(
  {
    postType,
    caption,
    links,
    ...post
  }: Pick<Post, 'postType' | 'caption' | 'firstComment' | 'comments' | 'poll' | 'links'>,
  target: Target,
  account: A,
  media: PostMedia,
): LoadedTarget & { account: A } {
  const limits = limitsOf(account)
  const { externalId } = account
  const texts = textsFor({ caption }, target)
  const tagging = taggingOf(links, account.platform, limits, target.fields)
  return {
    ...target,
    account,
    limits,
    postType,
    accountKind: typeof externalId === 'string' ? limits.findAccountKind?.(externalId) : undefined,
    caption: tagging.caption(texts.caption),
    parts: links ? (texts.parts?.map(tagging.caption) ?? null) : texts.parts,
    commentTexts: commentsOf(post).map(({ text }) => tagging.comment(text)),
    sentFields: withPoll(
      tagging.fields(target.fields) ?? NO_FIELDS,
      post.poll,
      limits,
      texts.parts?.[0] ?? texts.caption,
    ),
    attached: media,
    media,
  }
}

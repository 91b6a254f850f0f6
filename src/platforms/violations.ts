import type { LimitCount } from '../../schemas/validate-post.ts'
import type { Post } from './contract/post.ts'
import { checkText } from './rules/caption.ts'
import type { CheckContext, LoadedTarget } from './rules/context.ts'
import { checkFields } from './rules/fields.ts'
import { checkComments } from './rules/first-comment.ts'
import { checkMedia } from './rules/media.ts'
import { checkPoll } from './rules/poll.ts'
import { createTextCache, type TextCache } from './rules/text-cache.ts'
import { checkTitle } from './rules/title.ts'
import type { Violation } from './rules/violation.ts'
import { createAccountNames, isStated, nameServer } from './rules/wording.ts'

export interface CheckOptions {
  /** Measured texts, for a post that is checked twice. */
  texts?: TextCache
  /** Gets every counter of every account. */
  addCount?: ((accountId: string, count: LimitCount) => void) | undefined
}

/** The violations that `checkInPieces` finds, without a pause: for a post that takes little time. */
export function findViolations(post: Post<LoadedTarget>, options?: CheckOptions): Violation[] {
  const pieces = checkInPieces(post, options)
  for (;;) {
    const { done, value } = pieces.next()
    if (done) return value
  }
}

/**
 * The violations of a post, in the order of its targets. Yields after each piece of the work, so that a large post need
 * not block the event loop.
 */
export function* checkInPieces(
  post: Post<LoadedTarget>,
  { texts = createTextCache(), addCount }: CheckOptions = {},
): Generator<void, Violation[]> {
  const violations: Violation[] = []
  const nameOf = createAccountNames(post.targets)

  for (const target of post.targets) {
    const { account, accountId, limits: platform } = target
    const { server } = platform
    const context: CheckContext = {
      post,
      target,
      platform,
      postTypeRule: platform.postTypes[post.postType],
      fields: target.sentFields,
      media: target.media,
      texts,
      addViolation: (
        rule,
        { path, position, limit = null, actual = null, unit = null, source = null, mediaId, fileName },
        problem,
      ) =>
        violations.push({
          accountId,
          platform: account.platform,
          username: account.username,
          postType: post.postType,
          path,
          ...(position !== undefined && { position }),
          ...(mediaId !== undefined && { mediaId }),
          ...(fileName !== undefined && { fileName }),
          rule,
          limit,
          actual,
          unit,
          message: `${nameOf(account)}: ${problem}${server && isStated(source, server) ? nameServer(server) : ''}`,
          source,
        }),
      addCount: addCount && ((count) => addCount(accountId, count)),
    }
    checkPostType(context)
    yield* checkText(context)
    if (!post.deletedFiles) checkMedia(context)
    checkComments(context)
    checkTitle(context)
    checkPoll(context)
    checkFields(context)
    yield
  }
  return violations
}

function checkPostType({ post, platform, postTypeRule, addViolation }: CheckContext): void {
  if (postTypeRule) return
  const allowed = Object.keys(platform.postTypes)
  const facts = { path: ['postType'], limit: { allowed }, actual: post.postType }
  addViolation('post_type', facts, `post type ${post.postType} is not supported, allowed are ${allowed.join(', ')}`)
}

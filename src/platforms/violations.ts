import type { MediaFacts } from '../../schemas/media.ts'
import type { PlatformId } from '../../schemas/platform.ts'
import type { LimitCount } from '../../schemas/validate-post.ts'
import { limitsOf, type OwnLimits } from './limits.ts'
import { checkText } from './rules/caption.ts'
import {
  type CheckContext,
  createMediaFinder,
  createOverridePaths,
  type PostToCheck,
  targetOf,
} from './rules/context.ts'
import { checkFields } from './rules/fields.ts'
import { checkFirstComment } from './rules/first-comment.ts'
import { checkMedia } from './rules/media.ts'
import { createTextCache } from './rules/text-cache.ts'
import { checkTitle } from './rules/title.ts'
import type { Violation } from './rules/violation.ts'
import { createAccountNames, isStated, nameField, nameServer } from './rules/wording.ts'

export interface TargetAccount extends OwnLimits {
  id: string
  platform: PlatformId
  username: string
  /** The id of the account on its network; null if it was never connected. */
  externalId?: string | null
}

export interface CheckOptions {
  /** Measured texts, for a post that is checked twice. */
  texts?: CheckContext['texts']
  /** Gets every counter of every account. */
  addCount?: ((accountId: string, count: LimitCount) => void) | undefined
}

type Check = [
  post: PostToCheck,
  accounts: readonly TargetAccount[],
  knownFiles: readonly MediaFacts[],
  options?: CheckOptions,
]

/** The violations that `checkInPieces` finds, without a pause: for a post that takes little time. */
export function findViolations(...check: Check): Violation[] {
  const pieces = checkInPieces(...check)
  for (;;) {
    const { done, value } = pieces.next()
    if (done) return value
  }
}

/**
 * The violations of a post, in the order of `accounts`. Each account is checked on its own caption, fields and thread
 * parts. `knownFiles` has the facts of the post's media, in any order. Yields after each piece of the work, so that a
 * large post need not block the event loop.
 */
export function* checkInPieces(
  ...[post, accounts, knownFiles, { texts = createTextCache(), addCount } = {}]: Check
): Generator<void, Violation[]> {
  const violations: Violation[] = []
  const findOverridePath = createOverridePaths(post)
  const findMedia = createMediaFinder(post, knownFiles, findOverridePath)
  const nameOf = createAccountNames(accounts)

  for (const account of accounts) {
    const { id, platform: platformId, username } = account
    const platform = limitsOf(account)
    const { server } = platform
    const override = post.overrides.get(id)
    const context: CheckContext = {
      post,
      accountId: id,
      target: targetOf(post, account, platform),
      platform,
      postTypeRule: platform.postTypes[post.postType],
      caption: override?.captionOverride ?? post.caption,
      fields: override?.fields ?? {},
      nameField: (key) => nameField(key, override),
      findOverridePath,
      media: findMedia(id),
      texts,
      addViolation: (
        rule,
        { path, position, limit = null, actual = null, unit = null, source = null, mediaId, fileName },
        problem,
      ) =>
        violations.push({
          accountId: id,
          platform: platformId,
          username,
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
      addCount: addCount && ((count) => addCount(id, count)),
    }
    checkPostType(context)
    yield* checkText(context)
    if (!post.deletedFiles) checkMedia(context)
    checkFirstComment(context)
    checkTitle(context)
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

import type { MediaFacts } from '../../../schemas/media.ts'
import type { PlatformId } from '../../../schemas/platform.ts'
import { platforms } from '../catalogue.ts'
import type { Platform } from '../limits.ts'
import { checkText } from './caption.ts'
import { type CheckContext, findPostMedia, type PostToCheck } from './context.ts'
import { checkFields } from './fields.ts'
import { checkFirstComment } from './first-comment.ts'
import { checkMedia } from './media.ts'
import { createTextCache } from './text-cache.ts'
import { checkTitle } from './title.ts'

export interface TargetAccount {
  id: string
  platform: PlatformId
  username: string
  /** The limit of the account's own server. It replaces the network's for caption, thread parts and first comment. */
  textLengthMax?: number | null
}

/** A limit of a network that a post violates. */
export interface Violation {
  accountId: string
  platform: PlatformId
  /** A stable name, such as caption_length. */
  rule: string
  /** For the caller, such as "x (@ada): caption is 312 characters long, at most 280 are allowed". */
  message: string
}

/**
 * All violations of a post, in the order of `accounts`. Each account is checked on its own caption, fields and thread
 * parts. `knownFiles` has the facts of the post's media, in any order.
 */
export function findViolations(
  post: PostToCheck,
  accounts: readonly TargetAccount[],
  knownFiles: readonly MediaFacts[],
): Violation[] {
  const violations: Violation[] = []
  const media = findPostMedia(post.mediaIds, knownFiles)
  const texts = createTextCache()

  for (const { id, platform: platformId, username, textLengthMax } of accounts) {
    const network = platforms[platformId]
    const platform = textLengthMax ? replaceTextLengthMax(network, textLengthMax) : network
    const override = post.overrides.get(id)
    const context: CheckContext = {
      post,
      accountId: id,
      platform,
      postTypeRule: platform.postTypes[post.postType],
      caption: override?.captionOverride ?? post.caption,
      fields: override?.fields ?? {},
      media,
      texts,
      addViolation: (rule, problem) => {
        const message = `${platformId} (@${username}): ${problem}`
        violations.push({ accountId: id, platform: platformId, rule, message })
      },
    }
    checkPostType(context)
    checkText(context)
    checkMedia(context)
    checkFirstComment(context)
    checkTitle(context)
    checkFields(context)
  }
  return violations
}

function replaceTextLengthMax({ caption, firstComment, thread, ...platform }: Platform, lengthMax: number): Platform {
  return {
    ...platform,
    caption: { ...caption, lengthMax },
    ...(firstComment && { firstComment: { ...firstComment, lengthMax } }),
    ...(thread && { thread: { ...thread, lengthMax } }),
  }
}

function checkPostType({ post, platform, postTypeRule, addViolation }: CheckContext): void {
  if (postTypeRule) return
  const allowed = Object.keys(platform.postTypes).join(', ')
  addViolation('post_type', `post type ${post.postType} is not supported, allowed are ${allowed}`)
}

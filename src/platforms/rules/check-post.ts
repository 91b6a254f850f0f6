import type { MediaFacts } from '../../../schemas/media.ts'
import type { PlatformId, PostType } from '../../../schemas/platform.ts'
import { platforms } from '../catalogue.ts'
import type { Platform, PostTypeRule } from '../limits.ts'
import { judgeFields } from './fields.ts'
import { judgeMedia } from './media.ts'
import { createMeasure, judgeFirstComment, judgeText, judgeTitle, type Measure } from './text.ts'

/** A post as the create body has it. */
export interface PostToJudge {
  postType: PostType
  caption: string
  firstComment?: string | null
  /** What is merely missing is judged only then: a draft may be incomplete. */
  scheduled: boolean
  /** Every id sent, in order, repeated ones included. */
  mediaIds: readonly string[]
  /** By account id. A `captionOverride` of null is none, an empty one is an empty caption. */
  overrides: ReadonlyMap<string, { captionOverride?: string | null; fields?: Record<string, unknown> }>
  /** By account id. */
  threadParts: ReadonlyMap<string, readonly string[] | null>
}

export interface AccountFacts {
  id: string
  platform: PlatformId
  username: string
  /** What its own server takes, instead of its network's limit on a caption, a part of a thread and a first comment. */
  textLengthMax?: number | null
}

/** A limit of a network that the post breaks. `message` is written for the caller. */
export interface Violation {
  accountId: string
  platform: PlatformId
  /** A stable name, such as caption_length. */
  rule: string
  message: string
}

/** One post as it would go to one account: what the rules of its network are held against. */
export interface Submission {
  post: PostToJudge
  accountId: string
  platform: Platform
  /** What the network says of the post's type; undefined where it does not carry that type. */
  rule: PostTypeRule | undefined
  caption: string
  fields: Record<string, unknown>
  media: PostMedia
  measure: Measure
  /** Tells of a violation; whose it is gets added. */
  report: (rule: string, problem: string) => void
}

export interface PostMedia {
  /** The known files in the order of the post, repeated ones included. */
  files: readonly MediaFacts[]
  /** How many they are. */
  count: number
  /** How many were sent: those that are not known are refused later, but nobody forgot them. */
  sent: number
  hasImage: boolean
  hasVideo: boolean
}

/**
 * Every limit that the post breaks, in the order of `accounts`. Each account is judged on its own caption, fields and
 * thread parts. `media` is what is known of the files in `mediaIds`, in any order.
 */
export function findViolations(
  post: PostToJudge,
  accounts: readonly AccountFacts[],
  media: readonly MediaFacts[],
): Violation[] {
  const violations: Violation[] = []
  const postMedia = survey(post.mediaIds, media)
  const measure = createMeasure()

  for (const { id, platform: platformId, username, textLengthMax } of accounts) {
    const network = platforms[platformId]
    const platform = textLengthMax ? withTextsOf(textLengthMax, network) : network
    const override = post.overrides.get(id)
    const submission: Submission = {
      post,
      accountId: id,
      platform,
      rule: platform.postTypes[post.postType],
      caption: override?.captionOverride ?? post.caption,
      fields: override?.fields ?? {},
      media: postMedia,
      measure,
      report: (rule, problem) => {
        const message = `${platformId} (@${username}): ${problem}`
        violations.push({ accountId: id, platform: platformId, rule, message })
      },
    }
    judgePostType(submission)
    judgeText(submission)
    judgeMedia(submission)
    judgeFirstComment(submission)
    judgeTitle(submission)
    judgeFields(submission)
  }
  return violations
}

/** A network as one server of it has it. */
function withTextsOf(lengthMax: number, { caption, firstComment, thread, ...platform }: Platform): Platform {
  return {
    ...platform,
    caption: { ...caption, lengthMax },
    ...(firstComment && { firstComment: { ...firstComment, lengthMax } }),
    ...(thread && { thread: { ...thread, lengthMax } }),
  }
}

function judgePostType({ post, platform, rule, report }: Submission): void {
  if (rule) return
  const allowed = Object.keys(platform.postTypes).join(', ')
  report('post_type', `post type ${post.postType} is not supported, allowed are ${allowed}`)
}

function survey(mediaIds: readonly string[], media: readonly MediaFacts[]): PostMedia {
  const known = new Map(media.map((file) => [file.id, file]))
  const files = mediaIds.flatMap((id) => known.get(id) ?? [])
  return {
    files,
    count: files.length,
    sent: mediaIds.length,
    hasImage: files.some(({ mimeType }) => mimeType.startsWith('image/')),
    hasVideo: files.some(({ mimeType }) => mimeType.startsWith('video/')),
  }
}

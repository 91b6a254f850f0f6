import { hash } from 'node:crypto'
import type { NearbyTerms } from '../../../db/queries/posts/nearby.ts'
import type { PostType } from '../../../schemas/platform.ts'
import { planTexts } from '../../engine/delivery/plan.ts'
import type { RateLimit } from '../../platforms/contract/limits.ts'
import { platforms } from '../../platforms/limits.ts'
import type { PostOverride, PostToCheck } from '../../platforms/rules/context.ts'
import { readCaption } from '../../platforms/rules/stored-text.ts'
import type { TextCache } from '../../platforms/rules/text-cache.ts'
import type { TargetAccount } from '../../platforms/violations.ts'
import type { PostContent, TargetContent } from './content.ts'

/** The share of a limit from which on warnings count what is left. */
const NEARLY_USED = 0.9

type Content = Pick<PostToCheck, 'postType' | 'caption'> & PostOverride & { threadParts: readonly string[] | null }

/** The terms by which other posts are near the post of an account. */
export function nearbyTermsOf(
  { platform }: Pick<TargetAccount, 'platform'>,
  content: Content,
  texts: TextCache,
): NearbyTerms {
  const daily = findDailyLimit(platform, content.postType)
  return {
    textDigest: digestText(platform, content, texts),
    dayMax: daily?.limit ?? null,
    dayFrom: daily ? Math.ceil(daily.limit * NEARLY_USED) - 1 : null,
    dayTypes: daily && daily.countsPosts !== 'all' ? daily.countsPosts : null,
  }
}

type DailyLimit = RateLimit & Required<Pick<RateLimit, 'countsPosts'>>

const DAY_SECONDS = 86_400

/** The number of posts of a type that the network allows an account in 24 hours; undefined if it states none. */
export const findDailyLimit = (platform: TargetAccount['platform'], postType: PostType): DailyLimit | undefined =>
  platforms[platform].rateLimits.find(
    (limit): limit is DailyLimit =>
      limit.countsPosts !== undefined &&
      limit.windowSeconds === DAY_SECONDS &&
      (limit.countsPosts === 'all' || limit.countsPosts.includes(postType)),
  )

/** A digest of the texts of a post as its network stores them. Null without any, or if they are too long to be read. */
function digestText(
  platform: TargetAccount['platform'],
  { postType, caption, captionOverride = null, threadParts, fields = {} }: Content,
  texts: TextCache,
): string | null {
  const context = { platform: platforms[platform], fields, texts }
  const stored = planTexts({ postType, threadParts, captionOverride, caption, firstComment: null }).map(({ text }) => {
    const read = readCaption(text, context)
    return 'problem' in read ? text : read.text
  })
  return texts.read(stored.length === 1 ? stored[0]! : stored.join('\n'), digest) ?? null
}

/** The same for an account of a stored post. */
export const digestTarget = (
  platform: TargetAccount['platform'],
  { postType, caption }: PostContent,
  { captionOverride, fields, threadParts }: TargetContent,
  texts: TextCache,
) => digestText(platform, { postType, caption, captionOverride, fields: fields ?? {}, threadParts }, texts)

/** 64 bits: an account has far fewer than 2^32 posts in 7 days. */
function digest(text: string): string | null {
  const normalized = text.normalize('NFC').replace(/\s+/gu, ' ').trim()
  if (normalized === '') return null
  // A third of the time of a `Buffer`.
  return BigInt.asIntN(64, BigInt(`0x${hash('sha256', normalized, 'hex').slice(0, 16)}`)).toString()
}

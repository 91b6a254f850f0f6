import { hash } from 'node:crypto'
import type { NearbyTerms } from '../../../db/queries/posts/nearby.ts'
import type { PlatformId, PostType } from '../../../schemas/platform.ts'
import { planTexts } from '../../engine/delivery/plan.ts'
import type { RateLimit } from '../../platforms/contract/limits.ts'
import type { OwnContent, Post } from '../../platforms/contract/post.ts'
import { platforms } from '../../platforms/limits.ts'
import { normalizeText } from '../../platforms/rules/normal-form.ts'
import { readCaption } from '../../platforms/rules/stored-text.ts'
import type { TextCache } from '../../platforms/rules/text-cache.ts'

/** The share of a limit from which on warnings count what is left. */
const NEARLY_USED = 0.9

/** The terms of a post without a time, which is near no other. */
export const NO_TERMS: NearbyTerms = { textDigest: null, dayMax: null, dayFrom: null, dayTypes: null }

type TextsOfPost = Pick<Post, 'postType' | 'caption'>
type TextsOfTarget = Pick<OwnContent, 'captionOverride' | 'captionSuffix' | 'fields' | 'threadParts'>

/** The terms by which other posts are near the post of an account on this network. */
export function nearbyTermsOf(
  platform: PlatformId,
  post: TextsOfPost,
  target: TextsOfTarget,
  texts: TextCache,
): NearbyTerms {
  const daily = findDailyLimit(platform, post.postType)
  return {
    textDigest: digestTexts(platform, post, target, texts),
    dayMax: daily?.limit ?? null,
    dayFrom: daily ? Math.ceil(daily.limit * NEARLY_USED) - 1 : null,
    dayTypes: daily && daily.countsPosts !== 'all' ? daily.countsPosts : null,
  }
}

type DailyLimit = RateLimit & Required<Pick<RateLimit, 'countsPosts'>>

const DAY_SECONDS = 86_400

/** The number of posts of a type that the network allows an account in 24 hours; undefined if it states none. */
export const findDailyLimit = (platform: PlatformId, postType: PostType): DailyLimit | undefined =>
  platforms[platform].rateLimits.find(
    (limit): limit is DailyLimit =>
      limit.countsPosts !== undefined &&
      limit.windowSeconds === DAY_SECONDS &&
      (limit.countsPosts === 'all' || limit.countsPosts.includes(postType)),
  )

/** A digest of the texts of a post as its network stores them. Null without any, or if they are too long to be read. */
export function digestTexts(
  platform: PlatformId,
  { postType, caption }: TextsOfPost,
  { captionOverride, captionSuffix, fields, threadParts }: TextsOfTarget,
  texts: TextCache,
): string | null {
  const context = { platform: platforms[platform], fields: fields ?? {}, texts }
  const content = { postType, threadParts, captionOverride, captionSuffix, caption, firstComment: null }
  const stored = planTexts(content).map(({ text }) => {
    const read = readCaption(text, context)
    return 'problem' in read ? text : read.text
  })
  return texts.read(stored.length === 1 ? stored[0]! : stored.join('\n'), digest) ?? null
}

/** 64 bits: an account has far fewer than 2^32 posts in 7 days. */
function digest(text: string): string | null {
  const normalized = normalizeText(text, 'NFC').replace(/\s+/gu, ' ').trim()
  if (normalized === '') return null
  // A third of the time of a `Buffer`.
  return BigInt.asIntN(64, BigInt(`0x${hash('sha256', normalized, 'hex').slice(0, 16)}`)).toString()
}

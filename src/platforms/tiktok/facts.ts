import type { AccountFacts } from '../../../schemas/account-facts.ts'
import type { Profile } from '../contract/io.ts'
import type { Platform, PostTypeRule } from '../contract/limits.ts'
import { mapValues } from '../rules/map-values.ts'
import type { Creator } from './creator.ts'
import { inDraft, tiktok } from './limits.ts'

/** `max_video_post_duration_sec`: https://developers.tiktok.com/doc/content-posting-api-reference-query-creator-info */
export const factsOf = ({ maxVideoDurationSeconds }: Creator): Pick<Profile, 'facts'> =>
  maxVideoDurationSeconds === undefined ? {} : { facts: { maxVideoDurationSeconds } }

/**
 * The limits of a creator with these facts. Their own maximum holds for direct posts: they may cut a draft in the
 * app.
 */
export function limitsFor({ maxVideoDurationSeconds: ownMax }: AccountFacts): Platform {
  if (typeof ownMax !== 'number') return tiktok
  const withOwnMax = (rule: PostTypeRule): PostTypeRule => {
    const { video } = rule
    const seconds = video?.durationMaxSeconds ?? 0
    if (!video || ownMax >= seconds) return rule
    return { ...rule, video: { ...video, durationMaxSeconds: ownMax, durationMaxOtherwise: { ...inDraft, seconds } } }
  }
  return { ...tiktok, postTypes: mapValues(tiktok.postTypes, withOwnMax) }
}

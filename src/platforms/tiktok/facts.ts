import type { AccountFacts } from '../../../schemas/account-facts.ts'
import type { Io, Profile } from '../contract/io.ts'
import type { Platform, PostTypeRule } from '../contract/limits.ts'
import { PublishError } from '../contract/publish-error.ts'
import { mapValues } from '../rules/map-values.ts'
import { clientFor } from './client.ts'
import { readCreator } from './creator.ts'
import { inDraft, tiktok } from './limits.ts'

/**
 * Reads `max_video_post_duration_sec`. `facts` is absent if TikTok does not tell it now, as for a creator who has
 * reached a cap. https://developers.tiktok.com/doc/content-posting-api-reference-query-creator-info
 */
export async function readFacts(io: Io): Promise<Pick<Profile, 'facts'>> {
  try {
    const { maxVideoDurationSeconds } = await readCreator(clientFor(io), io)
    return maxVideoDurationSeconds === undefined ? {} : { facts: { maxVideoDurationSeconds } }
  } catch (error) {
    if (!(error instanceof PublishError)) throw error
    return {}
  }
}

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

import type { AccountFacts } from '../../../schemas/account-facts.ts'
import type { Profile } from '../contract/io.ts'
import type { Platform, PostTypeRule } from '../contract/limits.ts'
import { mapValues } from '../rules/map-values.ts'
import { textAt } from '../wire/json.ts'
import { youtube } from './limits.ts'

/** Channels that are not verified: https://support.google.com/youtube/answer/71673 */
const UNVERIFIED_SECONDS = 900

/**
 * Whether a channel may have long videos (https://developers.google.com/youtube/v3/docs/channels). `eligible` ones may
 * once their owner has verified them. `facts` is absent if YouTube does not say.
 */
export function factsOf(channel: unknown): Pick<Profile, 'facts'> {
  const status = textAt(channel, 'status', 'longUploadsStatus') ?? ''
  const isKnown = ['allowed', 'eligible', 'disallowed'].includes(status)
  return isKnown ? { facts: { hasLongVideos: status === 'allowed' } } : {}
}

const withoutLongVideos = ({ video, ...rule }: PostTypeRule): PostTypeRule => ({
  ...rule,
  ...(video && {
    video: { ...video, durationMaxSeconds: Math.min(UNVERIFIED_SECONDS, video.durationMaxSeconds ?? Infinity) },
  }),
})

const forUnverified: Platform = { ...youtube, postTypes: mapValues(youtube.postTypes, withoutLongVideos) }

/** The limits of a channel with these facts. */
export const limitsFor = ({ hasLongVideos }: AccountFacts): Platform =>
  hasLongVideos === false ? forUnverified : youtube

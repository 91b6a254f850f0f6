import type { AccountFacts } from '../../../schemas/account-facts.ts'
import type { Platform, PostTypeRule } from '../contract/limits.ts'
import { mapValues } from '../rules/map-values.ts'
import { textAt } from '../wire/json.ts'
import { x } from './limits.ts'

/** Reading an account costs money, so that facts hold until it is connected again. */
interface XFacts extends AccountFacts {
  hasLongVideos: boolean
}

/** The facts of a user, as X returns one. */
export const factsOf = (user: unknown): XFacts => ({
  hasLongVideos: ['subscription_type', 'verified_type'].some((name) => !/^none$/i.test(textAt(user, name) ?? 'none')),
})

/** "X Premium / verified accounts" of the page in limits.ts. */
const LONG_VIDEO_SECONDS = 7500

const withLongVideos = ({ video, ...rule }: PostTypeRule): PostTypeRule => ({
  ...rule,
  ...(video && { video: { ...video, durationMaxSeconds: LONG_VIDEO_SECONDS } }),
})

const forSubscribers: Platform = { ...x, postTypes: mapValues(x.postTypes, withLongVideos) }

/** The limits of an account with these facts. */
export const limitsFor = ({ hasLongVideos }: AccountFacts): Platform => (hasLongVideos === true ? forSubscribers : x)

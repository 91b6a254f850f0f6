import { LRUCache } from 'lru-cache'
import type { AccountFacts } from '../../schemas/account-facts.ts'
import type { MediaKind } from '../../schemas/media.ts'
import type { PlatformId } from '../../schemas/platform.ts'
import type { Platform } from './contract/limits.ts'
import { mapNetworks, NETWORKS } from './networks.ts'
import { findAltTextRule } from './rules/alt-text.ts'
import type { OwnLimits } from './rules/context.ts'

/** The limits of all networks. */
export const platforms = mapNetworks(({ limits }) => limits)

/** The limits of a network, with those of one account in their place. */
export function limitsOf({
  platform,
  textLengthMax,
  altTextLengthMax,
  facts,
}: OwnLimits & { platform: PlatformId }): Platform {
  const stated = facts ? limitsFor(platform, facts) : platforms[platform]
  const own = textLengthMax ? replaceTextLengthMax(stated, textLengthMax) : stated
  return altTextLengthMax ? replaceAltTextLengthMax(own, altTextLengthMax) : own
}

/** By network and facts: the accounts of one server have the same. */
const known = new LRUCache<string, Platform>({ max: 500 })

function limitsFor(id: PlatformId, facts: AccountFacts): Platform {
  const key = `${id} ${JSON.stringify(facts)}`
  const limits = known.get(key) ?? NETWORKS[id].limitsFor?.(facts) ?? platforms[id]
  known.set(key, limits)
  return limits
}

function replaceTextLengthMax({ caption, firstComment, thread, ...platform }: Platform, lengthMax: number): Platform {
  const replaced = { lengthMax, lengthSource: null }
  return {
    ...platform,
    caption: { ...caption, ...replaced },
    ...(firstComment && { firstComment: { ...firstComment, ...replaced } }),
    ...(thread && { thread: { ...thread, ...replaced } }),
  }
}

function replaceAltTextLengthMax(platform: Platform, lengthMax: number): Platform {
  const kinds = Object.keys(platform.altTexts) as MediaKind[]
  const altTexts = Object.fromEntries(kinds.map((kind) => [kind, findAltTextRule(platform, { kind }, lengthMax)!]))
  const { altText } = platform.fields
  const fields =
    altText?.type === 'string' ? { ...platform.fields, altText: { ...altText, lengthMax } } : platform.fields
  return { ...platform, altTexts, fields }
}

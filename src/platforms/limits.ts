import type { MediaKind } from '../../schemas/media.ts'
import type { Platform } from './contract/limits.ts'
import { mapNetworks } from './networks.ts'
import { findAltTextRule } from './rules/alt-text.ts'

/** The limits of all networks. */
export const platforms = mapNetworks(({ limits }) => limits)

/** The limits of an account's own server, which replace the network's. */
export interface ServerLimits {
  /** For caption, thread parts and first comment. */
  textLengthMax?: number | null
  /** The longest alternative text that the server keeps. */
  altTextLengthMax?: number | null
}

/** The limits of a network with those of the account's own server in their place. */
export function replaceLimits(platform: Platform, { textLengthMax, altTextLengthMax }: ServerLimits): Platform {
  const own = textLengthMax ? replaceTextLengthMax(platform, textLengthMax) : platform
  return altTextLengthMax ? replaceAltTextLengthMax(own, altTextLengthMax) : own
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

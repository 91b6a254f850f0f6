import type { MediaKind } from '../../schemas/media.ts'
import type { PlatformId } from '../../schemas/platform.ts'
import { bluesky } from './bluesky/limits.ts'
import type { Platform } from './contract/limits.ts'
import { discord } from './discord/limits.ts'
import { facebook } from './facebook/limits.ts'
import { googleBusiness } from './google_business/limits.ts'
import { instagram } from './instagram/limits.ts'
import { linkedin } from './linkedin/limits.ts'
import { mastodon } from './mastodon/limits.ts'
import { pinterest } from './pinterest/limits.ts'
import { reddit } from './reddit/limits.ts'
import { findAltTextRule } from './rules/alt-text.ts'
import { sandbox } from './sandbox/limits.ts'
import { telegram } from './telegram/limits.ts'
import { threads } from './threads/limits.ts'
import { tiktok } from './tiktok/limits.ts'
import { x } from './x/limits.ts'
import { youtube } from './youtube/limits.ts'

/** The limits of all networks. An id without an entry does not compile. */
export const platforms: Record<PlatformId, Platform> = {
  instagram,
  facebook,
  threads,
  x,
  linkedin,
  tiktok,
  youtube,
  pinterest,
  bluesky,
  mastodon,
  telegram,
  reddit,
  google_business: googleBusiness,
  discord,
  sandbox,
}

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

import type { PlatformId } from '../../schemas/platform.ts'
import { bluesky } from './bluesky/limits.ts'
import { discord } from './discord/limits.ts'
import { facebook } from './facebook/limits.ts'
import { googleBusiness } from './google_business/limits.ts'
import { instagram } from './instagram/limits.ts'
import type { Platform } from './limits.ts'
import { linkedin } from './linkedin/limits.ts'
import { mastodon } from './mastodon/limits.ts'
import { pinterest } from './pinterest/limits.ts'
import { reddit } from './reddit/limits.ts'
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

import type { PlatformId } from '../../schemas/platform.ts'
import { bluesky } from './bluesky.ts'
import { discord } from './discord.ts'
import { facebook } from './facebook.ts'
import { googleBusiness } from './google_business.ts'
import { instagram } from './instagram.ts'
import { linkedin } from './linkedin.ts'
import { mastodon } from './mastodon.ts'
import { pinterest } from './pinterest.ts'
import type { Platform } from './platform.ts'
import { reddit } from './reddit.ts'
import { sandbox } from './sandbox.ts'
import { telegram } from './telegram.ts'
import { threads } from './threads.ts'
import { tiktok } from './tiktok.ts'
import { x } from './x.ts'
import { youtube } from './youtube.ts'

/** Every network that an account can be on; an id without an entry does not compile. */
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

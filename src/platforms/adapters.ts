import type { PlatformId } from '../../schemas/platform.ts'
import { blueskyAdapter } from './bluesky/adapter.ts'
import type { AnyAdapter } from './contract/adapter.ts'
import { createDiscordAdapter } from './discord/adapter.ts'
import { facebookAdapter } from './facebook/adapter.ts'
import { googleBusinessAdapter } from './google_business/adapter.ts'
import { instagramAdapter } from './instagram/adapter.ts'
import { linkedinAdapter } from './linkedin/adapter.ts'
import { mastodonAdapter } from './mastodon/adapter.ts'
import { pinterestAdapter } from './pinterest/adapter.ts'
import { redditAdapter } from './reddit/adapter.ts'
import { createSandboxAdapter, type SandboxStore } from './sandbox/adapter.ts'
import { telegramAdapter } from './telegram/adapter.ts'
import { threadsAdapter } from './threads/adapter.ts'
import { tiktokAdapter } from './tiktok/adapter.ts'
import { xAdapter } from './x/adapter.ts'
import { youtubeAdapter } from './youtube/adapter.ts'

export type Networks = Record<PlatformId, AnyAdapter>

export const createNetworks = (sandbox: SandboxStore): Networks => ({
  bluesky: blueskyAdapter,
  mastodon: mastodonAdapter,
  telegram: telegramAdapter,
  discord: createDiscordAdapter(),
  facebook: facebookAdapter,
  instagram: instagramAdapter,
  threads: threadsAdapter,
  x: xAdapter,
  linkedin: linkedinAdapter,
  youtube: youtubeAdapter,
  google_business: googleBusinessAdapter,
  tiktok: tiktokAdapter,
  pinterest: pinterestAdapter,
  reddit: redditAdapter,
  sandbox: createSandboxAdapter(sandbox),
})

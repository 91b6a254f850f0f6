import type { PlatformId } from '../../schemas/platform.ts'
import { blueskyPublishing } from './bluesky.ts'
import { publishToDiscord } from './discord.ts'
import { mastodonPublishing } from './mastodon.ts'
import type { Publishing } from './publishing.ts'
import { publishToSandbox, type SandboxStore } from './sandbox.ts'
import { telegramPublishing } from './telegram.ts'

/** The networks that posts can be sent to. Of the others, only the limits are known. */
export type Networks = Partial<Record<PlatformId, Publishing>>

export const createNetworks = (sandbox: SandboxStore): Networks => ({
  bluesky: blueskyPublishing,
  mastodon: mastodonPublishing,
  telegram: telegramPublishing,
  discord: publishToDiscord(),
  sandbox: publishToSandbox(sandbox),
})

import type { PlatformId } from '../../schemas/platform.ts'
import type { Publishing } from './adapter.ts'
import { blueskyPublishing } from './bluesky/adapter.ts'
import { publishToDiscord } from './discord/adapter.ts'
import { mastodonPublishing } from './mastodon/adapter.ts'
import { publishToSandbox, type SandboxStore } from './sandbox/adapter.ts'
import { telegramPublishing } from './telegram/adapter.ts'

/** The networks that posts can be sent to. Of the others, only the limits are known. */
export type Networks = Partial<Record<PlatformId, Publishing>>

export const createNetworks = (sandbox: SandboxStore): Networks => ({
  bluesky: blueskyPublishing,
  mastodon: mastodonPublishing,
  telegram: telegramPublishing,
  discord: publishToDiscord(),
  sandbox: publishToSandbox(sandbox),
})

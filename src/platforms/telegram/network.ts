import type { Network } from '../contract/network.ts'
import { telegramAppearance } from './appearance.ts'
import { telegramChanges } from './changes.ts'
import { telegramContent } from './content.ts'
import { ERRORS } from './errors.ts'
import { telegram } from './limits.ts'

export const telegramNetwork: Network = {
  name: 'Telegram',
  limits: telegram,
  appearance: telegramAppearance,
  content: telegramContent,
  metrics: {
    offered: [],
    postsPerCall: 0,
    note: 'No method of the Bot API reads a message or its views.',
    source: {
      url: 'https://core.telegram.org/bots/api',
      confidence: 'official',
      version: '2026-11',
      seenAt: '2026-11-26',
    },
  },
  addresses: {
    form: 'https://t.me/CHANNEL/ID',
    hosts: /^(?:t|telegram)\.me$/,
    // The number between is that of a topic.
    patterns: [
      /^[^/]+\/c\/(?<owner>\d{1,32})\/(?:\d+\/)?(?<id>\d{1,16})\/?(?:\?|$)/,
      /^[^/]+\/(?:s\/)?(?<owner>\w{4,32})\/(?:\d+\/)?(?<id>\d{1,16})\/?(?:\?|$)/,
    ],
    ownersOf: ({ username, externalId }) => [username, externalId?.replace(/^-100/, '') ?? null],
  },
  changes: telegramChanges,
  errors: ERRORS,
  adapter: async () => (await import('./adapter.ts')).telegramAdapter,
}

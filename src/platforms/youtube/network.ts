import type { Network } from '../contract/network.ts'
import { googleClientIds } from '../families/google/client-ids.ts'
import { youtubeAppearance } from './appearance.ts'
import { youtubeChanges } from './changes.ts'
import { youtubeContent } from './content.ts'
import { ERRORS } from './errors.ts'
import { limitsFor } from './facts.ts'
import { youtube } from './limits.ts'
import { youtubeMetrics } from './metrics.ts'

export const youtubeNetwork: Network = {
  name: 'YouTube',
  limits: youtube,
  limitsFor,
  appearance: youtubeAppearance,
  content: youtubeContent,
  metrics: youtubeMetrics,
  addresses: {
    form: 'https://www.youtube.com/watch?v=ID',
    hosts: /^(?:(?:music\.|studio\.)?youtube\.com|youtu\.be)$/,
    patterns: [
      /^youtube\.com\/watch\?(?:[^#]*&)?v=(?<id>[\w-]{11})(?:&|$)/,
      /^(?:youtube\.com\/(?:shorts|live|embed)|studio\.youtube\.com\/video|youtu\.be)\/(?<id>[\w-]{11})(?:[/?]|$)/,
    ],
  },
  changes: youtubeChanges,
  errors: ERRORS,
  adapter: async () => (await import('./adapter.ts')).youtubeAdapter,
  clientIds: googleClientIds,
  tokens: {
    life: 'an hour',
    refresh: 'yes; for 7 days where the [app](../../platforms/youtube/README.md) is in testing',
  },
}

import type { Network } from '../contract/network.ts'
import type { Source } from '../contract/source.ts'
import { tiktokAppearance } from './appearance.ts'
import { tiktokContent } from './content.ts'
import { ERRORS } from './errors.ts'
import { limitsFor } from './facts.ts'
import { tiktok } from './limits.ts'
import { tiktokMetrics } from './metrics.ts'

const contentPosting: Source = {
  url: 'https://developers.tiktok.com/doc/content-posting-api-get-started',
  confidence: 'official',
  version: '2026-11',
  seenAt: '2026-11-26',
}

export const tiktokNetwork: Network = {
  name: 'TikTok',
  limits: tiktok,
  limitsFor,
  appearance: tiktokAppearance,
  content: tiktokContent,
  metrics: tiktokMetrics,
  /** The name is not compared: accounts without a scope for it are known by their display name. */
  addresses: {
    form: 'https://www.tiktok.com/@NAME/video/ID',
    hosts: /^(?:(?:vm|vt)\.)?tiktok\.com$/,
    patterns: [/^[^/]+\/@[^/]+\/(?:video|photo)\/(?<id>\d{1,32})\/?(?:\?|$)/],
  },
  changes: {
    remove: {
      possible: false,
      reason: 'TikTok lets no app delete a post: delete it in TikTok.',
      source: contentPosting,
    },
    edit: { possible: false, reason: 'TikTok lets no app change a post: change it in TikTok.', source: contentPosting },
  },
  errors: ERRORS,
  adapter: async () => (await import('./adapter.ts')).tiktokAdapter,
  tokens: { life: '2 hours', refresh: 'yes, for 180 days after each refresh' },
}

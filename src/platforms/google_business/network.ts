import type { Network } from '../contract/network.ts'
import { googleClientIds } from '../families/google/client-ids.ts'
import { googleBusinessAppearance } from './appearance.ts'
import { googleBusinessChanges } from './changes.ts'
import { googleBusinessContent } from './content.ts'
import { ERRORS } from './errors.ts'
import { googleBusiness } from './limits.ts'

export const googleBusinessNetwork: Network = {
  name: 'Google Business Profile',
  limits: googleBusiness,
  appearance: googleBusinessAppearance,
  content: googleBusinessContent,
  metrics: {
    offered: [],
    postsPerCall: 1,
    tellsPresence: true,
    note: 'Google has told no numbers of single posts since 2023-02-20.',
    source: {
      url: 'https://developers.google.com/my-business/content/sunset-dates',
      confidence: 'official',
      version: '2026-11',
      seenAt: '2026-11-26',
    },
  },
  changes: googleBusinessChanges,
  errors: ERRORS,
  adapter: async () => (await import('./adapter.ts')).googleBusinessAdapter,
  clientIds: googleClientIds,
  tokens: {
    life: 'an hour',
    refresh: 'yes, while the [consent screen](../../platforms/google_business/README.md) is published',
  },
}

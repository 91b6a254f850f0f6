import type { Network } from '../contract/network.ts'
import { findEntities } from '../rules/entities.ts'
import { linkedinAppearance } from './appearance.ts'
import { linkedinChanges } from './changes.ts'
import { linkedinContent } from './content.ts'
import { ERRORS } from './errors.ts'
import { linkedin } from './limits.ts'
import { findCommentaryEntities } from './little-text.ts'
import { linkedinMetrics } from './metrics.ts'

export const linkedinNetwork: Network = {
  name: 'LinkedIn',
  limits: linkedin,
  appearance: linkedinAppearance,
  content: linkedinContent,
  loadEntityFinder: (kind) => (kind === 'post' ? findCommentaryEntities : findEntities),
  metrics: linkedinMetrics,
  /** Most addresses have the id of an activity, which no call resolves. */
  addresses: {
    form: 'https://www.linkedin.com/feed/update/urn:li:share:ID',
    hosts: /^(?:[a-z]{2}\.)?linkedin\.com$|^lnkd\.in$/,
    patterns: [/^[^/]+\/feed\/update\/(?<id>urn:li:(?:share|ugcPost):\d{1,32})\/?(?:\?|$)/],
  },
  changes: linkedinChanges,
  errors: ERRORS,
  adapter: async () => (await import('./adapter.ts')).linkedinAdapter,
  tokens: { life: '60 days', refresh: 'for apps that LinkedIn has approved, until a year after the consent' },
}

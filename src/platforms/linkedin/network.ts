import type { Network } from '../contract/network.ts'
import { findEntities } from '../rules/entities.ts'
import { linkedinChanges } from './changes.ts'
import { linkedinContent } from './content.ts'
import { ERRORS } from './errors.ts'
import { linkedin } from './limits.ts'
import { findCommentaryEntities } from './little-text.ts'
import { linkedinMetrics } from './metrics.ts'
import { linkedinAddresses } from './post-address.ts'

export const linkedinNetwork: Network = {
  name: 'LinkedIn',
  limits: linkedin,
  content: linkedinContent,
  loadEntityFinder: (kind) => (kind === 'post' ? findCommentaryEntities : findEntities),
  metrics: linkedinMetrics,
  addresses: linkedinAddresses,
  changes: linkedinChanges,
  errors: ERRORS,
  adapter: async () => (await import('./adapter.ts')).linkedinAdapter,
  tokens: { life: '60 days', refresh: 'for apps that LinkedIn has approved, until a year after the consent' },
}

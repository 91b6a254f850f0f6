import type { Network } from '../contract/network.ts'
import { linkedinContent } from './content.ts'
import { linkedin } from './limits.ts'

export const linkedinNetwork: Network = {
  name: 'LinkedIn',
  limits: linkedin,
  content: linkedinContent,
  adapter: async () => (await import('./adapter.ts')).linkedinAdapter,
  tokens: { life: '60 days', refresh: 'for apps that LinkedIn has approved, until a year after the consent' },
}

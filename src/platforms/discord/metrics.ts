import type { MetricRules } from '../contract/metrics.ts'
import type { Source } from '../contract/source.ts'

const message: Source = {
  url: 'https://docs.discord.com/developers/resources/message#message-object',
  confidence: 'official',
  version: '2026-11',
  seenAt: '2026-11-26',
}

export const discordMetrics: MetricRules = {
  offered: [{ metric: 'likes', native: 'reactions', source: message }],
  postsPerCall: 1,
  note: 'The sum of all reactions. Discord leaves the list out until somebody reacts.',
  source: {
    url: 'https://docs.discord.com/developers/resources/webhook#get-webhook-message',
    confidence: 'official',
    version: '2026-11',
    seenAt: '2026-11-26',
  },
}

import type { ChangeRules } from '../contract/changes.ts'
import type { Source } from '../contract/source.ts'

const webhook: Source = {
  url: 'https://docs.discord.com/developers/resources/webhook#delete-webhook-message',
  confidence: 'official',
  version: '2026-08-06',
  seenAt: '2026-11-26',
}

export const discordChanges: ChangeRules = {
  remove: { possible: true, confirmedBy: 'response', source: webhook },
  edit: {
    possible: true,
    what: ['text', 'embeds'],
    keepsId: true,
    exceptions: [
      {
        reason: 'Discord lets nobody edit a poll.',
        test: ({ fields }) => fields.poll !== undefined,
        source: { ...webhook, url: 'https://docs.discord.com/developers/resources/poll' },
      },
    ],
    source: { ...webhook, url: 'https://docs.discord.com/developers/resources/webhook#edit-webhook-message' },
  },
}

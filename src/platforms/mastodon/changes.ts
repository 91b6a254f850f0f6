import type { ChangeRules } from '../contract/changes.ts'
import type { Source } from '../contract/limits.ts'

const statuses: Source = {
  url: 'https://docs.joinmastodon.org/methods/statuses/#delete',
  confidence: 'official',
  version: '2026-07-02',
}

export const mastodonChanges: ChangeRules = {
  remove: { possible: true, confirmedBy: 'response', source: statuses },
  edit: {
    possible: true,
    what: ['text', 'spoilerText', 'sensitive', 'language'],
    keepsId: true,
    source: { ...statuses, url: 'https://docs.joinmastodon.org/methods/statuses/#edit' },
  },
}

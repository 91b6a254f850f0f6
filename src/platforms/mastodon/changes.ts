import type { ChangeRules } from '../contract/changes.ts'
import type { Source } from '../contract/source.ts'

const statuses: Source = {
  url: 'https://docs.joinmastodon.org/methods/statuses/#delete',
  confidence: 'official',
  version: '2026-07-02',
  seenAt: '2026-11-26',
}

export const mastodonChanges: ChangeRules = {
  remove: { possible: true, confirmedBy: 'response', source: statuses },
  edit: {
    possible: true,
    what: ['text', 'spoilerText', 'sensitive', 'language'],
    keepsId: true,
    exceptions: [
      {
        reason: 'Mastodon would start the poll of this post again: change the post in Mastodon.',
        test: ({ fields }) => fields.poll !== undefined,
        source: {
          ...statuses,
          url: 'https://github.com/mastodon/mastodon/blob/main/app/services/update_status_service.rb',
        },
      },
    ],
    source: { ...statuses, url: 'https://docs.joinmastodon.org/methods/statuses/#edit' },
  },
}

import type { ChangeRules } from '../contract/changes.ts'
import type { Source } from '../contract/source.ts'

const posts: Source = {
  url: 'https://learn.microsoft.com/en-us/linkedin/marketing/community-management/shares/posts-api#delete-posts',
  confidence: 'official',
  version: '2026-11',
  seenAt: '2026-11-26',
}

export const linkedinChanges: ChangeRules = {
  // "Deletion is idempotent": a post that was deleted before gets the same response.
  remove: { possible: true, confirmedBy: 'response', source: posts },
  edit: {
    possible: true,
    what: ['text'],
    keepsId: true,
    source: {
      ...posts,
      url: 'https://learn.microsoft.com/en-us/linkedin/marketing/community-management/shares/posts-api#update-posts',
    },
  },
}

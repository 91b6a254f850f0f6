import type { ChangeRules } from '../contract/changes.ts'
import type { Source } from '../contract/source.ts'

const posts: Source = {
  url: 'https://developers.facebook.com/docs/pages-api/posts',
  confidence: 'official',
  version: '2026-11',
  seenAt: '2026-11-26',
}

export const facebookChanges: ChangeRules = {
  // Facebook has the same error for what does not exist and for what it does not show.
  remove: { possible: true, confirmedBy: 'reading', source: posts },
  edit: {
    possible: true,
    what: ['text'],
    keepsId: true,
    exceptions: [{ reason: 'A story has no text.', kind: 'post', postTypes: ['story'], source: posts }],
    source: posts,
  },
}

import type { ChangeRules } from '../contract/changes.ts'
import type { Source } from '../contract/source.ts'

const localPosts: Source = {
  url: 'https://developers.google.com/my-business/reference/rest/v4/accounts.locations.localPosts/delete',
  confidence: 'official',
  version: '2026-11',
  seenAt: '2026-11-26',
}

export const googleBusinessChanges: ChangeRules = {
  remove: { possible: true, confirmedBy: 'response', source: localPosts },
  edit: {
    possible: true,
    what: ['text'],
    keepsId: true,
    warning: 'Google checks the new text as it checks a new post, and may refuse it later.',
    source: {
      ...localPosts,
      url: 'https://developers.google.com/my-business/reference/rest/v4/accounts.locations.localPosts/patch',
    },
  },
}

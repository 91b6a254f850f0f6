import type { ChangeRules } from '../contract/changes.ts'
import type { Source } from '../contract/source.ts'

const media: Source = {
  url: 'https://developers.facebook.com/docs/instagram-platform/reference/instagram-media',
  confidence: 'official',
  version: '2026-11',
  seenAt: '2026-11-26',
}

export const instagramChanges: ChangeRules = {
  remove: {
    possible: false,
    reason:
      'Instagram lets apps delete posts of accounts that are connected with Facebook Login alone: delete the post in Instagram.',
    source: media,
  },
  edit: {
    possible: false,
    reason: 'Instagram lets no app change the caption of a post: change it in Instagram.',
    source: media,
  },
}

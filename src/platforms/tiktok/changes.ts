import type { ChangeRules } from '../contract/changes.ts'
import type { Source } from '../contract/source.ts'

const contentPosting: Source = {
  url: 'https://developers.tiktok.com/doc/content-posting-api-get-started',
  confidence: 'official',
  version: '2026-11',
  seenAt: '2026-11-26',
}

export const tiktokChanges: ChangeRules = {
  remove: { possible: false, reason: 'TikTok lets no app delete a post: delete it in TikTok.', source: contentPosting },
  edit: { possible: false, reason: 'TikTok lets no app change a post: change it in TikTok.', source: contentPosting },
}

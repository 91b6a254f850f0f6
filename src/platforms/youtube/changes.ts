import type { ChangeRules } from '../contract/changes.ts'
import type { Source } from '../contract/source.ts'

const videos: Source = {
  url: 'https://developers.google.com/youtube/v3/docs/videos/delete',
  confidence: 'official',
  version: '2026-11',
  seenAt: '2026-11-26',
}

export const youtubeChanges: ChangeRules = {
  remove: { possible: true, confirmedBy: 'response', source: videos },
  edit: {
    possible: true,
    what: ['text', 'title', 'tags', 'categoryId'],
    keepsId: true,
    source: { ...videos, url: 'https://developers.google.com/youtube/v3/docs/videos/update' },
  },
}

import type { ChangeRules } from '../contract/changes.ts'

export const threadsChanges: ChangeRules = {
  remove: {
    possible: true,
    scope: 'threads_delete',
    confirmedBy: 'response',
    source: {
      url: 'https://developers.facebook.com/docs/threads/posts/delete-posts',
      confidence: 'official',
      version: '2026-11',
      seenAt: '2026-11-26',
    },
  },
  edit: {
    possible: false,
    reason: 'Threads lets no app change a post: change it in Threads.',
    source: {
      url: 'https://developers.facebook.com/docs/threads/reference/media-retrieval',
      confidence: 'official',
      version: '2026-11',
      seenAt: '2026-11-26',
    },
  },
}

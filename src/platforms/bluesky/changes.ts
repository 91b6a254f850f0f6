import type { ChangeRules } from '../contract/changes.ts'

const lexicons = 'https://github.com/bluesky-social/atproto/blob/main/lexicons/com/atproto/repo'

export const blueskyChanges: ChangeRules = {
  // A record that does not exist is deleted, too: "Delete a repository record, or ensure it doesn't exist."
  remove: {
    possible: true,
    confirmedBy: 'response',
    source: {
      url: `${lexicons}/deleteRecord.json`,
      confidence: 'official',
      version: '2026-08-20',
      seenAt: '2026-11-26',
    },
  },
  edit: {
    possible: true,
    what: ['text'],
    keepsId: true,
    warning:
      'The record of the post is replaced. The app of Bluesky shows the first text until it knows edits; other apps show the new one.',
    source: { url: `${lexicons}/putRecord.json`, confidence: 'official', version: '2026-08-20', seenAt: '2026-11-26' },
  },
}

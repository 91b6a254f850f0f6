import type { ChangeRules } from '../contract/changes.ts'
import type { Source } from '../contract/source.ts'

const deleting: Source = {
  url: 'https://www.reddit.com/dev/api#POST_api_del',
  confidence: 'official',
  version: '2026-11',
  seenAt: '2026-11-26',
}

const editing: Source = { ...deleting, url: 'https://www.reddit.com/dev/api#POST_api_editusertext' }

const scope = 'edit'

export const redditChanges: ChangeRules = {
  // Reddit sends 200 even where it deleted nothing.
  remove: { possible: true, scope, confirmedBy: 'reading', source: deleting },
  edit: {
    possible: true,
    what: ['text'],
    scope,
    keepsId: true,
    exceptions: [
      {
        reason: 'Reddit lets nobody change a post with a link or files: only the text of posts that are text alone.',
        kind: 'post',
        test: ({ fileCount, fields }) => fileCount > 0 || fields.link !== undefined,
        source: editing,
      },
    ],
    source: editing,
  },
}

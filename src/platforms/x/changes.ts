import type { ChangeRules } from '../contract/changes.ts'
import type { Source } from '../contract/source.ts'
import { x } from './limits.ts'
import { pricing, xMetrics } from './metrics.ts'

const edits: Source = {
  url: 'https://docs.x.com/x-api/fundamentals/edit-posts',
  confidence: 'official',
  version: '2026-11',
  seenAt: '2026-11-26',
}

export const xChanges: ChangeRules = {
  remove: {
    possible: true,
    confirmedBy: 'response',
    price: { usdMicros: 10_000, source: pricing },
    source: {
      url: 'https://docs.x.com/x-api/posts/delete-post',
      confidence: 'official',
      version: '2026-11',
      seenAt: '2026-11-26',
    },
  },
  edit: {
    possible: true,
    what: ['text'],
    minutesMax: 30,
    timesMax: 5,
    keepsId: false,
    // The post is read first.
    price: { usdMicros: x.prices!.post.usdMicros + xMetrics.price!.usdMicros, source: pricing },
    exceptions: [
      {
        reason: 'X lets nobody edit a post with a poll.',
        test: ({ fields }) => fields.poll !== undefined,
        source: edits,
      },
      {
        reason: 'X lets nobody edit a post in a community.',
        test: ({ fields }) => fields.communityId !== undefined,
        source: edits,
      },
      {
        reason: 'X does not say how an edit keeps the files of a post: edit it in X.',
        test: ({ fileCount }) => fileCount > 0,
        source: { ...edits, confidence: 'assumed' },
      },
    ],
    warning:
      'X publishes the new text as a new post with an id of its own, for subscribers of X Premium only. A text with a link costs as much as a new post with a link.',
    source: edits,
  },
}

import type { Task } from './loop.ts'

const RETRY_MS = 500

/** Stores the words of new and changed posts, for searches. */
export const indexWords = (round: () => Promise<number | null>): Task => ({
  outage: { begin: 'posts cannot be indexed for searches', end: 'posts are indexed again' },
  retryMs: RETRY_MS,
  kind: 'words',
  round,
})

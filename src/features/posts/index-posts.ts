import type { Db } from '../../../db/client.ts'
import { indexDuePosts, WORDS_BATCH_MAX } from '../../../db/queries/posts/words.ts'
import { storedWords } from './words.ts'

const POLL_MS = 500

/**
 * Stores the words of posts that were created or changed last, for searches. Returns the milliseconds until it is to be
 * called again, or null if there were none.
 */
export async function indexPosts(db: Db): Promise<number | null> {
  const count = await indexDuePosts(db, storedWords)
  if (count === WORDS_BATCH_MAX) return 0
  return count > 0 ? POLL_MS : null
}

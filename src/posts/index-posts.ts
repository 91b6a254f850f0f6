import type { Db } from '../../db/client.ts'
import { indexDuePosts, WORDS_BATCH_MAX } from '../../db/queries/posts/words.ts'
import { storedWords } from './words.ts'

const POLL_MS = 500

/**
 * Stores the words of posts that were created or changed last, for searches. Returns the milliseconds until it is to be
 * called again.
 */
export const indexPosts = async (db: Db): Promise<number> =>
  (await indexDuePosts(db, storedWords)) === WORDS_BATCH_MAX ? 0 : POLL_MS

import { sql } from 'kysely'
import { concurrentIndex, type Step } from '../migration.ts'

/**
 * Posts whose words are not by the rule of this version, which folds case and leaves out the marks of all scripts.
 * Workers write them again: WORDS_RULE in db/queries/posts/words.ts.
 */
export const steps: Step[] = [
  concurrentIndex('post_words_outdated', sql`post_words (post_id) where not (words @> '{-2}'::text[])`),
]

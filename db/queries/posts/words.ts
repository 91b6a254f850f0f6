import { sql } from 'kysely'
import type { Db } from '../../client.ts'
import { prepared } from '../../prepared.ts'

/** The most posts whose words one transaction writes. */
export const WORDS_BATCH_MAX = 200

/** A post may have a megabyte: as many are read at a time, and more after posts that are short together. */
const PIECE_MIN = 10
const SHORT_PIECE = 2 ** 20

/** A transaction reads no other text after this time: Postgres ends one that is idle for 5 s. */
const READ_MAX_MS = 100

/** Any number. One worker at a time: an older text could overwrite a newer one. */
const WORDS_LOCK = 4_721_390_007

/**
 * Stands among the words that were written by the rule of src/features/posts/words.ts. It has a hyphen, as no word has.
 * Processes of the previous version leave it out, also when they write words again. A migration indexes the posts
 * without it.
 */
export const WORDS_RULE = '-2'

const isOutdated = sql`not (words @> ${sql.lit(`{${WORDS_RULE}}`)}::text[])`

/** All texts of a post that a search looks into. */
export interface PostTexts {
  userId: string
  postId: string
  texts: string[]
}

const isAnyDue = prepared<Record<never, never>, { isDue: boolean; isAnyOutdated: boolean }>(
  'is_any_post_words_due',
  () => sql`
    select exists (select from post_words_due) as is_due,
      (select post_id from post_words where ${isOutdated} order by post_id desc limit 1) is not null as is_any_outdated`,
)

const lockWords = prepared<Record<never, never>, { isLocked: boolean }>(
  'lock_post_words',
  () => sql`select pg_try_advisory_xact_lock(${sql.lit(WORDS_LOCK)}) as is_locked`,
)

interface DueTexts {
  count: number
  posts: PostTexts[]
}

/** The texts of the posts in `taken`. */
const textsOfTaken = sql`
    select (select count(*) from taken) as count, (
      select coalesce(json_agg(json_build_object(
        'userId', posts.user_id, 'postId', posts.id, 'texts', array_remove(array[caption, external_reference] || array(
          select unnest(array[caption_override] || array(
            select jsonb_array_elements_text(
              case when jsonb_typeof(thread_parts) = 'array' then thread_parts else '[]' end)))
          from post_targets where post_targets.user_id = posts.user_id and post_targets.post_id = posts.id), null))), '[]')
      from (select distinct user_id, post_id from taken) as due
      join posts on posts.user_id = due.user_id and posts.id = due.post_id
    ) as posts`

/** A statement of its own after the lock, so that it sees what the previous holder has done. */
const takeDueTexts = prepared<{ limit: number }, DueTexts>(
  'take_due_post_texts',
  (_db, value) => sql`
    with taken as (
      delete from post_words_due
      where seq in (select seq from post_words_due order by seq desc limit ${value('limit')})
      returning user_id, post_id
    ) ${textsOfTaken}`,
)

/** The newest posts first. Only the index of outdated posts has this order. */
const readOutdatedTexts = prepared<{ limit: number }, DueTexts>(
  'read_outdated_post_texts',
  (_db, value) => sql`
    with taken as materialized (
      select user_id, post_id from post_words where ${isOutdated} order by post_id desc limit ${value('limit')}
    ) ${textsOfTaken}`,
)

const postponeWords = prepared<{ rows: string }, never>(
  'postpone_post_words',
  (_db, value) => sql`
    insert into post_words_due (user_id, post_id)
    select user_id, post_id from jsonb_to_recordset(${value('rows')}::jsonb) as item(user_id uuid, post_id uuid)`,
)

const writeWords = prepared<{ rows: string }, never>(
  'write_post_words',
  (_db, value) => sql`
    insert into post_words (user_id, post_id, words)
    select user_id, post_id, words
    from jsonb_to_recordset(${value('rows')}::jsonb) as item(user_id uuid, post_id uuid, words text[])
    order by user_id, post_id
    on conflict (user_id, post_id) do update set words = excluded.words where post_words.words <> excluded.words`,
)

/**
 * Writes the words of the posts that were created or changed last, then those that an earlier version has written.
 * Returns how many were due, or `WORDS_BATCH_MAX` if its time has ended before. Throws a foreign key violation if
 * one of them is deleted meanwhile: the next call does without it.
 */
export async function indexDuePosts(db: Db, read: (post: PostTexts) => string[]): Promise<number> {
  // Most calls find none, and need no transaction.
  const [any] = await isAnyDue(db, {})
  if (!any!.isDue && !any!.isAnyOutdated) return 0
  return db.transaction().execute(async (db) => {
    const [lock] = await lockWords(db, {})
    if (!lock!.isLocked) return 0
    const take = any!.isDue ? takeDueTexts : readOutdatedTexts
    const endsAt = performance.now() + READ_MAX_MS
    let count = 0
    for (let limit = PIECE_MIN; count < WORDS_BATCH_MAX; ) {
      const [due] = await take(db, { limit: Math.min(limit, WORDS_BATCH_MAX - count) })
      await indexPiece(db, due!.posts, read, endsAt)
      count += due!.count
      if (due!.count < limit) return count
      if (performance.now() > endsAt) break
      const isShort = due!.posts.reduce((length, { texts }) => length + texts.join('').length, 0) < SHORT_PIECE
      limit = isShort ? limit * 2 : PIECE_MIN
    }
    return WORDS_BATCH_MAX
  })
}

async function indexPiece(db: Db, posts: PostTexts[], read: (post: PostTexts) => string[], endsAt: number) {
  const rows: { user_id: string; post_id: string; words: string[] }[] = []
  const postponed: { user_id: string; post_id: string }[] = []
  for (const post of posts) {
    const key = { user_id: post.userId, post_id: post.postId }
    if (rows.length > 0 && performance.now() > endsAt) postponed.push(key)
    else rows.push({ ...key, words: [...read(post), WORDS_RULE] })
  }
  if (rows.length > 0) await writeWords(db, { rows: JSON.stringify(rows) })
  if (postponed.length > 0) await postponeWords(db, { rows: JSON.stringify(postponed) })
}

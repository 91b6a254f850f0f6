import { sql } from 'kysely'
import { PAGE } from '../../../schemas/shared.ts'
import { prepared } from '../../prepared.ts'

/** A hundred posts with as long texts fill a page. */
const SHORT_BYTES_MAX = Math.floor(PAGE.bytesMax / PAGE.limitMax)

/** Postgres knows the length of a text without reading it. */
const textBytes = sql`octet_length(posts.caption) + coalesce(octet_length(posts.first_comment), 0)`
const isShort = sql`${textBytes} <= ${sql.lit(SHORT_BYTES_MAX)}`

/** The texts of a post in a list. The caption is null if they are long: `readLongTexts` has them. */
export const shortTexts = [
  sql<string>`case when ${isShort} then posts.caption end`.as('caption'),
  sql<string | null>`case when ${isShort} then posts.first_comment end`.as('firstComment'),
] as const

interface LongTexts {
  caption: string | null
  firstComment: string | null
}

/**
 * The texts of these posts in the order of the ids, until they have `PAGE.bytesMax`. A post may have a megabyte: a page
 * of a hundred would take longer than a request may, each time. The caption is null if the post does not exist.
 */
export const readLongTexts = prepared<{ userIds: string[]; ids: string[] }, LongTexts>(
  'read_long_texts',
  (_db, value) => sql`
    select caption, first_comment
    from (
      select number, caption, first_comment,
        sum(${textBytes}) over (order by number rows between unbounded preceding and 1 preceding) as bytes_before
      from unnest(${value('userIds')}::uuid[], ${value('ids')}::uuid[]) with ordinality as page(user_id, id, number)
      left join posts on posts.user_id = page.user_id and posts.id = page.id) as texts
    where coalesce(bytes_before, 0) < ${sql.lit(PAGE.bytesMax)}
    order by number`,
)

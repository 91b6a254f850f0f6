import { type RawBuilder, sql } from 'kysely'
import { isOfUser } from './organization.ts'
import type { ValueOf } from './walk.ts'

type AccountValue = ValueOf<{ accountId: string | null; userId: string }>

/** In a subquery, which hides its statistics: Postgres would plan each time. */
const accountOf = (value: AccountValue) => sql`(select ${value('accountId')}::uuid)`

/** Whether the row of `post_targets` is of the account and of the user. */
export const isOfAccount = (value: AccountValue) => sql`${isOfUser(value)} and account_id = ${accountOf(value)}`

/**
 * A place in the index on accounts, for a comparison with `(account_id, user_id, post_id)`. Otherwise, if most posts of
 * the user have one account, Postgres may read the primary key: all posts of the user, for an account without posts.
 */
export const placeOfAccount = (value: AccountValue, postId: RawBuilder<unknown>) =>
  sql`(${accountOf(value)}, ${value('userId')}::uuid, ${postId})`

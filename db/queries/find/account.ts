import { type RawBuilder, sql } from 'kysely'
import { isOfUser } from './organization.ts'

interface OfAccount {
  accountId: string | null
  userId: string
}

/** In a subquery, which hides its statistics: Postgres would plan each time. */
const accountOf = (values: OfAccount) => sql`(select ${values.accountId}::uuid)`

/** Whether the row of `post_targets` is of the account and of the user. */
export const isOfAccount = (values: OfAccount) => sql`${isOfUser(values)} and account_id = ${accountOf(values)}`

/**
 * A place in the index on accounts, for a comparison with `(account_id, user_id, post_id)`. Otherwise, if most posts of
 * the user have one account, Postgres may read the primary key: all posts of the user, for an account without posts.
 */
export const placeOfAccount = (values: OfAccount, postId: RawBuilder<unknown>) =>
  sql`(${accountOf(values)}, ${values.userId}::uuid, ${postId})`

import { type Expression, type RawBuilder, sql } from 'kysely'

/** The time that a user's sandbox clock has reached; null without one. For a user without one, it reads an index. */
export const clockOf = (userId: string | Expression<string>) => sql<Date | null>`(
  select reached_at from sandbox_clocks where sandbox_clocks.user_id = ${userId} and not is_ending)`

/** The present of a user: the time of the sandbox clock while it is ahead. */
export const userNow = (userId: string | Expression<string>) => sql<Date>`greatest(now(), ${clockOf(userId)})`

/** The ids of a user's accounts on the sandbox. */
export const sandboxAccounts = (userId: RawBuilder<unknown>) =>
  sql`select id from accounts where accounts.user_id = ${userId} and accounts.platform = 'sandbox'`

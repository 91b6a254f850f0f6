import { sql } from 'kysely'
import { prepared } from '../../prepared.ts'
import { after, type Now } from '../clock.ts'

/** Renews leases. Returns the tokens of those that are still held. */
export const renewLeases = prepared<
  {
    userIds: string[]
    postIds: string[]
    accountIds: string[]
    leaseTokens: string[]
    leaseMs: number
    now: Now
  },
  { leaseToken: string }
>(
  'renew_leases',
  (_db, value) => sql`
    with held as (
      select delivery.user_id, delivery.post_id, delivery.account_id
      from unnest(${value('userIds')}::uuid[], ${value('postIds')}::uuid[], ${value('accountIds')}::uuid[],
          ${value('leaseTokens')}::uuid[]) as lease(user_id, post_id, account_id, lease_token)
      join post_targets as delivery
        on delivery.user_id = lease.user_id and delivery.post_id = lease.post_id
        and delivery.account_id = lease.account_id
      where delivery.lease_token = lease.lease_token
      order by delivery.user_id, delivery.post_id, delivery.account_id
      for no key update of delivery
    ),
    renewed as (
      update post_targets as delivery
      set claimable_at = ${after(value('now'), value('leaseMs'))}
      from held
      where delivery.user_id = held.user_id and delivery.post_id = held.post_id
        and delivery.account_id = held.account_id
      returning delivery.account_id, delivery.lease_token, delivery.claimable_at
    ),
    account as (
      update accounts set available_at = renewed.claimable_at
      from renewed
      where accounts.id = renewed.account_id
    )
    select lease_token from renewed`,
)

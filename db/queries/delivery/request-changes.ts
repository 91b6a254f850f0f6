import { sql } from 'kysely'
import { each } from '../../batch.ts'
import type { Db } from '../../client.ts'
import type { Actor } from '../events/actor.ts'
import { userNow } from '../user-now.ts'
import type { ClaimedChange } from './claim-change.ts'
import { endOfFlight } from './delivery.ts'
import type { OwnKey } from './owner.ts'

/**
 * Lets workers change what locked deliveries have on their networks, when no earlier call can arrive: neither one that
 * published or edited the post, nor that of a change whose place it takes, which may have cost its price.
 */
export async function requestChanges(
  db: Db,
  userId: string,
  kind: ClaimedChange['kind'],
  { keys, inFlightMs, keyId }: { keys: OwnKey[]; inFlightMs: number } & Actor,
) {
  await sql`
    insert into delivery_changes (user_id, post_id, account_id, kind, next_at, key_id)
    select user_id, post_id, account_id, ${kind}, greatest(${userNow(userId)}, ${endOfFlight('delivery', inFlightMs)}),
      ${keyId}::uuid
    from unnest(${each(keys, 'postId')}::uuid[], ${each(keys, 'accountId')}::uuid[]) as wanted(post_id, account_id)
    join post_targets as delivery using (post_id, account_id)
    where user_id = ${userId}
    order by post_id, account_id
    on conflict (user_id, post_id, account_id) do update
    set kind = excluded.kind, requested_at = excluded.requested_at, key_id = excluded.key_id,
      next_at = greatest(excluded.next_at,
        case when delivery_changes.lease_token is not null then delivery_changes.next_at end),
      lease_token = null, intent = null, failures = 0, intent_micros = null,
      spent_micros = coalesce(delivery_changes.spent_micros + delivery_changes.intent_micros,
        delivery_changes.intent_micros, delivery_changes.spent_micros)`.execute(db)
}

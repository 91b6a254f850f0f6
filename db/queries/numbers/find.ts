import { sql } from 'kysely'
import type { DeliveryError, DeliveryState } from '../../../schemas/delivery.ts'
import type { PlatformId } from '../../../schemas/platform.ts'
import type { Db } from '../../client.ts'
import type { DeliveryKey } from '../delivery/delivery.ts'
import { isoTime } from '../iso-time.ts'

export interface DeliveryMetricsRow {
  postId: string
  accountId: string
  platform: PlatformId
  state: DeliveryState
  hasId: boolean
  publishedAt: string | null
  isConnected: boolean
  scopes: string[] | null
  externalId: string | null
  fetchedAt: string | null
  nextFetchAt: string | null
  counts: Record<string, number> | null
  missing: Record<string, string> | null
  error: DeliveryError | null
  /** The end of the last reading. */
  checkedAt: string | null
  /** Since when readings do not find it. Other than `goneAt`, one is enough. */
  unseenAt: string | null
  goneAt: string | null
  /** Daily points, the earliest first; empty without `withHistory`. */
  points: { day: string; counts: Record<string, number> }[]
}

/** The numbers of these deliveries, in the order of `keys`. */
export async function findDeliveryMetrics(
  db: Db,
  keys: readonly DeliveryKey[],
  { withHistory }: { withHistory: boolean },
): Promise<DeliveryMetricsRow[]> {
  const { rows } = await sql<DeliveryMetricsRow>`
    select target.post_id, target.account_id, target.platform, target.state,
      coalesce(target.sent -> 0 ->> 'id' is not null, false) as has_id, ${isoTime('target.published_at')} as published_at,
      accounts.disconnected_at is null and credentials.account_id is not null as is_connected, accounts.scopes,
      accounts.external_id,
      ${isoTime('metrics.fetched_at')} as fetched_at, ${isoTime('metrics.next_at')} as next_fetch_at,
      metrics.counts, metrics.missing, metrics.error, ${isoTime('metrics.checked_at')} as checked_at,
      ${isoTime('metrics.gone_at')} as unseen_at, ${isoTime('target.gone_at')} as gone_at, point.points
    from unnest(
        ${keys.map(({ userId }) => userId)}::uuid[], ${keys.map(({ postId }) => postId)}::uuid[],
        ${keys.map(({ accountId }) => accountId)}::uuid[])
      with ordinality as key(user_id, post_id, account_id, ordinal)
    join post_targets as target
      on target.user_id = key.user_id and target.post_id = key.post_id and target.account_id = key.account_id
    join accounts on accounts.id = target.account_id
    left join account_credentials as credentials on credentials.account_id = target.account_id
    left join delivery_metrics as metrics
      on metrics.user_id = target.user_id and metrics.post_id = target.post_id
        and metrics.account_id = target.account_id
    cross join lateral (
      select coalesce(json_agg(json_build_object('day', day, 'counts', counts) order by day), '[]') as points
      from delivery_metric_points as point
      where ${withHistory}::boolean and point.user_id = target.user_id and point.post_id = target.post_id
        and point.account_id = target.account_id) as point
    order by key.ordinal`.execute(db)
  return rows
}

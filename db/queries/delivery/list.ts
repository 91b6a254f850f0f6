import { sql } from 'kysely'
import type { DeliveryError, DeliveryState } from '../../../schemas/delivery.ts'
import type { PlatformId } from '../../../schemas/platform.ts'
import type { Db } from '../../client.ts'
import { isoTime } from '../iso-time.ts'
import { accountRestsUntil, nextAttemptOf } from '../posts/targets.ts'

interface DeliveryFilter {
  state?: DeliveryState | undefined
  platform?: PlatformId | undefined
  /** Only deliveries that were due at this time or later. */
  since?: Date | undefined
  limit: number
}

/** Deliveries of all users, by the time at which they are due, latest first; drafts, which have none, come last. */
export function listDeliveries(db: Db, { state, platform, since, limit }: DeliveryFilter) {
  return db
    .selectFrom('postTargets')
    .innerJoin('accounts', 'accounts.id', 'postTargets.accountId')
    .select((eb) => [
      'postTargets.postId',
      'postTargets.accountId',
      'postTargets.userId',
      eb.ref('postTargets.platform').$castTo<PlatformId>().as('platform'),
      'accounts.username',
      eb.ref('postTargets.state').$castTo<DeliveryState>().as('state'),
      'postTargets.attempts',
      isoTime<string | null>('postTargets.dueAt').as('dueAt'),
      nextAttemptOf('post_targets').as('nextAttemptAt'),
      // A delivery that sends nothing more has no rest to wait for.
      sql<string | null>`case when post_targets.state = 'queued' then ${accountRestsUntil} end`.as('accountRestsUntil'),
      isoTime<string | null>('postTargets.publishedAt').as('publishedAt'),
      eb.ref('postTargets.error').$castTo<DeliveryError | null>().as('error'),
    ])
    .$if(state !== undefined, (query) => query.where('postTargets.state', '=', state!))
    .$if(platform !== undefined, (query) => query.where('postTargets.platform', '=', platform!))
    .$if(since !== undefined, (query) => query.where('postTargets.dueAt', '>=', since!))
    .orderBy('postTargets.dueAt', (order) => order.desc().nullsLast())
    .orderBy('postTargets.postId', 'desc')
    .orderBy('postTargets.accountId')
    .limit(limit)
    .execute()
}

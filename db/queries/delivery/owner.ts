import { type SqlBool, sql } from 'kysely'
import type { DeliveryError, DeliveryState } from '../../../schemas/delivery.ts'
import type { PlatformId } from '../../../schemas/platform.ts'
import type { Db } from '../../client.ts'
import { prepared } from '../../prepared.ts'
import type { DeliveryKey, SentAct } from './settle.ts'

// What the owner of a post decides about its deliveries; deliveries.ts has what workers do with them.

/**
 * Makes every delivery of the post due now that is not under way, out, or open, and a draft scheduled for now. For a post
 * that is not published; gives how many there were.
 */
export const publishNow = prepared<{ userId: string; id: string }, { count: number }>('publish_now', (db, value) =>
  db
    .with('due', (db) =>
      db
        .updateTable('postTargets')
        .set(dueNow)
        .where('userId', '=', value('userId'))
        .where('postId', '=', value('id'))
        .where((eb) =>
          eb.or([
            eb('state', 'in', ['waiting', 'failed', 'missed']),
            // What is due already stays as it is: its lateness counts from then.
            eb.and([eb('state', '=', 'queued'), eb('dueAt', '>', sql<Date>`now()`)]),
          ]),
        )
        .returning(['userId', 'postId']),
    )
    .with('post', (db) =>
      db
        .updateTable('posts')
        .set({ status: 'scheduled', scheduledAt: sql<Date>`now()`, updatedAt: sql<Date>`now()` })
        .where('userId', '=', value('userId'))
        .where('id', '=', value('id'))
        .where('status', '!=', 'published')
        .where(sql<SqlBool>`exists (select from due)`),
    )
    .selectFrom('due')
    .select(sql<number>`count(*)`.as('count')),
)

/** As if it had just been written for now. What is open stays open, and what is out stays out. */
const dueNow = {
  state: 'queued',
  dueAt: sql<Date>`now()`,
  // A call that was given up is left alone as long as it was to be.
  claimableAt: sql<Date>`greatest(now(), case when intent is not null then claimable_at end)`,
  failures: 0,
  // Nor does it get another name while a call under the one that it had may still arrive.
  startedAt: sql<Date>`case when intent is not null or started_at > now() - interval '1 hour' then started_at end`,
}

/** A delivery of the user's, locked; nothing where there is none. */
export const lockDelivery = (db: Db, key: DeliveryKey) =>
  db
    .selectFrom('postTargets')
    .select((eb) => [
      eb.ref('platform').$castTo<PlatformId>().as('platform'),
      eb.ref('state').$castTo<DeliveryState>().as('state'),
      eb.ref('error').$castTo<DeliveryError | null>().as('error'),
      'sent',
      sql<boolean>`attempts = 0 and due_at > now()`.as('isEarly'),
    ])
    .where((eb) => eb.and({ ...key }))
    .forUpdate()
    .executeTakeFirst()

/** Makes a delivery that is locked due now. */
export const requeueDelivery = (db: Db, key: DeliveryKey) =>
  db
    .updateTable('postTargets')
    .set(dueNow)
    .where((eb) => eb.and({ ...key }))
    .execute()

/** What the owner of a delivery has seen on the network, of the call whose answer was lost. The delivery is locked. */
export async function resolveDelivery(
  db: Db,
  key: DeliveryKey,
  seen: {
    state: DeliveryState
    sent: SentAct[]
    error: DeliveryError | null
    outcome: 'said_published' | 'said_not_published'
  },
): Promise<void> {
  const { state, error, outcome } = seen
  const sent = JSON.stringify(seen.sent)
  await db
    .updateTable('deliveryAttempts')
    .from('postTargets as target')
    .set({ outcome })
    .whereRef('deliveryAttempts.userId', '=', 'target.userId')
    .whereRef('deliveryAttempts.postId', '=', 'target.postId')
    .whereRef('deliveryAttempts.accountId', '=', 'target.accountId')
    .whereRef('deliveryAttempts.number', '=', 'target.attempts')
    .where('target.userId', '=', key.userId)
    .where('target.postId', '=', key.postId)
    .where('target.accountId', '=', key.accountId)
    .execute()
  await db
    .updateTable('postTargets')
    .set({
      state,
      sent: sql`sent || ${sent}::jsonb`,
      publishedAt: sql<Date>`case when jsonb_array_length(sent || ${sent}::jsonb) > 0
        then coalesce(published_at, intended_at) end`,
      error: error && JSON.stringify(error),
      intent: null,
      intendedAt: null,
    })
    .where((eb) => eb.and({ ...key }))
    .execute()
}

import { sql } from 'kysely'
import type { Webhook } from '../../../schemas/webhook.ts'
import type { Db } from '../../client.ts'
import { isoTime } from '../iso-time.ts'

// Statements of `postroom webhook`, for the webhooks of all users.

/** Webhooks, newest first. `isFailing`: only those whose last attempt failed, or that were disabled because of it. */
export const listAllWebhooks = (db: Db, { isFailing, limit }: { isFailing: boolean; limit: number }) =>
  db
    .selectFrom('webhooks')
    .innerJoin('users', 'users.id', 'webhooks.userId')
    .select((eb) => [
      'webhooks.id',
      'webhooks.url',
      eb.ref('webhooks.disabledReason').$castTo<Webhook['disabledReason']>().as('disabledReason'),
      isoTime<string | null>('webhooks.disabledAt').as('disabledAt'),
      isoTime<string | null>('webhooks.failingSince').as('failingSince'),
      'webhooks.failures',
      'webhooks.allUsers',
      'webhooks.organizationId',
      'webhooks.userId',
      'users.name as userName',
      isoTime('webhooks.createdAt').as('createdAt'),
    ])
    .$if(isFailing, (query) =>
      query.where(sql<boolean>`coalesce(webhooks.disabled_reason <> 'owner', webhooks.failing_since is not null)`),
    )
    .orderBy('webhooks.id', 'desc')
    .limit(limit)
    .execute()

export async function webhookExists(db: Db, id: string): Promise<boolean> {
  return (await db.selectFrom('webhooks').select('id').where('id', '=', id).executeTakeFirst()) !== undefined
}

/** Disables all webhooks, as `disableWebhook` does with one. Returns the ids of those that were active. */
export async function disableAllWebhooks(db: Db): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    update webhooks
    set disabled_at = now(), disabled_reason = 'owner', lease_token = null, leased_until = null
    where disabled_at is null
    returning id`.execute(db)
  return rows.map(({ id }) => id)
}

import { sql } from 'kysely'
import type { DeliveryError } from '../../../schemas/delivery.ts'
import type { Db } from '../../client.ts'
import { inTransaction } from '../../transaction.ts'
import { at } from '../clock.ts'
import type { Actor } from '../events/actor.ts'
import type { DeliveryKey, EditContent, HeldDelivery, SentAct, StoredEdit } from './delivery.ts'
import { requestChanges } from './request-changes.ts'
import { type ChangeSettlement, settleChange } from './settle-change.ts'

// Statements for edits of published deliveries.

/** Stores that the owner wants a locked delivery to be edited on its network, and lets a worker do it. */
export async function requestEdit(
  db: Db,
  key: DeliveryKey,
  { content, inFlightMs, keyId }: { content: EditContent; inFlightMs: number } & Actor,
): Promise<void> {
  const { userId, postId, accountId } = key
  await sql`
    update post_targets
    set edit = jsonb_build_object('id', gen_random_uuid(), 'state', 'pending',
      'content', ${JSON.stringify(content)}::jsonb, 'error', null)
    where user_id = ${userId} and post_id = ${postId} and account_id = ${accountId}`.execute(db)
  await requestChanges(db, userId, 'edit', { keys: [key], inFlightMs, keyId })
}

/** The outcome of the call that edits a delivery, and what follows from it. */
export interface EditSettlement extends Omit<ChangeSettlement, 'isOver' | 'keepsLease'> {
  state: 'done' | StoredEdit['state']
  /** The act as it is on the network now; null if the edit is not known to be there. */
  sent: SentAct | null
  error: DeliveryError | null
  /** The response to the call was lost. */
  isLost: boolean
}

/** Commits the outcome of an edit. Returns false if another worker holds it by now, or the post is being taken down. */
export const settleEdit = (db: Db, held: HeldDelivery, settlement: EditSettlement): Promise<boolean> =>
  inTransaction(db, async (db) => {
    const { userId, postId, accountId } = held
    const { state, sent, error, isLost, ...change } = settlement
    const isKey = sql`user_id = ${userId} and post_id = ${postId} and account_id = ${accountId}`
    if (!(await settleChange(db, held, { ...change, isOver: state !== 'pending' }))) return false
    if (state === 'done') {
      await sql`
        update post_targets
        set caption_override = edit #>> '{content,captionOverride}',
          fields = nullif(edit #> '{content,fields}', 'null'),
          text_digest = (edit #>> '{content,textDigest}')::bigint,
          -- Only threads of one part are edited.
          thread_parts = null,
          sent = jsonb_set(sent, '{0}', ${JSON.stringify(sent)}::jsonb),
          edit = null
        where ${isKey}`.execute(db)
      await sql`update posts set updated_at = ${at(change.now)} where user_id = ${userId} and id = ${postId}`.execute(
        db,
      )
    } else {
      await sql`
        update post_targets
        set edit = edit || jsonb_build_object('state', ${state}::text, 'error', ${error && JSON.stringify(error)}::jsonb),
          lost_call_at = case when ${isLost} then ${at(change.now)} else lost_call_at end
        where ${isKey}`.execute(db)
    }
    return true
  })

/** An edit that a backup does not have. */
export interface RestoredEdit extends DeliveryKey {
  edit: StoredEdit
  /** The act as it is on the network; null if the edit is not known to be there. */
  sent: SentAct | null
}

/** Stores edits for locked deliveries, and ends those that the backup has. */
export async function storeRestoredEdits(db: Db, edits: RestoredEdit[]): Promise<void> {
  const rows = edits.map(({ userId, postId, accountId, edit, sent }) => {
    return { user_id: userId, post_id: postId, account_id: accountId, edit, sent: sent ?? undefined }
  })
  const items = sql`jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as item(
    user_id uuid, post_id uuid, account_id uuid, edit jsonb, sent jsonb)`
  await sql`
    update post_targets as delivery
    set edit = item.edit,
      sent = case when item.sent is not null then jsonb_set(delivery.sent, '{0}', item.sent) else delivery.sent end
    from ${items}
    where delivery.user_id = item.user_id and delivery.post_id = item.post_id
      and delivery.account_id = item.account_id`.execute(db)
  await sql`
    delete from delivery_changes as change using ${items}
    where change.user_id = item.user_id and change.post_id = item.post_id and change.account_id = item.account_id
      and change.kind = 'edit'`.execute(db)
}

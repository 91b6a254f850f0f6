import { sql } from 'kysely'
import type { DeliveryState } from '../../../schemas/delivery.ts'
import type { EventType } from '../../../schemas/event.ts'
import type { PlatformId } from '../../../schemas/platform.ts'
import type { Db } from '../../client.ts'
import type { Actor } from '../events/actor.ts'
import { insertDeliveryEvents, writesEvents } from '../events/delivery.ts'
import { noteLastUse } from '../media.ts'
import { commonOrganization } from '../roles.ts'
import { userNow } from '../user-now.ts'
import type { WrittenColumns } from './columns.ts'
import { DELIVERY_COLUMNS, toDeliveryJson, type WrittenDelivery } from './delivery-columns.ts'
import { fileRows } from './files.ts'

export interface ChangedDelivery extends WrittenDelivery {
  platform: PlatformId
  /** That of the content, with which the delivery is compared to others: see `NearbyTerms`. */
  textDigest: string | null
  /** The post does not go to the account yet. */
  isNew: boolean
  /** Other content is sent than before. */
  isEdited: boolean
  /** The state in which the delivery restarts; null if it stays as it is. */
  state: DeliveryState | null
  /** Null if its owner learns nothing. */
  event: EventType | null
}

export interface ChangedPost extends WrittenColumns {
  mediaIds: readonly string[]
  /** Whether the files of the post or of its accounts change. */
  hasOtherFiles: boolean
  /** How long a call that was lost may still arrive. */
  nameKeptMs: number
  /** All deliveries of the post, in the order of its accounts. Others are removed. */
  targets: ChangedDelivery[]
}

type PostKey = { userId: string; id: string }

/** Stores the changes of a post. The transaction holds `lockPost`. */
export async function storePostChanges(db: Db, key: PostKey & Actor, post: ChangedPost): Promise<void> {
  const {
    mediaIds: _mediaIds,
    hasOtherFiles,
    nameKeptMs: _nameKeptMs,
    targets,
    comments,
    poll,
    links,
    altTexts,
    metadata,
    localSchedule,
    ...content
  } = post
  await db
    .updateTable('posts')
    .set({
      ...content,
      comments: comments && JSON.stringify(comments),
      poll: poll && JSON.stringify(poll),
      links: links && JSON.stringify(links),
      altTexts: altTexts && JSON.stringify(altTexts),
      metadata: metadata && JSON.stringify(metadata),
      localSchedule: localSchedule && JSON.stringify(localSchedule),
      organizationId: sql<string | null>`(
        select ${commonOrganization} from accounts
        where accounts.id = any(${targets.map(({ accountId }) => accountId)}::uuid[]))`,
      updatedAt: userNow(key.userId),
    })
    .where('userId', '=', key.userId)
    .where('id', '=', key.id)
    .execute()
  if (hasOtherFiles) await replaceMedia(db, key, post)
  await db
    .deleteFrom('postTargets')
    .where('userId', '=', key.userId)
    .where('postId', '=', key.id)
    .where('accountId', '!=', sql<string>`all(${targets.map(({ accountId }) => accountId)}::uuid[])`)
    .execute()
  await storeDeliveries(db, key, post)
}

async function replaceMedia(db: Db, { userId, id }: PostKey, post: ChangedPost): Promise<void> {
  await sql`
    with changed as (select ${userId}::uuid as user_id, ${id}::uuid as id), noted as ${noteLastUse(sql`changed`)}
    delete from post_media where user_id = ${userId} and post_id = ${id}`.execute(db)
  await sql`
    insert into post_media (user_id, post_id, position, media_id, account_id, part)
    select ${userId}, ${id}, file.*
    from jsonb_to_recordset(${JSON.stringify(fileRows(post))}::jsonb)
      as file(position integer, media_id uuid, account_id uuid, part integer)`.execute(db)
}

/**
 * Stores the deliveries. A delivery with other content gets a new token and a new start. The names of its acts on
 * networks derive from them, and a network would take new content under an old name for sent. The names stay if only
 * the time changes and the delivery is due now, because a lost call may still arrive.
 */
async function storeDeliveries(
  db: Db,
  { userId, id, keyId }: PostKey & Actor,
  { scheduledAt, nameKeptMs, targets }: ChangedPost,
) {
  const items = JSON.stringify(
    targets.map((delivery, index) => ({
      position: index + 1,
      account_id: delivery.accountId,
      platform: delivery.platform,
      ...toDeliveryJson(delivery, delivery.textDigest),
      is_in_slot: delivery.isInSlot,
      is_new: delivery.isNew,
      is_edited: delivery.isEdited,
      state: delivery.state,
      event: delivery.event,
    })),
  )
  const item = sql`jsonb_to_recordset(${items}::jsonb) as item(
    position bigint, account_id uuid, platform text, ${DELIVERY_COLUMNS.definitions}, is_in_slot boolean, is_new boolean, is_edited boolean, state text, event text)`
  const present = userNow(userId)
  const dueAt = sql`case when ${scheduledAt}::timestamptz is not null
    then greatest(coalesce(item.own_scheduled_at, ${scheduledAt}::timestamptz), ${present}) end`
  const slotAt = sql`case when item.is_in_slot then coalesce(item.own_scheduled_at, ${scheduledAt}::timestamptz) end`
  const isItem = sql`
    delivery.user_id = ${userId} and delivery.post_id = ${id} and delivery.account_id = item.account_id`
  await sql`
    update post_targets as delivery
    set position = item.position,
      (${DELIVERY_COLUMNS.names}) = row(${DELIVERY_COLUMNS.of('item')}),
      slot_at = ${slotAt},
      token = case when item.is_edited then gen_random_uuid() else delivery.token end,
      started_at = case when not item.is_edited then delivery.started_at end,
      prepared = case when not item.is_edited then delivery.prepared end,
      waiting_since = case when not item.is_edited then delivery.waiting_since end
    from ${item}
    where ${isItem} and (item.is_edited
      or (delivery.position, ${DELIVERY_COLUMNS.of('delivery')}, delivery.slot_at)
        is distinct from (item.position, ${DELIVERY_COLUMNS.of('item')}, ${slotAt}))`.execute(db)
  await sql`
    with restarted as (
      update post_targets as delivery
      set state = item.state,
        due_at = ${dueAt},
        claimable_at = ${dueAt},
        parked = false,
        failures = 0,
        error = null,
        prepared = null,
        waiting_since = null,
        started_at = case
          when ${dueAt} <= ${present} and delivery.started_at > ${present} - ${nameKeptMs}::float8 * interval '1 ms'
          then delivery.started_at end,
        -- The budget of the key pays that has set the time.
        key_id = case when ${dueAt} is distinct from delivery.due_at
          then coalesce(${keyId}::uuid, delivery.key_id) else delivery.key_id end,
        ${writesEvents('delivery')}
      from ${item}
      where ${isItem} and item.state is not null
      returning delivery.*, item.event
    )
    ${insertDeliveryEvents('restarted', { keyId })}`.execute(db)
  await sql`
    insert into post_targets (user_id, post_id, account_id, position, platform, ${DELIVERY_COLUMNS.names}, key_id,
      state, due_at, claimable_at, slot_at)
    select ${userId}, ${id}, item.account_id, item.position, item.platform, ${DELIVERY_COLUMNS.of('item')},
      ${keyId}::uuid, item.state, ${dueAt}, ${dueAt}, ${slotAt}
    from ${item}
    where item.is_new`.execute(db)
}

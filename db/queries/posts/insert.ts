import { type RawBuilder, sql } from 'kysely'
import type { DeliveryState } from '../../../schemas/delivery.ts'
import { batched, type WithOrdinal } from '../../batch.ts'
import type { Db } from '../../client.ts'
import { prepared } from '../../prepared.ts'
import { type AccountReadiness, digestOfFacts, isReady, reachableBy, readiness } from '../accounts.ts'
import { postEvent } from '../events/post.ts'
import { type KeyedResponse, responseOf, responsesWithTakenKeys, storedResponses, toJson } from '../idempotency.ts'
import { commonOrganization } from '../roles.ts'
import { userNow } from '../user-now.ts'
import { WRITTEN_COLUMNS, type WrittenColumns } from './columns.ts'
import { DELIVERY_COLUMNS, toDeliveryJson, type WrittenDelivery } from './delivery-columns.ts'
import { fileRows } from './files.ts'
import { usableAfterLookout, usableUnseen } from './lookout.ts'
import { DAY_COLUMNS, type Nearby, type NearbyTerms } from './nearby.ts'
import type { SubjectAccount } from './subjects.ts'

export interface NewTarget extends WrittenDelivery {
  /** The account by whose limits the post was checked, and whose defaults it got. */
  account: Pick<SubjectAccount, 'textLengthMax' | 'factsDigest' | 'defaultFields' | 'captionSuffix'>
}

export interface NewPost extends WrittenColumns {
  id: string
  userId: string
  /** The key whose budget pays for the post. Absent for the operator. */
  keyId?: string | undefined
  /** The first state of its deliveries. */
  deliveryState: DeliveryState
  targets: readonly NewTarget[]
  /** By which others are near each target, in the order of the targets. */
  nearby: readonly NearbyTerms[]
  /** In order. An id may occur twice. */
  mediaIds: readonly string[]
  /** The accounts that are not ready, in the order of the deliveries, as the database has returned them. */
  unready: UnreadyAccount[]
  /**
   * Whether other posts near the post are looked for. `reported`: they are returned. `refused`: they are returned, and
   * the post is not written. `gapMs` is null if posts may follow each other at any distance.
   */
  lookout?: { mode: 'reported' | 'refused'; gapMs: number | null } | undefined
  /** The response to store with the post, under the `Idempotency-Key` of its request. */
  keyed?: KeyedResponse | undefined
}

/** An account of a post that nothing may be published to before its owner acts. */
export interface UnreadyAccount extends AccountReadiness {
  accountId: string
}

/** The outcome of a new post. It is missing if the user may not use its accounts, or a limit or defaults changed. */
export interface Insertion extends WithOrdinal {
  outcome: 'written' | 'unready_changed' | 'has_nearby' | 'key_taken'
  /** The accounts that are not ready now. */
  unready: UnreadyAccount[] | null
  /** The other posts near this one, of the accounts that have any. */
  nearby: Nearby[] | null
}

const reachable = reachableBy(sql.ref<string>('item.user_id'))

/**
 * Writes posts, each whole or not at all. The response to a post names the accounts that are not ready, and may be
 * stored with it: a post is written only if these are the accounts that its creator expects. For the same reason, a
 * post may be refused if other posts are near.
 *
 * JSON parameters take 5 % less time than one array for each column for a single post. For batches of 16 they take 4 %
 * more, which is 3 µs a post.
 */
const insertRowsWith = (
  name: string,
  { usable, responses }: { usable: RawBuilder<unknown>; responses: typeof storedResponses },
) =>
  prepared<{ posts: string; deliveries: string; media: string }, Insertion>(
    name,
    (_db, value) => sql`
    with item as (
      select *
      from jsonb_to_recordset(${value('posts')}::jsonb) as item(
        ordinal integer, id uuid, user_id uuid, ${WRITTEN_COLUMNS.definitions}, without_media boolean, delivery_state text, delivery_count integer, expected jsonb, lookout text,
        gap_ms float8, key_id uuid, response jsonb)
    ),
    -- The deliveries to accounts that the user may use, and whose limits and defaults are those of the check.
    delivery as (
      select item.id as post_id, item.ordinal, item.delivery_state, item.key_id, wanted.position, wanted.account_id,
        accounts.platform, ${DELIVERY_COLUMNS.of('wanted')}, ${DAY_COLUMNS.of('wanted')}, wanted.is_in_slot,
        accounts.organization_id,
        case when not ${isReady} then jsonb_build_object('accountId', accounts.id, 'attention', ${readiness.attention},
          'credentials', ${readiness.credentials}, 'credentialsExpireAt', ${readiness.credentialsExpireAt}) end as unready
      from jsonb_to_recordset(${value('deliveries')}::jsonb) as wanted(
        ordinal integer, position integer, account_id uuid, text_length_max integer, facts_digest text, default_fields jsonb,
        default_suffix jsonb,
        ${DELIVERY_COLUMNS.definitions}, is_in_slot boolean, ${DAY_COLUMNS.definitions})
      join item on item.ordinal = wanted.ordinal
      join accounts on accounts.id = wanted.account_id
      left join account_credentials on account_credentials.account_id = accounts.id
      where ${reachable} and accounts.text_length_max is not distinct from wanted.text_length_max
        and ${digestOfFacts} is not distinct from wanted.facts_digest
        and accounts.default_fields is not distinct from wanted.default_fields
        and accounts.caption_suffix is not distinct from wanted.default_suffix
    ),
    reachable as (
      select post_id, count(*) as count, ${commonOrganization} as organization_id,
        array_agg(account_id order by position) as account_ids,
        jsonb_agg(unready order by position) filter (where unready is not null) as unready
      from delivery as accounts
      group by post_id
    ),
    -- Only posts with all of their deliveries.
    complete as (
      select item.*, reachable.organization_id, reachable.account_ids, reachable.unready,
        ${userNow(sql.ref<string>('item.user_id'))} as present,
        reachable.unready is not distinct from item.expected as has_expected
      from item
      join reachable on reachable.post_id = item.id
      where reachable.count = item.delivery_count
    ),
    ${usable},
    -- The first of equal requests in one batch.
    keyed as (
      select distinct on (usable.user_id, response.key) usable.ordinal, usable.user_id, response.*
      from usable cross join lateral ${responseOf(sql`usable.response`)}
      where usable.response is not null and usable.is_expected
      order by usable.user_id, response.key, usable.ordinal
    ),
    ${responses(sql`keyed`)},
    post as (
      insert into posts
        (id, user_id, ${WRITTEN_COLUMNS.names}, organization_id, without_media, created_at, updated_at)
      select id, user_id, ${WRITTEN_COLUMNS.names}, organization_id, without_media, present, present
      from usable
      where is_expected
        and (response is null or ordinal in (select keyed.ordinal from keyed join stored using (user_id, key)))
      -- A draft is never due. A schedule in the past is due at the creation.
      returning user_id, id, created_at, case when scheduled_at is not null then greatest(scheduled_at, created_at) end as due_at
    ),
    inserted_deliveries as (
      insert into post_targets (user_id, post_id, account_id, position, platform, ${DELIVERY_COLUMNS.names}, key_id,
        state, due_at, claimable_at, slot_at)
      select post.user_id, post.id, delivery.account_id, delivery.position, delivery.platform,
        ${DELIVERY_COLUMNS.of('delivery')}, delivery.key_id, delivery.delivery_state, due.at, due.at,
        case when delivery.is_in_slot then due.at end
      from post
      join delivery on delivery.post_id = post.id
      cross join lateral (select case when delivery.own_scheduled_at is null then post.due_at
        else greatest(delivery.own_scheduled_at, post.created_at) end as at) as due
    ),
    inserted_media as (
      insert into post_media (user_id, post_id, position, media_id, account_id, part)
      select post.user_id, post.id, file.position, file.media_id, file.account_id, file.part
      from jsonb_to_recordset(${value('media')}::jsonb)
        as file(ordinal integer, position integer, media_id uuid, account_id uuid, part integer)
      join item on item.ordinal = file.ordinal
      join post on post.id = item.id
    ),
    event as (
      insert into event_outbox (user_id, type, post_id, account_ids, data)
      select usable.user_id, 'post.created', usable.id, usable.account_ids, ${postEvent('usable')}
      from post
      join usable on usable.id = post.id
    )
    select usable.ordinal, usable.unready, usable.nearby,
      case when post.id is not null then 'written' when is_expected then 'key_taken'
        when has_expected then 'has_nearby' else 'unready_changed' end as outcome
    from usable left join post on post.id = usable.id`,
  )

const insertRows = insertRowsWith('insert_posts', { usable: usableUnseen, responses: storedResponses })
const insertRowsAfterLookout = insertRowsWith('insert_posts_after_lookout', {
  usable: usableAfterLookout,
  responses: storedResponses,
})
const insertRowsOverTakenKey = insertRowsWith('insert_posts_over_taken_key', {
  usable: usableAfterLookout,
  responses: responsesWithTakenKeys,
})

function chooseStatement(posts: readonly NewPost[]) {
  if (posts.some(({ keyed }) => keyed?.takenKey)) return insertRowsOverTakenKey
  return posts.some(({ lookout }) => lookout) ? insertRowsAfterLookout : insertRows
}

/** Writes posts in one statement: see `insertRowsWith`. */
export function insertPosts(db: Db, posts: NewPost[]): Promise<Insertion[]> {
  const numbered = posts.map((post, index) => ({ ordinal: index + 1, post, files: fileRows(post) }))
  return chooseStatement(posts)(db, {
    posts: JSON.stringify(
      numbered.map(({ ordinal, post, files }) => ({
        ...WRITTEN_COLUMNS.toJson(post),
        id: post.id,
        user_id: post.userId,
        ordinal,
        without_media: files.length === 0 || undefined,
        delivery_state: post.deliveryState,
        delivery_count: post.targets.length,
        expected: post.unready.length > 0 ? post.unready : undefined,
        lookout: post.lookout?.mode,
        gap_ms: post.lookout?.gapMs ?? undefined,
        key_id: post.keyId,
        response: post.keyed && toJson(post.keyed),
      })),
    ),
    deliveries: JSON.stringify(
      numbered.flatMap(({ ordinal, post }) =>
        post.targets.map((target, index) => ({
          ordinal,
          position: index + 1,
          account_id: target.accountId,
          text_length_max: target.account.textLengthMax ?? undefined,
          facts_digest: target.account.factsDigest ?? undefined,
          default_fields: target.account.defaultFields ?? undefined,
          default_suffix: target.account.captionSuffix ?? undefined,
          ...toDeliveryJson(target, post.nearby[index]!.textDigest),
          ...DAY_COLUMNS.toJson(post.nearby[index]!),
          is_in_slot: target.isInSlot || undefined,
        })),
      ),
    ),
    media: JSON.stringify(numbered.flatMap(({ ordinal, files }) => files.map((row) => ({ ordinal, ...row })))),
  })
}

const insertBatched = batched(insertPosts)

/** A larger post gets a statement of its own, because it would delay the others of a batch. */
const BATCHED_TARGETS_MAX = 32
/** The length of texts, metadata and fields as JSON, in UTF-16 units. */
const BATCHED_LENGTH_MAX = 32_768

/** Whether a post shares a statement with others. Those with a taken key do not: see `responsesWithTakenKeys`. */
const isBatched = (post: NewPost): boolean =>
  !post.keyed?.takenKey && post.targets.length <= BATCHED_TARGETS_MAX && lengthOf(post) <= BATCHED_LENGTH_MAX

const lengthOf = ({ caption, comments, metadata, targets }: NewPost): number =>
  targets.reduce(
    (sum, { captionOverride, account, fields, threadParts, mediaIds, threadMedia, renditions }) =>
      sum +
      (captionOverride?.length ?? 0) +
      [
        account.defaultFields,
        account.captionSuffix,
        fields,
        threadParts,
        mediaIds,
        threadMedia,
        renditions,
      ].reduce<number>(addLength, 0),
    addLength(addLength(caption.length, metadata), comments),
  )

const addLength = (sum: number, value: unknown) => (value ? sum + JSON.stringify(value).length : sum)

/**
 * Writes a post: see `insertRowsWith`. Concurrent posts share a statement and its commit, which takes longer than the
 * rows.
 */
export const insertPost = async (db: Db, post: NewPost): Promise<Insertion | undefined> =>
  isBatched(post) ? insertBatched(db, post) : (await insertPosts(db, [post]))[0]

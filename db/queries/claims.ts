import { type Expression, type ExpressionBuilder, type SqlBool, sql } from 'kysely'
import type { Media } from '../../schemas/media.ts'
import type { PlatformId, PostType } from '../../schemas/platform.ts'
import type { DeliveryError } from '../../schemas/post.ts'
import { prepared } from '../statements.ts'
import type { DB } from '../types.ts'
import { reachableBy } from './accounts.ts'
import { after, at, msSince, type Now } from './clock.ts'
import { type DeliveryKey, LEASE_MS, type SentAct } from './deliveries.ts'

// How workers find what is due. It is in one of two places: in the order of its time, or, of an account that has much due at
// once, parked, and found by way of the account.

/** A delivery that a worker holds, with all that it takes to carry it out. */
export interface ClaimedDelivery extends DeliveryKey {
  leaseToken: string
  platform: PlatformId
  token: string
  failures: number
  error: DeliveryError | null
  /** The number of the act whose call may have been made. */
  intent: number | null
  /** How long ago the lease of a worker ended that did not give it back; null where none was lost. */
  cutOffForMs: number | null
  sent: SentAct[]
  startedAt: Date
  /** How long ago it was due. */
  lateMs: number
  captionOverride: string | null
  fields: Record<string, unknown> | null
  threadParts: string[] | null
  caption: string
  firstComment: string | null
  postType: PostType
  /** Whether its owner may still post to the account, which is connected. */
  reachable: boolean
  media: StoredFile[]
  /** The sealed credentials; all of them null where there are none. */
  keyId: string | null
  dataKey: Buffer | null
  data: Buffer | null
}

export interface StoredFile extends Omit<Media, 'fps' | 'createdAt'> {
  storageKey: string | null
}

/** As many as any network lets be under way at a time. */
const CLAIM_MAX = 256

/** What is due for so long, and cannot be sent before others of its account are, is parked. */
const PARK_AFTER_MS = 5_000
/** Of each network, in one statement. */
const PARK_MAX = 2_000

/**
 * Of an expression, Postgres has no statistics: from those of the column, made while most accounts were held or resting, it
 * would take it that hardly any is free, and begin with all accounts rather than with what is due.
 */
const isAvailable = (now: Now) => sql<boolean>`coalesce(accounts.available_at, '-infinity') <= ${at(now)}`

/** What goes out first of all that is due on the account of the row that the query has under `account_id`. */
const earliestOf = (accountId: string, now: Now) => sql`
  select post_id, claimable_at, parked, ctid as place from post_targets
  where account_id = ${sql.ref(accountId)} and claimable_at <= ${at(now)}
  order by due_at, post_id limit 1`

/** The accounts of these networks that have something parked, each found in the index behind the one before it. */
const backlogged = (platforms: Expression<unknown> | string[]) => sql<{ platform: string; accountId: string }>`(
  select first.* from unnest(${platforms}::text[]) as network(platform), lateral (
    select platform, account_id from post_targets
    where parked and platform = network.platform
    order by account_id limit 1) as first
  union all
  select next.* from backlogged, lateral (
    select platform, account_id from post_targets
    where parked and platform = backlogged.platform and account_id > backlogged.account_id
    order by account_id limit 1) as next)`

/** The files of a post, in order. */
const filesOf = (eb: ExpressionBuilder<DB & { target: { userId: string; postId: string } }, 'target'>) =>
  eb
    .selectFrom('postMedia')
    .innerJoin('media', (join) =>
      join.onRef('media.userId', '=', 'postMedia.userId').onRef('media.id', '=', 'postMedia.mediaId'),
    )
    .select(
      sql<StoredFile[]>`coalesce(json_agg(json_build_object('id', media.id, 'kind', media.kind,
        'mimeType', media.mime_type, 'bytes', media.bytes, 'width', media.width, 'height', media.height,
        'durationSeconds', media.duration_seconds, 'altText', media.alt_text, 'storageKey', media.storage_key)
        order by post_media.position), '[]')`.as('files'),
    )
    .whereRef('postMedia.userId', '=', 'target.userId')
    .whereRef('postMedia.postId', '=', 'target.postId')

interface Candidate {
  /** Where the row is. */
  place: string
  platform: string
  accountId: string
  claimableAt: Date
  cutOffForMs: number | null
}

const candidateColumns = (now: Now) => sql`
  candidate.ctid as place, candidate.platform, candidate.account_id, candidate.claimable_at,
  case when candidate.state = 'publishing' then ${msSince(now, 'candidate.claimableAt')} end as cut_off_for_ms`

/**
 * Takes what is due, or whose worker has let its lease run out: of each network as many as there are `slots`, and of each
 * account the earliest one, if nothing else of it is under way. Nobody else gets these before their leases end.
 *
 * The rows of the accounts are locked and changed as well: a worker that saw an account free, and waits for its row, looks
 * again when it gets it. Without the change, two workers could each take another delivery of one account.
 */
export const claimDeliveries = prepared<{ platforms: string[]; slots: number[]; now: Now }, ClaimedDelivery>(
  'claim_deliveries',
  (db, value) =>
    db
      .withRecursive('backlogged(platform, accountId)', () => backlogged(value('platforms')))
      .with(
        'network',
        () => sql<{ platform: string; slots: number }>`(
          select * from unnest(${value('platforms')}::text[], ${value('slots')}::integer[]) as network(platform, slots))`,
      )
      // The account is looked up with a limit, so that Postgres goes by its id.
      .with(
        'head',
        () => sql<{ place: string; accountId: string }>`(
          select head.* from network, lateral (
            select earliest.place, backlogged.account_id
            from backlogged,
              lateral (
                select id from accounts where id = backlogged.account_id and ${isAvailable(value('now'))} limit 1
              ) as free,
              lateral (${earliestOf('free.id', value('now'))}) as earliest
            where backlogged.platform = network.platform and earliest.parked
            order by earliest.claimable_at
            limit network.slots) as head)`,
      )
      // The `case` is one from which Postgres expects neither one row nor all, but to be done soon; and it is of the account's
      // own id, so that nothing is looked for where the account is not free: of ten thousand on one account, 3 ms rather than
      // 50. The limit before the slots' is known beforehand: without it, Postgres would read all that is due and sort it.
      .with(
        'claimable',
        () => sql<Candidate>`(
          select parked.* from (
            select ${candidateColumns(value('now'))}
            from post_targets as candidate
            where ctid = any(array(select place from head)) and claimable_at <= ${at(value('now'))}
            for no key update skip locked) as parked
          join (
            select id from accounts
            where id = any(array(select account_id from head)) and ${isAvailable(value('now'))}
            for no key update skip locked) as free on free.id = parked.account_id
          union all
          select fresh.* from network, lateral (
            select * from (
              select ${candidateColumns(value('now'))}
              from post_targets as candidate
              join accounts on accounts.id = candidate.account_id
              where candidate.platform = network.platform
                and not candidate.parked
                and candidate.claimable_at <= ${at(value('now'))}
                and ${isAvailable(value('now'))}
                and case when candidate.post_id =
                    (select post_id from (${earliestOf('accounts.id', value('now'))}) as earliest)
                  then true else false end
              order by candidate.claimable_at
              limit ${sql.lit(CLAIM_MAX)}
              for no key update of candidate, accounts skip locked) as candidates
            limit network.slots) as fresh)`,
      )
      .with(
        'due',
        () => sql<Candidate>`(
          select turns.* from network, lateral (
            select * from claimable where claimable.platform = network.platform
            order by claimable_at limit network.slots) as turns)`,
      )
      .with('target', (db) =>
        db
          .updateTable('postTargets')
          .set((eb) => ({
            state: 'publishing',
            parked: false,
            leaseToken: sql<string>`gen_random_uuid()`,
            claimableAt: after(value('now'), LEASE_MS),
            startedAt: eb.fn.coalesce('postTargets.startedAt', at(value('now'))),
          }))
          // By where the rows are, which are locked, and as an array: not knowing that the limits above are small, Postgres
          // would read all deliveries there ever were, and all accounts, rather than look up a few of them.
          .where(sql<SqlBool>`ctid = any(array(select place from due))`)
          .returning([
            'postTargets.userId',
            'postTargets.postId',
            'postTargets.accountId',
            'postTargets.platform',
            'postTargets.leaseToken',
            'postTargets.token',
            'postTargets.failures',
            'postTargets.error',
            'postTargets.intent',
            'postTargets.sent',
            'postTargets.startedAt',
            'postTargets.dueAt',
            'postTargets.captionOverride',
            'postTargets.fields',
            'postTargets.threadParts',
          ]),
      )
      .with('held', (db) =>
        db
          .updateTable('accounts')
          .from('target')
          .set({ availableAt: after(value('now'), LEASE_MS) })
          .whereRef('accounts.id', '=', 'target.accountId'),
      )
      .selectFrom('target')
      .innerJoin('due', 'due.accountId', 'target.accountId')
      .innerJoin('posts', (join) =>
        join.onRef('posts.userId', '=', 'target.userId').onRef('posts.id', '=', 'target.postId'),
      )
      .innerJoin('accounts', 'accounts.id', 'target.accountId')
      .leftJoin('accountCredentials', 'accountCredentials.accountId', 'target.accountId')
      .select((eb) => [
        'target.userId',
        'target.postId',
        'target.accountId',
        'target.platform',
        'target.leaseToken',
        'target.token',
        'target.failures',
        'target.error',
        'target.intent',
        'due.cutOffForMs',
        'target.sent',
        'target.startedAt',
        msSince(value('now'), 'target.dueAt').as('lateMs'),
        'target.captionOverride',
        'target.fields',
        'target.threadParts',
        'posts.caption',
        'posts.firstComment',
        'posts.postType',
        reachableBy(eb.ref('target.userId'))(eb as never).as('reachable'),
        filesOf(eb as never).as('media'),
        'accountCredentials.keyId',
        'accountCredentials.dataKey',
        'accountCredentials.data',
      ])
      .$castTo<ClaimedDelivery>(),
)

/** How long until something more is due, in milliseconds; null where nothing is. */
export const readNextDue = prepared<{ platforms: string[]; now: Now }, { inMs: number | null }>(
  'read_next_due',
  (db, value) =>
    db
      .selectFrom(
        sql<{ platform: string }>`unnest(${value('platforms')}::text[])`.as<'network'>(sql`network(platform)`),
      )
      .innerJoinLateral(
        (eb) =>
          eb
            .selectFrom('postTargets')
            .select('postTargets.claimableAt')
            .whereRef('postTargets.platform', '=', 'network.platform')
            .where('postTargets.claimableAt', '>', at(value('now')))
            // So it is, and the index that has it knows.
            .where('postTargets.parked', '=', sql.lit(false))
            .orderBy('postTargets.claimableAt')
            .limit(1)
            .as('next'),
        (join) => join.onTrue(),
      )
      .select(
        sql<number | null>`(extract(epoch from min(claimable_at) - ${at(value('now'))}) * 1000)::float8`.as('inMs'),
      ),
)

/**
 * Parks what has been due for a while and cannot be sent before others of its account are: it is under way, or rests, or has
 * something earlier to send. Not what a worker may still hold, which would end as parked, and be taken for due. Of each
 * network a good many at a time; gives how many there were. What claiming passes by each time is then the accounts that have something parked, and no longer their deliveries: of 20,000 on an account that rests,
 * 1 ms rather than 50.
 */
export const parkDeliveries = prepared<{ platforms: string[]; now: Now }, { count: number }>(
  'park_deliveries',
  (db, value) =>
    db
      .with(
        'behind',
        () => sql<{ place: string }>`(
          select behind.place from unnest(${value('platforms')}::text[]) as network(platform), lateral (
            select candidate.ctid as place
            from post_targets as candidate
            join accounts on accounts.id = candidate.account_id
            where candidate.platform = network.platform
              and candidate.state = 'queued'
              and not candidate.parked
              and candidate.claimable_at <= ${after(value('now'), -PARK_AFTER_MS)}
              and case when ${isAvailable(value('now'))} then candidate.post_id <>
                  (select post_id from (${earliestOf('accounts.id', value('now'))}) as earliest)
                else true end
            order by candidate.claimable_at
            limit ${sql.lit(PARK_MAX)}
            for no key update of candidate skip locked) as behind)`,
      )
      .with('parked', (db) =>
        db
          .updateTable('postTargets')
          .set({ parked: true })
          .where(sql<SqlBool>`ctid = any(array(select place from behind))`)
          .returning('accountId'),
      )
      .selectFrom('parked')
      .select(sql<number>`count(*)`.as('count')),
)

/** As far as what is due is counted: with more of it, nobody cares how much, and counting takes longer than a reader waits. */
export const COUNT_MAX = 100_000

/** How much is due and not under way, or COUNT_MAX where it is more. */
export const countDue = prepared<{ now: Now }, { count: number }>('count_due', (db, value) =>
  db
    .selectFrom(
      sql<object>`(
        (select from post_targets where parked limit ${sql.lit(COUNT_MAX)})
        union all
        (select from post_targets where not parked and claimable_at <= ${at(value('now'))} limit ${sql.lit(COUNT_MAX)})
        limit ${sql.lit(COUNT_MAX)})`.as('due'),
    )
    .select(sql<number>`count(*)`.as('count')),
)

/**
 * For how long what could be sent has waited for a worker, and whether any worker holds a delivery, which those that live
 * do while there is something to do.
 */
export const readWaiting = prepared<{ platforms: string[]; now: Now }, { waitingMs: number; held: boolean }>(
  'read_waiting',
  (db, value) =>
    db
      .withRecursive('backlogged(platform, accountId)', () => backlogged(value('platforms')))
      .with(
        'waiting',
        () => sql<{ since: Date }>`(
        select greatest(claimable_at, accounts.available_at) as since
        from post_targets join accounts on accounts.id = account_id
        where not parked and claimable_at <= ${at(value('now'))} and ${isAvailable(value('now'))}
        union all
        select greatest(earliest.claimable_at, free.available_at)
        from backlogged,
          lateral (
            select id, available_at from accounts
            where id = backlogged.account_id and ${isAvailable(value('now'))} limit 1
          ) as free,
          lateral (${earliestOf('free.id', value('now'))}) as earliest)`,
      )
      .selectNoFrom((eb) => [
        sql<number>`coalesce(extract(epoch from ${at(value('now'))} - (select min(since) from waiting)) * 1000, 0)::float8`.as(
          'waitingMs',
        ),
        eb
          .exists(
            eb
              .selectFrom('postTargets as held')
              .select('held.postId')
              .where('held.platform', '=', sql<string>`any(${value('platforms')}::text[])`)
              .where('held.parked', '=', sql.lit(false))
              .where('held.claimableAt', '>', at(value('now')))
              .where('held.claimableAt', '<=', after(value('now'), LEASE_MS))
              .where('held.state', '=', 'publishing'),
          )
          .$castTo<boolean>()
          .as('held'),
      ]),
)

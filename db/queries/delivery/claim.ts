import { randomUUID } from 'node:crypto'
import { type Expression, type ExpressionBuilder, type RawBuilder, type SqlBool, sql } from 'kysely'
import type { DeliveryError } from '../../../schemas/delivery.ts'
import type { Media } from '../../../schemas/media.ts'
import type { PlatformId, PostType } from '../../../schemas/platform.ts'
import type { Db } from '../../client.ts'
import { prepared } from '../../prepared.ts'
import type { DB } from '../../types.ts'
import { reachableBy } from '../accounts.ts'
import { after, at, msSince, type Now } from '../clock.ts'
import { type DeliveryKey, LEASE_MS, type SentAct } from './settle.ts'

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

/** How much of what is due on a network one claim looks at: more than any network lets be under way at a time. */
const WINDOW = 300
/** How many accounts of a network that have something parked it looks at, from a place of chance on, and from the beginning. */
const BACKLOGGED_MAX = 250

/**
 * Of an expression, Postgres has no statistics: from those of the column, made while most accounts were held or resting, it
 * would take it that hardly any is free, and begin with all accounts rather than with what is due.
 */
const isAvailable = (now: Now) => sql<boolean>`coalesce(accounts.available_at, '-infinity') <= ${at(now)}`

/** What goes out first of all that is due on an account. */
const earliestOf = (accountId: string, now: Now) => sql`
  select claimable_at, ctid as place from post_targets
  where account_id = ${sql.ref(accountId)} and claimable_at <= ${at(now)}
  order by due_at, post_id limit 1`

/** An account, if it is free. With a limit, so that Postgres goes by its id. */
const freeAccount = (accountId: string, now: Now) => sql`
  select id, available_at from accounts where id = ${sql.ref(accountId)} and ${isAvailable(now)} limit 1`

/**
 * The accounts of these networks that have something parked, each found in the index behind the one before it, as the
 * recursive `name(platform, account_id, rank)`. `where` says which of them, `rankMax` how many.
 */
const backlogged = (
  name: string,
  platforms: Expression<unknown> | string[],
  where: RawBuilder<unknown> = sql`true`,
  rankMax: RawBuilder<unknown> = sql`null`,
) => sql<{ platform: string; accountId: string; rank: number }>`(
  select first.*, 1 as rank from unnest(${platforms}::text[]) as network(platform), lateral (
    select platform, account_id from post_targets
    where parked and platform = network.platform and ${where}
    order by account_id limit 1) as first
  union all
  select next.*, before.rank + 1 from ${sql.ref(name)} as before, lateral (
    select platform, account_id from post_targets
    where parked and platform = before.platform and account_id > before.account_id and ${where}
    order by account_id limit 1) as next
  where before.rank < coalesce(${rankMax}, before.rank + 1))`

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

/**
 * Takes what is due, or whose worker has let its lease run out: of each network as many as there are `slots`, and of each
 * account the earliest one, if nothing else of it is under way. Nobody else gets these before their leases end.
 *
 * It looks at the first of what is due, in the order of its time, and parks what cannot be sent before others of its
 * account are: that is under way, or rests, or has something earlier to send. From then on that is found by way of its
 * account, so that what it takes to claim does not grow with what waits: of 20,000 on an account that rests, 1 ms rather
 * than 50. Of each account everything is looked up once, so that no plan that Postgres may make costs more than that often.
 *
 * The rows of the accounts are locked and changed as well: a worker that saw an account free, and waits for its row, looks
 * again when it gets it. Without the change, two workers could each take another delivery of one account.
 */
const claim = prepared<
  { platforms: string[]; slots: number[]; now: Now; from: string },
  ClaimedDelivery & { parked: number }
>('claim_deliveries', (db, value) =>
  db
    // From anywhere on, and then from the beginning: everybody has a turn, and it takes as long with a thousand of them.
    .withRecursive('above(platform, accountId, rank)', () =>
      backlogged('above', value('platforms'), sql`account_id >= ${value('from')}::uuid`, sql.lit(BACKLOGGED_MAX)),
    )
    .withRecursive('below(platform, accountId, rank)', () =>
      backlogged('below', value('platforms'), sql`account_id < ${value('from')}::uuid`, sql.lit(BACKLOGGED_MAX)),
    )
    .with(
      'network',
      () => sql<{ platform: string; slots: number }>`(
          select * from unnest(${value('platforms')}::text[], ${value('slots')}::integer[]) as network(platform, slots))`,
    )
    .with(
      'fresh',
      () => sql<{ place: string; platform: string; accountId: string }>`(
          select fresh.* from network, lateral (
            select ctid as place, platform, account_id from post_targets
            where platform = network.platform and not parked and claimable_at <= ${at(value('now'))}
            order by claimable_at limit ${sql.lit(WINDOW)}) as fresh)`,
    )
    .with(
      'head',
      () => sql<{ platform: string; accountId: string; place: string; claimableAt: Date }>`(
          select account.platform, account.account_id, earliest.place, earliest.claimable_at
          from (select platform, account_id from fresh union select platform, account_id from above
              union select platform, account_id from below) as account,
            lateral (${freeAccount('account.account_id', value('now'))}) as free,
            lateral (${earliestOf('free.id', value('now'))}) as earliest)`,
    )
    // Accounts first: workers that look at the same moment share them, since what one has locked, another passes by.
    .with(
      'free',
      () => sql<{ accountId: string }>`(
          select free.id as account_id from network, lateral (
            select accounts.id from head join accounts on accounts.id = head.account_id
            where head.platform = network.platform and ${isAvailable(value('now'))}
            order by head.claimable_at
            limit network.slots
            for no key update of accounts skip locked) as free)`,
    )
    .with(
      'due',
      () => sql<{ place: string; cutOffForMs: number | null }>`(
          select ctid as place,
            case when state = 'publishing' then ${msSince(value('now'), 'claimableAt')} end as cut_off_for_ms
          from post_targets
          where ctid = any(array(select head.place from head join free on free.account_id = head.account_id))
            and claimable_at <= ${at(value('now'))}
          for no key update skip locked)`,
    )
    // Not what a worker may still hold, which would end as parked, and be taken for due.
    .with(
      'behind',
      () => sql<{ place: string }>`(
          select ctid as place from post_targets
          where ctid = any(array(select place from fresh except select place from head))
            and state = 'queued' and claimable_at <= ${at(value('now'))}
          for no key update skip locked)`,
    )
    .with('parked', (db) =>
      db
        .updateTable('postTargets')
        .from('behind')
        .set({ parked: true })
        .where(sql<SqlBool>`post_targets.ctid = behind.place`)
        .returning('accountId'),
    )
    .with('target', (db) =>
      db
        .updateTable('postTargets')
        .from('due')
        .set((eb) => ({
          state: 'publishing',
          parked: false,
          leaseToken: sql<string>`gen_random_uuid()`,
          claimableAt: after(value('now'), LEASE_MS),
          startedAt: eb.fn.coalesce('postTargets.startedAt', at(value('now'))),
        }))
        // By where the rows are, which are locked: there is no faster way to them.
        .where(sql<SqlBool>`post_targets.ctid = due.place`)
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
          'due.cutOffForMs',
        ]),
    )
    .with('busy', (db) =>
      db
        .updateTable('accounts')
        .from('target')
        .set({ availableAt: after(value('now'), LEASE_MS) })
        .whereRef('accounts.id', '=', 'target.accountId'),
    )
    // A row at least, for what was parked.
    .selectFrom(sql<{ count: number }>`(select count(*)::int as count from parked)`.as('parking'))
    .leftJoin('target', (join) => join.onTrue())
    .leftJoin('posts', (join) =>
      join.onRef('posts.userId', '=', 'target.userId').onRef('posts.id', '=', 'target.postId'),
    )
    .leftJoin('accounts', 'accounts.id', 'target.accountId')
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
      'target.cutOffForMs',
      'target.sent',
      'target.startedAt',
      msSince(value('now'), 'target.dueAt').as('lateMs'),
      'target.captionOverride',
      'target.fields',
      'target.threadParts',
      'posts.caption',
      'posts.firstComment',
      'posts.postType',
      reachableBy(sql.ref<string>('target.userId'))(eb as never).as('reachable'),
      filesOf(eb as never).as('media'),
      'accountCredentials.keyId',
      'accountCredentials.dataKey',
      'accountCredentials.data',
      'parking.count as parked',
    ])
    .$castTo<ClaimedDelivery & { parked: number }>(),
)

/** What is claimed. Where nothing could be, but something was parked, there may be more behind that. */
export async function claimDeliveries(
  db: Db,
  values: { platforms: string[]; slots: number[]; now: Now },
): Promise<ClaimedDelivery[]> {
  for (;;) {
    const rows = await claim(db, { ...values, from: randomUUID() })
    const claimed = rows.filter(({ leaseToken }) => leaseToken !== null).map(({ parked, ...delivery }) => delivery)
    if (claimed.length > 0 || rows[0]!.parked === 0) return claimed
  }
}

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
      .withRecursive('backlogged(platform, accountId, rank)', () => backlogged('backlogged', value('platforms')))
      .with(
        'waiting',
        () => sql<{ since: Date }>`(
        select greatest(claimable_at, accounts.available_at) as since
        from post_targets join accounts on accounts.id = account_id
        where not parked and claimable_at <= ${at(value('now'))} and ${isAvailable(value('now'))}
        union all
        select greatest(earliest.claimable_at, free.available_at)
        from backlogged,
          lateral (${freeAccount('backlogged.accountId', value('now'))}) as free,
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

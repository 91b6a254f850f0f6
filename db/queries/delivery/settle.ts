import { type SqlBool, sql } from 'kysely'
import type { DeliveryError, DeliveryState } from '../../../schemas/delivery.ts'
import { batched, each, type WithOrdinal } from '../../batch.ts'
import type { Db } from '../../client.ts'
import { prepared } from '../../prepared.ts'
import { reachableBy } from '../accounts.ts'
import { after, at, type Now } from '../clock.ts'

export interface DeliveryKey {
  userId: string
  postId: string
  accountId: string
}

/** What exists on the network, act by act. An `id` of null is one that nobody knows: its owner said that it is there. */
export interface SentAct {
  id: string | null
  url: string | null
  ref?: string
}

/** How long a claimed delivery belongs to its worker without being renewed. */
export const LEASE_MS = 20_000
/** How much of it is left to a call at least. */
export const CALL_LEASE_MS = 15_000

const sameTarget = (a: string, b: string) =>
  sql<SqlBool>`(${sql.ref(`${a}.userId`)}, ${sql.ref(`${a}.postId`)}, ${sql.ref(`${a}.accountId`)}) =
    (${sql.ref(`${b}.userId`)}, ${sql.ref(`${b}.postId`)}, ${sql.ref(`${b}.accountId`)})`

const keysOf = (held: readonly (DeliveryKey & { leaseToken: string })[]) => ({
  userIds: each(held, 'userId'),
  postIds: each(held, 'postId'),
  accountIds: each(held, 'accountId'),
  leaseTokens: each(held, 'leaseToken'),
})

/** Renews leases. Gives the tokens of those that are still held. */
export const renewLeases = prepared<
  { userIds: string[]; postIds: string[]; accountIds: string[]; leaseTokens: string[]; now: Now },
  { leaseToken: string }
>('renew_leases', (db, value) =>
  db
    .with('mine', (db) =>
      db
        .selectFrom(
          sql<DeliveryKey & { leaseToken: string }>`
            unnest(${value('userIds')}::uuid[], ${value('postIds')}::uuid[], ${value('accountIds')}::uuid[],
              ${value('leaseTokens')}::uuid[])`.as<'lease'>(sql`lease(user_id, post_id, account_id, lease_token)`),
        )
        .innerJoin('postTargets', (join) => join.on(sameTarget('postTargets', 'lease')))
        .select(['postTargets.userId', 'postTargets.postId', 'postTargets.accountId'])
        .whereRef('postTargets.leaseToken', '=', 'lease.leaseToken')
        .orderBy('postTargets.userId')
        .orderBy('postTargets.postId')
        .orderBy('postTargets.accountId')
        .forNoKeyUpdate('postTargets'),
    )
    .with('renewed', (db) =>
      db
        .updateTable('postTargets')
        .from('mine')
        .set({ claimableAt: after(value('now'), LEASE_MS) })
        .where(sameTarget('postTargets', 'mine'))
        .returning(['postTargets.accountId', 'postTargets.leaseToken', 'postTargets.claimableAt']),
    )
    .with('held', (db) =>
      db
        .updateTable('accounts')
        .from('renewed')
        .set((eb) => ({ availableAt: eb.ref('renewed.claimableAt') }))
        .whereRef('accounts.id', '=', 'renewed.accountId'),
    )
    .selectFrom('renewed')
    .select((eb) => eb.ref('leaseToken').$castTo<string>().as('leaseToken')),
)

/** An act whose call is about to be made. */
export interface Intent extends DeliveryKey {
  leaseToken: string
  act: number
  /** How long ago the attempt began, with uploads and the like. */
  startedMsAgo: number
  now: Now
}

const intend = prepared<
  {
    userIds: string[]
    postIds: string[]
    accountIds: string[]
    leaseTokens: string[]
    acts: number[]
    startedMsAgos: number[]
    nows: Now[]
  },
  WithOrdinal & { accountId: string }
>('intend_acts', (db, value) =>
  db
    .with('act', (db) =>
      db
        .selectFrom(
          sql<Intent & WithOrdinal>`
            unnest(${value('userIds')}::uuid[], ${value('postIds')}::uuid[], ${value('accountIds')}::uuid[],
              ${value('leaseTokens')}::uuid[], ${value('acts')}::integer[], ${value('startedMsAgos')}::float8[],
              ${value('nows')}::timestamptz[]) with ordinality`.as<'act'>(
            sql`act(user_id, post_id, account_id, lease_token, act, started_ms_ago, now, ordinal)`,
          ),
        )
        .selectAll(),
    )
    .with('mine', (db) =>
      db
        .selectFrom('act')
        .innerJoin('postTargets', (join) => join.on(sameTarget('postTargets', 'act')))
        .select([
          'act.userId',
          'act.postId',
          'act.accountId',
          'act.act',
          'act.ordinal',
          after(sql.ref('act.now'), sql`-act.started_ms_ago`).as('startedAt'),
          at(sql.ref('act.now')).as('now'),
          // Mostly it is long enough, and then no index changes, nor the account.
          sql<boolean>`post_targets.claimable_at < ${after(sql.ref('act.now'), CALL_LEASE_MS)}`.as('isShort'),
        ])
        .whereRef('postTargets.leaseToken', '=', 'act.leaseToken')
        .where((eb) =>
          eb.exists(
            eb
              .selectFrom('accounts')
              .select('id')
              .whereRef('id', '=', 'act.accountId')
              .where(reachableBy(eb.ref('act.userId'))),
          ),
        )
        .orderBy('postTargets.userId')
        .orderBy('postTargets.postId')
        .orderBy('postTargets.accountId')
        .forNoKeyUpdate('postTargets'),
    )
    .with('target', (db) =>
      db
        .updateTable('postTargets')
        .from('mine')
        .set((eb) => ({
          intent: eb.ref('mine.act'),
          intendedAt: eb.ref('mine.now'),
          claimableAt: sql<Date>`case when mine.is_short then ${after(sql.ref('mine.now'), LEASE_MS)}
            else claimable_at end`,
          attempts: eb('attempts', '+', 1),
        }))
        .where(sameTarget('postTargets', 'mine'))
        .returning([
          'postTargets.userId',
          'postTargets.postId',
          'postTargets.accountId',
          'postTargets.attempts',
          'postTargets.claimableAt',
          'mine.act',
          'mine.startedAt',
          'mine.now',
          'mine.isShort',
          'mine.ordinal',
        ]),
    )
    .with('held', (db) =>
      db
        .updateTable('accounts')
        .from('target')
        .set((eb) => ({ availableAt: eb.ref('target.claimableAt') }))
        .whereRef('accounts.id', '=', 'target.accountId')
        .where('target.isShort', '=', true),
    )
    .with('entry', (db) =>
      db
        .insertInto('deliveryAttempts')
        .columns(['userId', 'postId', 'accountId', 'number', 'act', 'startedAt', 'intendedAt'])
        .expression((eb) =>
          eb.selectFrom('target').select(['userId', 'postId', 'accountId', 'attempts', 'act', 'startedAt', 'now']),
        ),
    )
    .selectFrom('target')
    .select(['ordinal', 'accountId']),
)

const intendBatched = batched((db, acts: Intent[]) =>
  intend(db, {
    ...keysOf(acts),
    acts: each(acts, 'act'),
    startedMsAgos: each(acts, 'startedMsAgo'),
    nows: each(acts, 'now'),
  }),
)

/**
 * Commits that the call of an act is about to be made, as an attempt in the ledger, and sees that enough of the lease is
 * left for it. Gives false where somebody else holds the delivery by now, or its owner may not post to the account any
 * more: then the call must not be made.
 */
export const intendAct = async (db: Db, act: Intent): Promise<boolean> => (await intendBatched(db, act)) !== undefined

/** What came of an act, or of a delivery. */
export interface Settlement {
  /** `publishing`: the same worker goes on with it. */
  state: Exclude<DeliveryState, 'waiting'>
  /** What exists now: none or one. */
  sent: SentAct[]
  /** How many there were: a settlement counts once, even where it is sent twice. */
  sentBefore: number
  /** The call may have been carried out: nobody knows. */
  mayBeOut: boolean
  failures: number
  error: DeliveryError | null
  /** For the ledger: of the attempt that was begun by `intendAct`, or else of one that did not get that far. */
  outcome: 'published' | 'failed' | 'unknown' | 'found' | 'absent' | null
  act: number
  /** How long ago the attempt began. */
  startedMsAgo: number
  /** When it is tried again; null where it is not. */
  retryInMs: number | null
  /** How long the account is left alone. */
  accountRestsMs: number
  /** Why the account needs its owner. */
  attention: { code: string; message: string } | null
}

interface SettlementRow extends Omit<Settlement, 'sent' | 'error' | 'attention'>, DeliveryKey, WithOrdinal {
  leaseToken: string
  now: Now
  /** JSON. */
  sent: string
  error: string | null
  attention: string | null
}

const settle = prepared<
  {
    userIds: string[]
    postIds: string[]
    accountIds: string[]
    leaseTokens: string[]
    nows: Now[]
    states: string[]
    sents: string[]
    sentBefores: number[]
    mayBeOuts: boolean[]
    failures: number[]
    errors: (string | null)[]
    outcomes: (string | null)[]
    acts: number[]
    startedMsAgos: number[]
    retryInMss: (number | null)[]
    accountRestsMss: number[]
    attentions: (string | null)[]
  },
  WithOrdinal
>('settle_acts', (db, value) =>
  db
    .with('act', (db) =>
      db
        .selectFrom(
          sql<SettlementRow>`
            unnest(${value('userIds')}::uuid[], ${value('postIds')}::uuid[], ${value('accountIds')}::uuid[],
              ${value('leaseTokens')}::uuid[], ${value('nows')}::timestamptz[], ${value('states')}::text[],
              ${value('sents')}::jsonb[], ${value('sentBefores')}::integer[], ${value('mayBeOuts')}::boolean[],
              ${value('failures')}::integer[], ${value('errors')}::jsonb[], ${value('outcomes')}::text[],
              ${value('acts')}::integer[], ${value('startedMsAgos')}::float8[], ${value('retryInMss')}::float8[],
              ${value('accountRestsMss')}::float8[], ${value('attentions')}::jsonb[]) with ordinality`.as<'act'>(
            sql`act(user_id, post_id, account_id, lease_token, now, state, sent, sent_before, may_be_out, failures, error,
              outcome, act, started_ms_ago, retry_in_ms, account_rests_ms, attention, ordinal)`,
          ),
        )
        .selectAll(),
    )
    .with('before', (db) =>
      db
        .selectFrom('act')
        .innerJoin('postTargets', (join) => join.on(sameTarget('postTargets', 'act')))
        .selectAll('act')
        .select([
          'postTargets.intent as intended',
          'postTargets.intendedAt',
          'postTargets.attempts',
          at(sql.ref('act.now')).as('at'),
        ])
        .whereRef('postTargets.leaseToken', '=', 'act.leaseToken')
        .where(sql<SqlBool>`jsonb_array_length(post_targets.sent) = act.sent_before`)
        .orderBy('postTargets.userId')
        .orderBy('postTargets.postId')
        .orderBy('postTargets.accountId')
        .forNoKeyUpdate('postTargets'),
    )
    .with('target', (db) =>
      db
        .updateTable('postTargets')
        .from('before')
        .set((eb) => ({
          state: eb.ref('before.state'),
          sent: sql`post_targets.sent || before.sent`,
          failures: eb.ref('before.failures'),
          error: eb.ref('before.error'),
          intent: sql<number>`case when before.may_be_out then before.intended end`,
          intendedAt: sql<Date>`case when before.may_be_out then before.intended_at end`,
          attempts: sql<number>`before.attempts +
            case when before.intended is null and before.outcome = 'failed' then 1 else 0 end`,
          leaseToken: sql<string>`case when before.state = 'publishing' then before.lease_token end`,
          claimableAt: sql<Date>`case when before.state = 'publishing' then claimable_at
            else ${after(sql.ref('before.at'), sql.ref('before.retryInMs'))} end`,
          publishedAt: sql<Date>`case when published_at is not null then published_at
            when before.sent = '[]' then null
            when before.outcome = 'found' then before.intended_at
            else before.at end`,
        }))
        .where(sameTarget('postTargets', 'before'))
        .returning(['before.ordinal', 'before.accountId']),
    )
    // Of an attempt that `intendAct` has begun there is an entry. Not by an update: it would not find one that was committed
    // after this statement began, by an intent whose answer was lost.
    .with('entry', (db) =>
      db
        .insertInto('deliveryAttempts')
        .columns(['userId', 'postId', 'accountId', 'number', 'act', 'startedAt', 'finishedAt', 'outcome', 'error'])
        .expression((eb) =>
          eb
            .selectFrom('before')
            .select([
              'before.userId',
              'before.postId',
              'before.accountId',
              sql<number>`before.attempts + case when before.intended is null then 1 else 0 end`.as('number'),
              'before.act',
              after(sql.ref('before.at'), sql`-before.started_ms_ago`).as('startedAt'),
              'before.at',
              'before.outcome',
              'before.error',
            ])
            .where((eb) =>
              eb.or([
                eb('before.outcome', '=', 'failed'),
                eb.and([eb('before.intended', 'is not', null), eb('before.outcome', 'is not', null)]),
              ]),
            ),
        )
        .onConflict((conflict) =>
          conflict.columns(['userId', 'postId', 'accountId', 'number']).doUpdateSet((eb) => ({
            outcome: eb.ref('excluded.outcome'),
            // What asking finds out about an attempt that is over changes neither when that was, nor what went wrong then.
            error: sql`case when delivery_attempts.finished_at is null then excluded.error else delivery_attempts.error end`,
            finishedAt: eb.fn.coalesce('deliveryAttempts.finishedAt', 'excluded.finishedAt'),
          })),
        ),
    )
    .with('account', (db) =>
      db
        .updateTable('accounts')
        .from('before')
        .set({
          // Not null: whoever waits for the account waits from here on for a worker.
          availableAt: sql<Date>`case when before.state = 'publishing' then available_at
            else ${after(sql.ref('before.at'), sql.ref('before.accountRestsMs'))} end`,
          attention: sql`case when before.attention is not null
              then before.attention || jsonb_build_object('since',
                coalesce(accounts.attention ->> 'since',
                  to_char(before.at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')))
            when before.sent = '[]' then accounts.attention end`,
        })
        .whereRef('accounts.id', '=', 'before.accountId'),
    )
    // Two workers may come to the same posts.
    .with('published', (db) =>
      db
        .selectFrom('posts')
        .select(['userId', 'id', 'status'])
        .where(
          sql<SqlBool>`(user_id, id) in (
            select before.user_id, before.post_id from before where before.may_be_out or before.sent <> '[]')`,
        )
        // Whatever its status is said to be here: who is just making it scheduled again holds it, and knows nothing of this.
        // The deliveries are changed, and so locked, before their posts are.
        .where(sql<SqlBool>`(select count(*) from target) > 0`)
        .orderBy('userId')
        .orderBy('id')
        .forNoKeyUpdate(),
    )
    .with('post', (db) =>
      db
        .updateTable('posts')
        .from('published')
        .set({ status: 'published', updatedAt: sql<Date>`(select max(before.at) from before)` })
        .whereRef('posts.userId', '=', 'published.userId')
        .whereRef('posts.id', '=', 'published.id')
        // As it was when it was locked; that of `posts` may be older.
        .where('published.status', '!=', 'published'),
    )
    .selectFrom('target')
    .select('ordinal'),
)

const settleBatched = batched((db, acts: Omit<SettlementRow, 'ordinal'>[]) =>
  settle(db, {
    ...keysOf(acts),
    nows: each(acts, 'now'),
    states: each(acts, 'state'),
    sents: each(acts, 'sent'),
    sentBefores: each(acts, 'sentBefore'),
    mayBeOuts: each(acts, 'mayBeOut'),
    failures: each(acts, 'failures'),
    errors: each(acts, 'error'),
    outcomes: each(acts, 'outcome'),
    acts: each(acts, 'act'),
    startedMsAgos: each(acts, 'startedMsAgo'),
    retryInMss: each(acts, 'retryInMs'),
    accountRestsMss: each(acts, 'accountRestsMs'),
    attentions: each(acts, 'attention'),
  }),
)

/**
 * Commits what came of an act, by whoever holds the lease: the act's id, the ledger, the status of the post, and the
 * account's freedom in one statement. Gives false where somebody else holds the delivery by now.
 *
 * A post is published from the moment that anything of it is, or may be, out.
 */
export async function settleAct(
  db: Db,
  lease: DeliveryKey & { leaseToken: string; now: Now },
  settlement: Settlement,
): Promise<boolean> {
  const { sent, error, attention, ...rest } = settlement
  const { userId, postId, accountId, leaseToken, now } = lease
  const row = await settleBatched(db, {
    ...{ userId, postId, accountId, leaseToken, now },
    ...rest,
    sent: JSON.stringify(sent),
    error: error && JSON.stringify(error),
    attention: attention && JSON.stringify(attention),
  })
  return row !== undefined
}

/** The same where nothing is out after all, though the post was taken for published. */
export const settleAsNotOut = (...[db, lease, settlement]: Parameters<typeof settleAct>): Promise<boolean> =>
  db.transaction().execute(async (db) => {
    const isHeld = await settleAct(db, lease, settlement)
    if (isHeld) await takeBack(db, lease)
    return isHeld
  })

/**
 * Makes a published post scheduled again if nothing of it is, or may be, out. In a transaction that has changed one of
 * its deliveries, since everybody locks deliveries before their post.
 */
export async function takeBack(db: Db, { userId, postId }: Pick<DeliveryKey, 'userId' | 'postId'>): Promise<void> {
  // Whoever makes something of it known holds this row, or waits for it and sees what is done here.
  await db.selectFrom('posts').select('id').where('userId', '=', userId).where('id', '=', postId).forUpdate().execute()
  await db
    .updateTable('posts')
    .set({ status: 'scheduled', updatedAt: sql<Date>`now()` })
    .where('userId', '=', userId)
    .where('id', '=', postId)
    .where('status', '=', 'published')
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('postTargets')
            .select('accountId')
            .where('userId', '=', userId)
            .where('postId', '=', postId)
            .where((eb) =>
              eb.or([
                eb('state', '=', 'published'),
                eb('intent', 'is not', null),
                eb('sent', '!=', sql<string>`'[]'::jsonb`),
              ]),
            ),
        ),
      ),
    )
    .execute()
}

/** Whether another delivery to the account, of those whose calls were made since then, is known to have sent this id. */
export const isSentByAnother = prepared<
  { accountId: string; postId: string; id: string; since: Date },
  { isSent: boolean }
>('is_sent_by_another', (db, value) =>
  db.selectNoFrom(({ exists, selectFrom }) =>
    exists(
      selectFrom('deliveryAttempts')
        .innerJoin('postTargets', (join) => join.on(sameTarget('postTargets', 'deliveryAttempts')))
        .select('deliveryAttempts.number')
        .where('deliveryAttempts.accountId', '=', value('accountId'))
        .where('deliveryAttempts.intendedAt', '>=', value('since'))
        .where('deliveryAttempts.postId', '!=', value('postId'))
        .where(sql<SqlBool>`post_targets.sent @> jsonb_build_array(jsonb_build_object('id', ${value('id')}::text))`),
    )
      .$castTo<boolean>()
      .as('isSent'),
  ),
)

/** How long an account has to wait until each of its limits (so many acts in so many seconds) lets it send one more. */
export const readRest = prepared<{ accountId: string; limits: number[]; windows: number[]; now: Now }, { ms: number }>(
  'read_rest',
  (db, value) =>
    db
      .selectFrom(
        sql<{ max: number; seconds: number }>`
          unnest(${value('limits')}::integer[], ${value('windows')}::integer[])`.as<'rate'>(sql`rate(max, seconds)`),
      )
      .innerJoinLateral(
        (eb) =>
          eb
            .selectFrom('deliveryAttempts')
            .select(sql<Date>`intended_at + rate.seconds * interval '1 second'`.as('endsAt'))
            .where('accountId', '=', value('accountId'))
            .where(sql<SqlBool>`intended_at > ${at(value('now'))} - rate.seconds * interval '1 second'`)
            .orderBy('intendedAt', 'desc')
            .offset(sql<number>`rate.max - 1`)
            .limit(1)
            .as('oldest'),
        (join) => join.onTrue(),
      )
      .select(
        sql<number>`coalesce(ceil(extract(epoch from max(ends_at) - ${at(value('now'))}) * 1000), 0)::float8`.as('ms'),
      ),
)

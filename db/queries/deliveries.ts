import { type Expression, type ExpressionBuilder, type SqlBool, sql } from 'kysely'
import type { Media } from '../../schemas/media.ts'
import type { PlatformId, PostType } from '../../schemas/platform.ts'
import type { DeliveryError, DeliveryState } from '../../schemas/post.ts'
import { type Db, prepared } from '../client.ts'
import type { DB } from '../types.ts'
import { reachableBy } from './accounts.ts'

/** Null is the database's own clock, which is the same for every worker; tests give a time. */
export type Now = Date | null

const at = (now: Now) => sql<Date>`coalesce(${now}::timestamptz, now())`
const after = (now: Now, ms: Expression<number> | number) =>
  sql<Date>`${at(now)} + ${ms}::float8 * interval '1 millisecond'`

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

/** How long a claimed delivery belongs to its worker without being renewed. */
export const LEASE_MS = 20_000

const sameTarget = (a: string, b: string) =>
  sql<SqlBool>`(${sql.ref(`${a}.userId`)}, ${sql.ref(`${a}.postId`)}, ${sql.ref(`${a}.accountId`)}) =
    (${sql.ref(`${b}.userId`)}, ${sql.ref(`${b}.postId`)}, ${sql.ref(`${b}.accountId`)})`

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
 * The rows of the accounts are locked and changed as well: a worker that saw an account free, and waits for its row, looks
 * again when it gets it. Without the change, two workers could each take another delivery of one account.
 */
export const claimDeliveries = prepared<{ platforms: string[]; slots: number[]; now: Now }, ClaimedDelivery>(
  'claim_deliveries',
  (db, value) =>
    db
      .with('due', (db) =>
        db
          .selectFrom(
            sql<{ platform: string; slots: number }>`
            unnest(${value('platforms')}::text[], ${value('slots')}::integer[])`.as<'network'>(
              sql`network(platform, slots)`,
            ),
          )
          .innerJoinLateral(
            (eb) =>
              eb
                .selectFrom('postTargets as candidate')
                .innerJoin('accounts', 'accounts.id', 'candidate.accountId')
                .select([
                  'candidate.userId',
                  'candidate.postId',
                  'candidate.accountId',
                  sql<number | null>`case when candidate.state = 'publishing'
                  then ${msSince(value('now'), 'candidate.claimableAt')} end`.as('cutOffForMs'),
                ])
                .whereRef('candidate.platform', '=', 'network.platform')
                .where('candidate.claimableAt', '<=', at(value('now')))
                .where(isAvailable(value('now')))
                .where(({ not, exists, selectFrom }) =>
                  not(
                    exists(
                      selectFrom('postTargets as earlier')
                        .select('earlier.postId')
                        .whereRef('earlier.accountId', '=', 'candidate.accountId')
                        .where('earlier.claimableAt', '<=', at(value('now')))
                        .where(sql<SqlBool>`(earlier.due_at, earlier.post_id) < (candidate.due_at, candidate.post_id)`),
                    ),
                  ),
                )
                .orderBy('candidate.claimableAt')
                .limit(sql<number>`network.slots`)
                .forNoKeyUpdate(['candidate', 'accounts'])
                .skipLocked()
                .as('first'),
            (join) => join.onTrue(),
          )
          .select(['first.userId', 'first.postId', 'first.accountId', 'first.cutOffForMs'])
          // More than all slots together. Not knowing that the limits above are small, Postgres would read all deliveries
          // there ever were: with 200,000 of them 200 ms instead of 25.
          .limit(sql<number>`500`),
      )
      .with('target', (db) =>
        db
          .updateTable('postTargets')
          .from('due')
          .set((eb) => ({
            state: 'publishing',
            leaseToken: sql<string>`gen_random_uuid()`,
            claimableAt: after(value('now'), LEASE_MS),
            startedAt: eb.fn.coalesce('postTargets.startedAt', at(value('now'))),
          }))
          .where(sameTarget('postTargets', 'due'))
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
            'due.cutOffForMs',
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
        reachableBy(eb.ref('target.userId'))(eb as never).as('reachable'),
        filesOf(eb as never).as('media'),
        'accountCredentials.keyId',
        'accountCredentials.dataKey',
        'accountCredentials.data',
      ])
      .$castTo<ClaimedDelivery>(),
)

const isAvailable = (now: Now) => (eb: ExpressionBuilder<DB, 'accounts'>) =>
  eb.or([eb('accounts.availableAt', 'is', null), eb('accounts.availableAt', '<=', at(now))])

const msSince = (now: Now, column: string) =>
  sql<number | null>`(extract(epoch from ${at(now)} - ${sql.ref(column)}) * 1000)::float8`

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
            .orderBy('postTargets.claimableAt')
            .limit(1)
            .as('next'),
        (join) => join.onTrue(),
      )
      .select(
        sql<number | null>`(extract(epoch from min(claimable_at) - ${at(value('now'))}) * 1000)::float8`.as('inMs'),
      ),
)

/** Renews leases. Gives the tokens of those that are still held. */
export const renewLeases = prepared<
  { userIds: string[]; postIds: string[]; accountIds: string[]; leaseTokens: string[]; now: Now },
  { leaseToken: string }
>('renew_leases', (db, value) =>
  db
    .with('renewed', (db) =>
      db
        .updateTable('postTargets')
        .from(
          sql<DeliveryKey & { leaseToken: string }>`
            unnest(${value('userIds')}::uuid[], ${value('postIds')}::uuid[], ${value('accountIds')}::uuid[],
              ${value('leaseTokens')}::uuid[])`.as<'lease'>(sql`lease(user_id, post_id, account_id, lease_token)`),
        )
        .set({ claimableAt: after(value('now'), LEASE_MS) })
        .where(sameTarget('postTargets', 'lease'))
        .whereRef('postTargets.leaseToken', '=', 'lease.leaseToken')
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

/**
 * Commits that the call of an act is about to be made, as an attempt in the ledger, and renews the lease. Gives nothing
 * where somebody else holds the delivery by now, or its owner may not post to the account any more: then the call must not
 * be made.
 */
export const intendAct = prepared<
  DeliveryKey & { leaseToken: string; act: number; startedAt: Now; now: Now },
  { number: number }
>('intend_act', (db, value) =>
  db
    .with('target', (db) =>
      db
        .updateTable('postTargets')
        .set((eb) => ({
          intent: value('act'),
          intendedAt: at(value('now')),
          claimableAt: after(value('now'), LEASE_MS),
          attempts: eb('attempts', '+', 1),
        }))
        .where('userId', '=', value('userId'))
        .where('postId', '=', value('postId'))
        .where('accountId', '=', value('accountId'))
        .where('leaseToken', '=', value('leaseToken'))
        .where(({ exists, selectFrom }) =>
          exists(
            selectFrom('accounts')
              .select('id')
              .where('id', '=', value('accountId'))
              .where(reachableBy(value('userId'))),
          ),
        )
        .returning(['userId', 'postId', 'accountId', 'attempts', 'intent', 'intendedAt']),
    )
    .with('held', (db) =>
      db
        .updateTable('accounts')
        .from('target')
        .set({ availableAt: after(value('now'), LEASE_MS) })
        .whereRef('accounts.id', '=', 'target.accountId'),
    )
    .with('entry', (db) =>
      db
        .insertInto('deliveryAttempts')
        .columns(['userId', 'postId', 'accountId', 'number', 'act', 'startedAt', 'intendedAt'])
        .expression((eb) =>
          eb
            .selectFrom('target')
            .select((eb) => [
              'target.userId',
              'target.postId',
              'target.accountId',
              'target.attempts',
              eb.ref('target.intent').$notNull().as('act'),
              at(value('startedAt')).as('startedAt'),
              'target.intendedAt',
            ]),
        ),
    )
    .selectFrom('target')
    .select('target.attempts as number'),
)

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
  startedAt: Now
  /** When it is tried again; null where it is not. */
  retryInMs: number | null
  /** How long the account is left alone. */
  accountRestsMs: number
  /** Why the account needs its owner. */
  attention: { code: string; message: string } | null
}

type SettlementValues = Omit<Settlement, 'sent' | 'error' | 'attention'> &
  DeliveryKey & { leaseToken: string; now: Now; sent: string; error: string | null; attention: string | null }

/**
 * Commits what came of an act, by whoever holds the lease, and alone: the act's id, the ledger, the status of the post,
 * and the account's freedom in one statement. Gives nothing where somebody else holds the delivery by now.
 *
 * A post is published from the moment that anything of it is, or may be, out.
 */
const settle = prepared<SettlementValues, { state: string }>('settle_act', (db, value) =>
  db
    .with('before', (db) =>
      db
        .selectFrom('postTargets')
        .select(['userId', 'postId', 'accountId', 'intent', 'intendedAt', 'attempts'])
        .where('userId', '=', value('userId'))
        .where('postId', '=', value('postId'))
        .where('accountId', '=', value('accountId'))
        .where('leaseToken', '=', value('leaseToken'))
        .where(sql<SqlBool>`jsonb_array_length(sent) = ${value('sentBefore')}`)
        .forNoKeyUpdate(),
    )
    .with('target', (db) =>
      db
        .updateTable('postTargets')
        .from('before')
        .set({
          state: value('state'),
          sent: sql`sent || ${value('sent')}::jsonb`,
          failures: value('failures'),
          error: sql`${value('error')}::jsonb`,
          intent: sql<number>`case when ${value('mayBeOut')}::boolean then before.intent end`,
          intendedAt: sql<Date>`case when ${value('mayBeOut')}::boolean then before.intended_at end`,
          attempts: sql<number>`before.attempts +
            case when before.intent is null and ${value('outcome')}::text = 'failed' then 1 else 0 end`,
          leaseToken: sql<string>`case when ${value('state')}::text = 'publishing' then lease_token end`,
          claimableAt: sql<Date>`case when ${value('state')}::text = 'publishing' then claimable_at
            else ${after(value('now'), value('retryInMs') as number)} end`,
          publishedAt: sql<Date>`case when published_at is not null then published_at
            when ${value('sent')}::jsonb = '[]' then null
            when ${value('outcome')}::text = 'found' then before.intended_at
            else ${at(value('now'))} end`,
        })
        .where(sameTarget('postTargets', 'before'))
        .returning(['postTargets.userId', 'postTargets.postId', 'postTargets.accountId', 'postTargets.state']),
    )
    .with('last', (db) =>
      db
        .updateTable('deliveryAttempts')
        .from('before')
        .set({ outcome: value('outcome'), error: sql`${value('error')}::jsonb`, finishedAt: at(value('now')) })
        .where(sameTarget('deliveryAttempts', 'before'))
        .whereRef('deliveryAttempts.number', '=', 'before.attempts')
        .where('before.intent', 'is not', null)
        .where(sql<SqlBool>`${value('outcome')}::text is not null`),
    )
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
              sql<number>`before.attempts + 1`.as('number'),
              sql<number>`${value('act')}::integer`.as('act'),
              at(value('startedAt')).as('startedAt'),
              at(value('now')).as('finishedAt'),
              sql<string>`${value('outcome')}::text`.as('outcome'),
              sql<string>`${value('error')}::jsonb`.as('error'),
            ])
            .where('before.intent', 'is', null)
            .where(sql<SqlBool>`${value('outcome')}::text = 'failed'`),
        ),
    )
    .with('account', (db) =>
      db
        .updateTable('accounts')
        .from('target')
        .set({
          // Not null: whoever waits for the account waits from here on for a worker.
          availableAt: sql<Date>`case when target.state = 'publishing' then available_at
            else ${after(value('now'), value('accountRestsMs'))} end`,
          attention: sql`case when ${value('attention')}::jsonb is not null
              then ${value('attention')}::jsonb || jsonb_build_object('since',
                coalesce(attention ->> 'since', to_char(${at(value('now'))} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')))
            when ${value('sent')}::jsonb = '[]' then attention end`,
        })
        .whereRef('accounts.id', '=', 'target.accountId'),
    )
    .with('post', (db) =>
      db
        .updateTable('posts')
        .from('target')
        .set({ status: 'published', updatedAt: at(value('now')) })
        .whereRef('posts.userId', '=', 'target.userId')
        .whereRef('posts.id', '=', 'target.postId')
        .where('posts.status', '!=', 'published')
        .where(sql<SqlBool>`(${value('mayBeOut')}::boolean or ${value('sent')}::jsonb <> '[]')`),
    )
    .selectFrom('target')
    .select('target.state'),
)

/** Commits what came of an act. Gives false where somebody else holds the delivery by now. */
export async function settleAct(
  db: Db,
  lease: DeliveryKey & { leaseToken: string; now: Now },
  settlement: Settlement,
): Promise<boolean> {
  const { sent, error, attention, ...rest } = settlement
  const { userId, postId, accountId, leaseToken, now } = lease
  const rows = await settle(db, {
    ...{ userId, postId, accountId, leaseToken, now },
    ...rest,
    sent: JSON.stringify(sent),
    error: error && JSON.stringify(error),
    attention: attention && JSON.stringify(attention),
  })
  return rows.length > 0
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

/**
 * How much is due and not under way; for how long what could be sent has waited for a worker; and whether any worker holds
 * a delivery, which those that live do while there is something to do.
 */
export const readBacklog = prepared<
  { platforms: string[]; now: Now },
  { count: number; waitingMs: number; held: boolean }
>('read_backlog', (db, value) =>
  db
    .selectFrom('postTargets')
    .innerJoin('accounts', 'accounts.id', 'postTargets.accountId')
    .select((eb) => [
      sql<number>`count(*)`.as('count'),
      sql<number>`coalesce(extract(epoch from ${at(value('now'))} -
        min(greatest(claimable_at, accounts.available_at)) filter (where ${isAvailable(value('now'))(eb)})) * 1000, 0
      )::float8`.as('waitingMs'),
      eb
        .exists(
          eb
            .selectFrom('postTargets as held')
            .select('held.postId')
            .where('held.platform', '=', sql<string>`any(${value('platforms')}::text[])`)
            .where('held.claimableAt', '>', at(value('now')))
            .where('held.claimableAt', '<=', after(value('now'), LEASE_MS))
            .where('held.state', '=', 'publishing'),
        )
        .$castTo<boolean>()
        .as('held'),
    ])
    .where('postTargets.claimableAt', '<=', at(value('now'))),
)

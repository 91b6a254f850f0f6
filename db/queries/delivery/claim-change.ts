import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../../client.ts'
import { prepared } from '../../prepared.ts'
import { reachableBy } from '../accounts.ts'
import { claimBehindPostponed, claimOne } from '../claim-one.ts'
import { after, at, type Now } from '../clock.ts'
import { sandboxAccounts } from '../user-now.ts'
import { hasSharedRest } from './available.ts'
import { type ClaimedDelivery, claimedColumns, claimedTables } from './claim.ts'
import type { HeldDelivery, StoredEdit } from './delivery.ts'

/** A removal of what a delivery has on its network, which a worker carries out. */
export interface ClaimedRemoval {
  kind: 'remove'
  /** Failures in a row. */
  failures: number
  /** The delivery. Its lease token is that of the change. */
  delivery: ClaimedDelivery
  /** When the first act became visible. */
  publishedAt: Date
  /** The price of an earlier call is reserved, whose outcome is unknown. */
  isReserved: boolean
  /** The numbers of the acts with a call that lost its response and may still arrive, the highest first. */
  lostActs: number[]
}

/** An edit of what a delivery has on its network, which a worker carries out. */
export interface ClaimedEdit extends Omit<ClaimedRemoval, 'kind'> {
  kind: 'edit'
  edit: StoredEdit
}

export type ClaimedChange = ClaimedRemoval | ClaimedEdit

interface ClaimValues {
  leaseMs: number
  /** A change is postponed by this time if its account is not free. */
  postponeMs: number
  /** The longest lease of an account that publishing holds. */
  publishLeaseMs: number
  now: Now
}

type Row = Pick<ClaimedChange, 'kind' | 'failures' | 'publishedAt' | 'isReserved' | 'lostActs'> &
  ClaimedDelivery & { edit: StoredEdit | null; changeToken: string | null; postponed: number }

/**
 * Claims the change that has been due for the longest and whose account is free. An account has one change at a time,
 * also while posts are published to it: a post that has to go does not wait for them. If `available_at` is further away
 * than a lease, the account rests.
 */
const claimAmong = (value: <K extends keyof ClaimValues>(key: K) => ClaimValues[K], among?: RawBuilder<unknown>) => {
  const now = value('now')
  const isFree = sql`(coalesce(accounts.available_at, '-infinity') <= ${after(now, value('publishLeaseMs'))}
    and not ${hasSharedRest(now)}
    and not exists (
      select from delivery_changes as other
      where other.account_id = accounts.id and other.lease_token is not null and other.next_at > ${at(now)}))`
  return sql`
    with ${claimOne('delivery_changes', { among, isFree, leaseMs: value('leaseMs'), postponeMs: value('postponeMs'), now })},
    claimed as (
      select delivery.*, held.lease_token as change_token, held.kind, held.failures as change_failures,
        held.intent_micros is not null as is_reserved,
        0::float8 as overdue_ms, false as was_held
      from held join post_targets as delivery
        on delivery.user_id = held.user_id and delivery.post_id = held.post_id and delivery.account_id = held.account_id
    )
    -- At least one row, with the number of postponed changes.
    select ${claimedColumns(now)}, claimed.change_token, claimed.kind, claimed.change_failures as failures,
      claimed.published_at, claimed.is_reserved, claimed.edit,
      array(
        select act from delivery_attempts as attempt
        where attempt.user_id = claimed.user_id and attempt.post_id = claimed.post_id
          and attempt.account_id = claimed.account_id and intended_at is not null
          and coalesce(outcome, 'unknown') in ('unknown', 'absent', 'said_published', 'said_not_published')
        group by act order by act desc) as lost_acts,
      postponing.count as postponed
    from (select count(*)::integer as count from postponed) as postponing
    left join claimed on true
    ${claimedTables}`
}

const claim = prepared<ClaimValues, Row>('claim_change', (_db, value) => claimAmong(value))

const claimOf = prepared<ClaimValues & { userId: string }, Row>('claim_change_of_user', (_db, value) =>
  claimAmong(value, sql`work.account_id = any(array(${sandboxAccounts(sql`${value('userId')}::uuid`)}))`),
)

/** Claims a change: any, or one on a sandbox account of a user, by the clock of that user. */
export async function claimChange(
  db: Db,
  { userId, ...values }: ClaimValues & { userId?: string | undefined },
): Promise<ClaimedChange | undefined> {
  const row = await claimBehindPostponed(
    () => (userId === undefined ? claim(db, values) : claimOf(db, { ...values, userId })),
    ({ changeToken }) => changeToken !== null,
  )
  if (!row) return undefined
  const { changeToken, postponed, kind, failures, edit, publishedAt, isReserved, lostActs, ...delivery } = row
  const held = { ...delivery, failures, leaseToken: changeToken! }
  const change = { failures, publishedAt, isReserved, lostActs, delivery: held }
  return kind === 'edit' ? { ...change, kind, edit: edit! } : { ...change, kind }
}

/** The call for an act that is about to be made. */
export interface ChangeIntent extends HeldDelivery {
  act: number
  /** The price of the call in millionths of a US dollar, which is reserved with the intent. Null if it is free. */
  micros: number | null
  leaseMs: number
  now: Now
}

/**
 * Commits the intent to call the network for an act, and renews the lease. A price that is reserved for an earlier call
 * at the same act, whose outcome is unknown, is not reserved again. Returns nothing if another worker holds the
 * change by now, or if its owner may no longer use the account: then the call must not be made.
 */
export const intendChange = prepared<ChangeIntent, { act: number }>(
  'intend_change',
  (_db, value) => sql`
    update delivery_changes
    set intent = ${value('act')}, intended_at = ${at(value('now'))}, intent_micros = ${value('micros')},
      next_at = ${after(value('now'), value('leaseMs'))}
    where user_id = ${value('userId')} and post_id = ${value('postId')} and account_id = ${value('accountId')}
      and lease_token = ${value('leaseToken')}
      and exists (
        select from accounts where accounts.id = ${value('accountId')} and ${reachableBy(sql`${value('userId')}::uuid`)})
    returning intent as act`,
)

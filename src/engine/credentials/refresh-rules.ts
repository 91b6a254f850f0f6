import type { Postponement } from '../../../db/queries/token-refresh.ts'
import type { OAuth } from '../../platforms/contract/oauth.ts'

/*
 * When tokens are refreshed, and what follows where that fails. The README of this folder explains the protocol.
 */

/** The time for which a claim belongs to its worker: several times the limit of its call. */
export const REFRESH_LEASE_MS = 60_000

/** Limits all calls to the network of one refresh. */
export const REFRESH_CALL_MAX_MS = 15_000

/** The limit of a call after its worker was told to stop: a process stops within ten seconds. */
export const REFRESH_DRAIN_MS = 5_000

/** A worker that was suspended for this time after its claim makes no call. */
export const REFRESH_START_MS = 15_000

export const REFRESH_POLL_MS = 1_000

/** How many accounts of one network a worker refreshes at a time: a network that does not respond holds up no other. */
export const REFRESHES_MAX = 4

/** Pauses after failures in a row. */
const COOL_DOWNS_MS = [30_000, 120_000, 600_000, 3_600_000]
const RETRY_AFTER_MAX_MS = 86_400_000

type AfterLostResponse = NonNullable<OAuth['refresh']>['afterLostResponse']

/** The facts before a refresh. */
export interface Situation {
  afterLostResponse: AfterLostResponse
  /** An earlier call may have spent the refresh token. */
  wasLost: boolean
  /** Milliseconds since the access token expired: negative until then, null if its end is unknown. */
  expiredForMs: number | null
  /** In a row. */
  failures: number
}

/** While the access token works, a call that would revoke it if the refresh token is spent is not made. */
export const mayRefresh = ({ wasLost, afterLostResponse, expiredForMs }: Situation): boolean =>
  !wasLost || afterLostResponse !== 'revokes-reuse' || (expiredForMs !== null && expiredForMs >= 0)

/** not_sent: the network certainly has not refreshed the token. unknown: it may have. */
export type RefreshFailure = { result: 'not_sent' | 'unknown'; retryAfterMs?: number | undefined }

/**
 * When the refresh is tried again. An access token that has expired leaves nothing to lose: it is tried until it is
 * refused.
 */
export function afterRefreshFailure(situation: Situation, { result, retryAfterMs = 0 }: RefreshFailure): Postponement {
  const { afterLostResponse, wasLost, failures } = situation
  const coolDownMs = COOL_DOWNS_MS[Math.min(failures, COOL_DOWNS_MS.length - 1)]!
  const isLost = wasLost || result === 'unknown'
  return {
    retryInMs: Math.max(coolDownMs, Math.min(retryAfterMs, RETRY_AFTER_MAX_MS)),
    isHeld: isLost && afterLostResponse === 'revokes-reuse',
    isLost,
  }
}

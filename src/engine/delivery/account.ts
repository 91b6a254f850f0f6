import { moveAccount } from '../../../db/queries/credentials.ts'
import type { ClaimedDelivery } from '../../../db/queries/delivery/claim.ts'
import { readRest, restSharedLimit } from '../../../db/queries/delivery/limits.ts'
import { expireAccessToken } from '../../../db/queries/token-refresh.ts'
import { RECONNECT_REQUIRED } from '../../../schemas/account.ts'
import type { DeliveryError } from '../../../schemas/delivery.ts'
import { untilStored } from '../../base/until-stored.ts'
import type { Credentials } from '../../platforms/contract/io.ts'
import type { RateLimit } from '../../platforms/contract/limits.ts'
import { Moved, PublishError } from '../../platforms/contract/publish-error.ts'
import { platforms } from '../../platforms/limits.ts'
import type { Deps } from './deps.ts'
import { databaseFailure, type Failure, failure, isOfApp, restMs } from './failures.ts'
import { factsOf } from './settled.ts'
import { EXPIRES_SOON_MS, REFRESH_WAIT_MS, SHARED_REST_KEPT_MS } from './timing.ts'

/** The credentials of the delivery's account, or why the account cannot be used. */
export function credentialsOf({ openCredentials, log }: Deps, delivery: ClaimedDelivery): Credentials | Failure {
  const { userId, postId, accountId, platform, reachable, keyId, dataKey, data, refreshInMs, expiredForMs } = delivery
  if (!reachable) return failure('no_access', 'The account was disconnected, or you may no longer post to it')
  if (!keyId || !dataKey || !data) {
    return failure(
      'not_connected',
      'The account has no credentials: connect its profile, and post to the account that this adds',
    )
  }
  if (refreshInMs === null && expiredForMs !== null && expiredForMs >= 0) {
    return failure(RECONNECT_REQUIRED.code, RECONNECT_REQUIRED.message, { needsAttention: true })
  }
  try {
    return openCredentials(accountId, { keyId, dataKey, data })
  } catch (error) {
    log.error({ err: error, userId, postId, accountId, platform }, 'credentials cannot be opened')
    return failure('credentials_unreadable', 'This service cannot decrypt the credentials', {
      retryable: true,
      needsAttention: true,
    })
  }
}

/** Milliseconds until the access token was refreshed, if it has expired or is about to; 0 if it can be used. */
export function refreshWaitOf({ refreshInMs, expiredForMs }: ClaimedDelivery): number {
  const isUsable = refreshInMs === null || expiredForMs === null || expiredForMs < -EXPIRES_SOON_MS
  return isUsable ? 0 : refreshInMs + REFRESH_WAIT_MS
}

/**
 * Why an act did not succeed. Adapters throw PublishErrors; one with a cause is a failure of our storage. Any other
 * error is a mistake of ours, which may have come after the call.
 */
export async function reasonOf(
  { deps, delivery, credentials }: { deps: Deps; delivery: ClaimedDelivery; credentials: Credentials },
  state: { error: DeliveryError | null },
  thrown: unknown,
): Promise<Failure> {
  const { log } = deps
  const facts = factsOf(delivery)
  if (thrown instanceof PublishError) {
    const { cause } = thrown
    if (cause !== undefined) log.error({ err: cause, ...facts }, 'a file of the post could not be read')
    if (thrown instanceof Moved) await storeMoved(deps, delivery, thrown)
    return refreshRefused(deps, { ...delivery, error: state.error }, credentials, thrown)
  }
  const database = databaseFailure(thrown)
  if (database) {
    log.error({ err: thrown, ...facts }, 'publishing failed because of the database')
    return database
  }
  log.error({ err: thrown, ...facts }, 'publishing failed unexpectedly')
  const ours = failure('internal_error', 'An internal error occurred in Postroom', { retryable: true })
  return { ...ours, maybeSent: true }
}

/**
 * Has the access token refreshed that a network has refused, and returns a failure that may pass. The failure stays as
 * it is if the token was refused after its refresh, or cannot be refreshed. If there is no refresh token, the network
 * exchanges the access token itself for a new one, but not a refused one.
 */
async function refreshRefused(
  deps: Deps,
  { accountId, generation, refreshInMs, error }: ClaimedDelivery,
  { refreshToken }: Credentials,
  reason: Failure,
): Promise<Failure> {
  const { code, message, maybeSent, needsAttention } = reason
  const canRefresh = refreshInMs !== null && refreshToken !== undefined
  const wasRefreshed = error?.code === code && error.retryable
  if (code !== 'unauthorized' || !needsAttention || !canRefresh || wasRefreshed) return reason
  await untilStored(deps, () => expireAccessToken(deps.db, { accountId, generation: generation!, now: deps.clock() }))
  return { ...failure(code, message, { retryable: true }), maybeSent }
}

/** Stores the new id of an account. An error is logged only: the next call is refused in the same way. */
async function storeMoved(
  { db, sealCredentials, log }: Deps,
  { accountId, generation, platform }: ClaimedDelivery,
  { to: { credentials, externalId } }: Moved,
): Promise<void> {
  const facts = { accountId, platform, externalId }
  try {
    await moveAccount(db, { accountId, generation: generation!, externalId }, sealCredentials(accountId, credentials))
    log.info(facts, 'the network has given an account another id')
  } catch (error) {
    log.error({ err: error, ...facts }, 'the new id of an account could not be stored')
  }
}

/** Milliseconds that the account has to rest by those limits of its network that are counted for each account. */
export async function restOf(deps: Deps, { platform, accountId }: ClaimedDelivery): Promise<number> {
  const limits = platforms[platform].rateLimits.filter(isCounted)
  if (limits.length === 0) return 0
  const [rest] = await untilStored(deps, () =>
    readRest(deps.db, {
      accountId,
      limits: limits.map(({ limit, perAct }) => Math.max(1, Math.floor(limit / perAct))),
      windows: limits.map(({ windowSeconds }) => windowSeconds),
      now: deps.clock(),
    }),
  )
  return Math.max(0, rest!.ms)
}

const isCounted = (limit: RateLimit): limit is RateLimit & { perAct: number; windowSeconds: number } =>
  limit.perAct !== undefined && limit.windowSeconds !== undefined

/**
 * Rests all accounts that share a rate limit, or whose app the network restricts. An error is logged only: each of them
 * would get its own refusal.
 */
export async function restShared(
  { db, clock, log }: Deps,
  { accountId }: ClaimedDelivery,
  refusal: Failure,
): Promise<void> {
  const { limitKey: key, retryAfterMs = 0, code, message } = refusal
  if (key === undefined) return
  const ms = restMs(retryAfterMs)
  const reason = isOfApp(refusal) ? { code, message } : null
  if (reason) log.error({ key, restMs: ms, reason: message }, 'a network restricts the app: all its accounts rest')
  const rest = { accountId, key, ms, reason, keptMs: SHARED_REST_KEPT_MS, now: clock() }
  await restSharedLimit(db, rest).catch((error) => log.error({ err: error, key }, 'a shared rest could not be stored'))
}

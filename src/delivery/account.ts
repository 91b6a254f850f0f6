import type { ClaimedDelivery } from '../../db/queries/delivery/claim.ts'
import { readRest } from '../../db/queries/delivery/limits.ts'
import type { Credentials } from '../platforms/adapter.ts'
import { platforms } from '../platforms/catalogue.ts'
import type { RateLimit } from '../platforms/limits.ts'
import type { Deps } from './deps.ts'
import { type Failure, failure } from './failures.ts'
import { untilStored } from './until-stored.ts'

/** The credentials of the delivery's account, or why the account cannot be used. */
export function credentialsOf({ openCredentials, log }: Deps, delivery: ClaimedDelivery): Credentials | Failure {
  const { userId, postId, accountId, platform, reachable, keyId, dataKey, data } = delivery
  if (!reachable) return failure('no_access', 'The account was disconnected, or you may no longer post to it')
  if (!keyId || !dataKey || !data) {
    return failure(
      'not_connected',
      'The account has no credentials: connect it with POST /api/v1/accounts, and post to the account that this returns',
    )
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

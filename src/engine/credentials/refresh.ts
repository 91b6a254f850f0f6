import type { Db } from '../../../db/client.ts'
import type { Now } from '../../../db/queries/clock.ts'
import {
  type ClaimedRefresh,
  claimRefresh,
  endRefresh,
  explainPostponement,
  postponeRefresh,
  storeRefreshedTokens,
} from '../../../db/queries/token-refresh.ts'
import { APP_MISSING } from '../../../schemas/account.ts'
import type { PlatformId } from '../../../schemas/platform.ts'
import { PLATFORM_IDS } from '../../../schemas/platform-ids.ts'
import type { Keyring } from '../../base/keyring/keyring.ts'
import { untilStored } from '../../base/until-stored.ts'
import { withTimeout } from '../../base/with-timeout.ts'
import type { Networks } from '../../platforms/adapters.ts'
import { areStorable, missingScopes } from '../../platforms/contract/granted-tokens.ts'
import type { Credentials } from '../../platforms/contract/io.ts'
import type { OAuth, OAuthApp, RefreshedTokens } from '../../platforms/contract/oauth.ts'
import { PublishError } from '../../platforms/contract/publish-error.ts'
import { appOf } from './app.ts'
import {
  afterRefreshFailure,
  mayRefresh,
  REFRESH_LEASE_MS,
  REFRESH_START_MS,
  type RefreshFailure,
  type Situation,
} from './refresh-rules.ts'

export interface RefreshDeps {
  db: Db
  networks: Networks
  keyring: Keyring
  /** The apps that the operator has configured. */
  oauthApps: Partial<Record<PlatformId, OAuthApp>>
  fetch: typeof fetch
  clock: () => Now
  /** Milliseconds of a monotonic clock. */
  uptimeMs: () => number
  pause(ms: number): Promise<unknown>
  /** Limits all calls to the network of one refresh. */
  callMaxMs: number
  log: {
    info(facts: object, message: string): void
    warn(facts: object, message: string): void
    error(facts: object, message: string): void
  }
  /** Gets the facts of each refresh. */
  report(facts: Refreshed): void
  /** Gets the new credentials, once they are stored. */
  onRefreshed?(account: RefreshedAccount): void
}

export interface RefreshedAccount {
  accountId: string
  platform: PlatformId
  credentials: Credentials
}

/**
 * postponed: the network has certainly not refreshed the token. unknown: it may have. held: the token may be spent, and
 * using it would revoke the access token. overtaken: another worker, or a new connection, was faster.
 */
const REFRESH_OUTCOMES = ['refreshed', 'refused', 'postponed', 'unknown', 'held', 'overtaken'] as const

export interface Refreshed {
  accountId: string
  platform: PlatformId
  outcome: (typeof REFRESH_OUTCOMES)[number]
  /** Why there are no new tokens; null if there are. */
  errorCode: string | null
  /** Milliseconds until the next refresh; null if none is due or its time is unknown. */
  nextInMs: number | null
}

/** A claim, and when it was made by `uptimeMs`, taken before the statement. */
interface HeldRefresh {
  claim: ClaimedRefresh
  claimedAt: number
}

/** Claims the credentials that have been due for the longest; undefined if none of these networks are due. */
export async function claimNextRefresh(
  { db, keyring, clock, uptimeMs }: RefreshDeps,
  platforms: readonly PlatformId[] = PLATFORM_IDS,
): Promise<HeldRefresh | undefined> {
  const claimedAt = uptimeMs()
  const [claim] = await claimRefresh(db, {
    platforms: [...platforms],
    keyIds: keyring.keyIds,
    leaseMs: REFRESH_LEASE_MS,
    now: clock(),
  })
  return claim && { claim, claimedAt }
}

/** Refreshes claimed credentials with one call, and commits the result. `signal` aborts the call. */
export async function refreshTokens(deps: RefreshDeps, held: HeldRefresh, signal?: AbortSignal): Promise<void> {
  const { accountId, platform } = held.claim
  const timeout = AbortSignal.timeout(deps.callMaxMs)
  const done = await carryOut(deps, held, signal ? AbortSignal.any([timeout, signal]) : timeout)
  const line = { accountId, platform, ...done }
  deps.report(line)
  if (done.outcome === 'refreshed') deps.log.info(line, 'token refresh')
  else deps.log.warn(line, 'token refresh')
}

type Done = Omit<Refreshed, 'accountId' | 'platform'>

async function carryOut(deps: RefreshDeps, { claim, claimedAt }: HeldRefresh, signal: AbortSignal): Promise<Done> {
  const oauth = deps.networks[claim.platform]?.oauth
  const refresh = oauth?.refresh
  // An older worker may lack the network. Another one can refresh the token.
  if (!refresh) return postpone(deps, claim, { ...claim, afterLostResponse: 'repeatable' }, { code: 'unknown_network' })
  const situation = { ...claim, afterLostResponse: refresh.afterLostResponse }
  if (!mayRefresh(situation)) return postpone(deps, claim, situation, { code: 'lost_response', outcome: 'held' })
  let credentials: Credentials
  let app: OAuthApp | undefined
  try {
    credentials = deps.keyring.open(claim.accountId, claim)
    app = appOf(deps, claim)
  } catch (error) {
    deps.log.error({ err: error, accountId: claim.accountId }, 'credentials cannot be opened')
    return postpone(deps, claim, situation, { code: 'credentials_unreadable' })
  }
  if (!app) {
    const done = await postpone(deps, claim, situation, APP_MISSING)
    if (done.outcome === 'postponed') await explainPostponement(deps.db, claim.accountId, APP_MISSING, deps.clock())
    return done
  }
  if (deps.uptimeMs() - claimedAt > REFRESH_START_MS) return postpone(deps, claim, situation, { code: 'interrupted' })

  let tokens: RefreshedTokens
  try {
    const { fetch, callMaxMs } = deps
    const run = refresh.run(credentials, app, { fetch, signal })
    tokens = await withTimeout(callMaxMs + ABORT_GRACE_MS, run)
    if (!areStorable({ ...tokens, scopes: tokens.scopes ?? [] })) throw invalid()
  } catch (error) {
    return afterError(deps, claim, situation, error)
  }
  return store(deps, claim, oauth, tokens)
}

/** How long an adapter may take to return after its signal has aborted. */
const ABORT_GRACE_MS = 1_000

const invalid = () =>
  new PublishError('The network sent tokens that cannot be stored', {
    code: 'unexpected_answer',
    maybeSent: true,
    retryable: true,
  })

async function afterError(
  deps: RefreshDeps,
  claim: ClaimedRefresh,
  situation: Situation,
  error: unknown,
): Promise<Done> {
  if (!(error instanceof PublishError)) {
    deps.log.error({ err: error, accountId: claim.accountId }, 'a token refresh failed unexpectedly')
    return postpone(deps, claim, situation, { code: 'internal_error', outcome: 'unknown' })
  }
  const { code, message, needsAttention, retryAfterMs } = error
  if (needsAttention) return end(deps, claim, code, message)
  return postpone(deps, claim, situation, { code, retryAfterMs, outcome: isNotSent(error) ? 'postponed' : 'unknown' })
}

/** Whether the network certainly has not refreshed the token. Adapters may understate `maybeSent`. */
const isNotSent = ({ code, maybeSent }: PublishError) =>
  !maybeSent && ['unreachable', 'rate_limited', 'content_refused'].includes(code)

interface Reason {
  code: string
  retryAfterMs?: number | undefined
  outcome?: 'postponed' | 'unknown' | 'held'
}

async function postpone(
  deps: RefreshDeps,
  claim: ClaimedRefresh,
  situation: Situation,
  { code, retryAfterMs, outcome = 'postponed' }: Reason,
): Promise<Done> {
  const failure: RefreshFailure = { result: outcome === 'unknown' ? 'unknown' : 'not_sent', retryAfterMs }
  const next = afterRefreshFailure(situation, failure)
  const isOurs = await postponeRefresh(deps.db, claim, next, deps.clock())
  if (!isOurs) return { outcome: 'overtaken', errorCode: code, nextInMs: null }
  return { outcome, errorCode: code, nextInMs: next.isHeld ? null : next.retryInMs }
}

async function end({ db, clock }: RefreshDeps, claim: ClaimedRefresh, code: string, words: string): Promise<Done> {
  const attention = { code: 'reconnect_required', message: `${words}: connect the account again` }
  // The refusal of a token that another worker has replaced meanwhile means nothing.
  const isOurs = await endRefresh(db, claim, attention, clock())
  return { outcome: isOurs ? 'refused' : 'overtaken', errorCode: code, nextInMs: null }
}

async function store(
  deps: RefreshDeps,
  claim: ClaimedRefresh,
  oauth: OAuth,
  { credentials, scopes, expiresAt }: RefreshedTokens,
): Promise<Done> {
  const tokens = {
    ...deps.keyring.seal(claim.accountId, credentials),
    expiresAt,
    isRefreshable: oauth.refresh!.isPossible(credentials),
    scopes: scopes && [...scopes],
    missingScopes: scopes && missingScopes(oauth, { credentials, scopes }),
  }
  // No other process has these tokens.
  const stored = await untilStored(deps, () => storeRefreshedTokens(deps.db, claim, tokens, deps.clock()))
  if (stored) deps.onRefreshed?.({ ...claim, credentials })
  return { outcome: stored ? 'refreshed' : 'overtaken', errorCode: null, nextInMs: stored?.nextInMs ?? null }
}

import type { Db } from '../../../db/client.ts'
import type { Now } from '../../../db/queries/clock.ts'
import type { ClaimedWebhook, DueDelivery } from '../../../db/queries/webhooks/claim.ts'
import { releaseWebhook, settleAttempt } from '../../../db/queries/webhooks/settle.ts'
import type { Log } from '../../base/log.ts'
import type { Slots } from '../../base/slots.ts'
import { writeBody } from './body.ts'
import { type OpenSecrets, openSigning, type Signing } from './secrets.ts'
import type { Exchange, Send } from './send.ts'
import { signedHeaders } from './sign.ts'
import { JITTER, PER_WEBHOOK_MAX, REST_MAX_MS, RETRY_DELAYS_MS, SLOW_MS, TURN_MS } from './timing.ts'
import { type Health, healthAfter, healthOf } from './webhook-health.ts'

export interface TurnDeps {
  db: Db
  send: Send
  openSecrets: OpenSecrets
  clock: () => Now
  /** A clock that never goes back. */
  uptimeMs(): number
  /** A number from 0 up to 1, for the jitter. */
  random(): number
  log: Log
  report(outcome: 'delivered' | 'failed' | 'gone'): void
}

/** A webhook that this process holds, while it sends its deliveries. */
export interface Turn {
  userId: string
  isSuspect: boolean
  /** Whether an attempt takes long: it has given back its slot, and no other one begins. */
  isStalled: boolean
}

/** Whether a webhook is failing, slow or unproven: such webhooks have slots of their own. */
export const isSuspect = ({ failingSince, isSlow, healthyAt }: ClaimedWebhook) =>
  failingSince !== null || isSlow || healthyAt === null

/** How many attempts of a webhook run at a time: one until it has succeeded. */
export const attemptsAtOnce = ({ failingSince, healthyAt }: ClaimedWebhook) =>
  failingSince !== null || healthyAt === null ? 1 : PER_WEBHOOK_MAX

interface Context {
  deps: TurnDeps
  hook: ClaimedWebhook
  turn: Turn
  slots: Slots
  signing: Signing
  stopping: AbortSignal
  calls: AbortSignal
  health: Health
  /** The last attempt that failed, if any. */
  lastFailure: { errorCode: string | null; status?: number } | undefined
  /** The outcomes that are being stored. The next attempts do not wait for them. */
  settlements: Promise<unknown>[]
  /** Whether one could not be stored: that attempt is going to be repeated, and no other one begins. */
  isStoreDown: boolean
}

interface TurnOptions extends Pick<Context, 'hook' | 'turn' | 'slots' | 'stopping' | 'calls'> {
  deliveries: DueDelivery[]
}

/**
 * Sends deliveries of a webhook, then gives it back. No attempt begins after one has failed or stalled, when the turn
 * is over, or when `stopping` aborts. An attempt that `calls` aborts leaves its delivery as it is.
 */
export async function takeTurn(deps: TurnDeps, { deliveries, ...options }: TurnOptions): Promise<void> {
  const { hook, turn, stopping } = options
  const health = healthOf(hook)
  const signing = openSigning(deps.openSecrets, hook)
  const progress = { health, lastFailure: undefined, settlements: [], isStoreDown: false }
  const context: Context = { deps, ...options, signing: signing ?? { keys: [], headers: {} }, ...progress }
  if (!signing) deps.log.error({ webhookId: hook.id, keyId: hook.keyId }, 'the secret of a webhook cannot be decrypted')
  const startedAt = deps.uptimeMs()
  const mayGoOn = () =>
    !stopping.aborted &&
    !turn.isStalled &&
    !context.isStoreDown &&
    context.health.restMs === null &&
    deps.uptimeMs() - startedAt < TURN_MS
  const queue = signing ? [...deliveries] : []
  const sendNext = async () => {
    while (mayGoOn()) {
      const delivery = queue.shift()
      if (!delivery) return
      await attempt(context, delivery, mayGoOn)
    }
  }
  try {
    const sent = await Promise.allSettled(Array.from({ length: attemptsAtOnce(hook) }, sendNext))
    const stored = await Promise.allSettled(context.settlements)
    for (const result of [...sent, ...stored]) {
      if (result.status === 'rejected' && !stopping.aborted) throw result.reason
    }
  } finally {
    const restMs = signing ? context.health.restMs : REST_MAX_MS
    const released = await releaseWebhook(deps.db, {
      ...context.health,
      restMs,
      id: hook.id,
      leaseToken: hook.leaseToken,
      now: deps.clock(),
    })
    if (released) logChange(context)
  }
}

/**
 * Logs that a webhook begins to fail, works again, or is disabled. Its URL may hold a secret: the host is logged alone.
 */
function logChange({ deps: { log }, hook, health, lastFailure }: Context): void {
  const { failingSince, disabledReason } = health
  const facts = { userId: hook.userId, webhookId: hook.id, host: new URL(hook.url).host }
  if (disabledReason) log.warn({ ...facts, ...lastFailure, failingSince, disabledReason }, 'webhook disabled')
  else if (failingSince && !hook.failingSince) log.warn({ ...facts, ...lastFailure }, 'webhook fails')
  else if (!failingSince && hook.failingSince) log.info(facts, 'webhook works again')
}

const headersOf = ({ keys, headers }: Signing, { eventId }: DueDelivery, at: Date, body: string) => ({
  ...headers,
  ...signedHeaders(keys, { id: eventId, at, body }),
})

async function attempt(context: Context, delivery: DueDelivery, mayGoOn: () => boolean): Promise<void> {
  const { deps, hook, turn, slots, signing, calls } = context
  const giveBack = await slots.take(hook.userId)
  const timer = setTimeout(() => {
    turn.isStalled = true
    // Slots of healthy webhooks are not for receivers that hang.
    if (!turn.isSuspect) giveBack()
  }, SLOW_MS)
  const attemptedAt = new Date((deps.clock() ?? new Date()).getTime())
  const startedAt = deps.uptimeMs()
  let exchange: Exchange
  try {
    // The slot may have come late.
    if (!mayGoOn()) return
    const body = writeBody(delivery, hook)
    exchange = body
      ? await deps.send({ url: hook.url, headers: headersOf(signing, delivery, attemptedAt, body), body }, calls)
      : { status: null, body: null, error: 'event_expired', retryAfterMs: null }
  } finally {
    clearTimeout(timer)
    giveBack()
  }
  const durationMs = Math.round(deps.uptimeMs() - startedAt)
  if (exchange.error !== 'event_expired') {
    const isSuccess = exchange.error === null
    const isGone = exchange.status === 410
    deps.report(isSuccess ? 'delivered' : isGone ? 'gone' : 'failed')
    const endedAt = new Date(attemptedAt.getTime() + durationMs)
    const { queuedAt } = delivery
    const result = { endedAt, durationMs, queuedAt, isSuccess, isGone, retryAfterMs: exchange.retryAfterMs }
    context.health = healthAfter(context.health, result)
    if (!isSuccess) {
      const { error: errorCode, status } = exchange
      context.lastFailure = { errorCode, ...(status !== null && { status }) }
    }
  }
  const settlement = settle(deps, delivery, exchange, { attemptedAt, durationMs })
  context.settlements.push(settlement)
  settlement.catch(() => {
    context.isStoreDown = true
  })
}

function settle(
  { db, clock, random }: TurnDeps,
  { webhookId, eventId, run, attempts }: DueDelivery,
  { status, body, error, retryAfterMs }: Exchange,
  times: { attemptedAt: Date; durationMs: number },
) {
  const delayMs = error === null || error === 'event_expired' ? undefined : RETRY_DELAYS_MS[attempts]
  const retryInMs =
    delayMs === undefined ? null : Math.max(delayMs * (1 + JITTER * (2 * random() - 1)), retryAfterMs ?? 0)
  const state = error === null ? 'delivered' : retryInMs === null ? 'failed' : 'pending'
  const response = { responseStatus: status, responseBody: body, errorCode: error }
  return settleAttempt(db, { webhookId, eventId, run, state, retryInMs, ...times, ...response, now: clock() })
}

import { type Circumstances, COUNTED_MAX } from '../../../../db/queries/delivery/explain.ts'
import { PAUSED } from '../../../../schemas/account.ts'
import type { ExplanationNext, ExplanationWait, NextCode, WaitCode } from '../../../../schemas/explanation.ts'
import { CALL_IN_FLIGHT_MAX_MS, EXPIRES_SOON_MS, FAILURES_MAX } from '../../../engine/delivery/timing.ts'
import { type Facts, isAfter, latest } from './facts.ts'

const wait = (code: WaitCode, message: string, until: Date | null = null): ExplanationWait => ({
  code,
  message,
  until: until?.toISOString() ?? null,
})

/** The present obstacles of a delivery. */
export function listWaits({ delivery, plan }: Facts): ExplanationWait[] {
  const { state, now, claimableAt, changeAt, edit } = delivery
  switch (state) {
    case 'waiting':
      return [wait('draft', 'The post is a draft: nothing is sent until it gets a time, or is published.')]
    case 'publishing':
      return [wait('lease', `A worker holds it, with a lease until ${iso(claimableAt!)} that it renews.`, claimableAt)]
    case 'queued':
      return listWaitsOfQueued(delivery, plan[delivery.sent.length]?.kind === 'comment')
    case 'removing':
      return [
        wait('removal', 'A worker is to take it down.', isAfter(changeAt, now) ? changeAt : null),
        ...ofAccount(delivery),
      ]
    default:
      return edit?.state === 'pending'
        ? [wait('edit', 'A worker is to edit what is published.', isAfter(changeAt, now) ? changeAt : null)]
        : []
  }
}

function listWaitsOfQueued(delivery: Circumstances, isComment: boolean): ExplanationWait[] {
  const { now, dueAt, claimableAt, ahead, isConverted } = delivery
  if (isAfter(dueAt, now)) {
    return [wait('not_due', `It is due at ${iso(dueAt)}.`, dueAt), ...ofOwner(delivery)]
  }
  const waits = [...ofCall(delivery, isComment), ...ofOwner(delivery), ...ofAccount(delivery)]
  if (isConverted) waits.push(wait('conversion', 'A video of the post is being converted for the account.'))
  if (ahead > 0 && !isAfter(claimableAt, now)) {
    const count = ahead < COUNTED_MAX ? String(ahead) : `at least ${COUNTED_MAX}`
    waits.push(wait('behind_others', `Posts to the account that are due before it, and go first: ${count}.`))
  }
  return waits.length > 0 ? waits : [wait('worker', 'It is due, and waits for a worker alone.')]
}

/** The pauses of the delivery itself. */
function ofCall(delivery: Circumstances, isComment: boolean): ExplanationWait[] {
  const { now, claimableAt, intent, lostCallAt, waitingSince, failures } = delivery
  const until = isAfter(claimableAt, now) ? claimableAt : null
  if (waitingSince) {
    return [wait('processing', `The network has been processing it since ${iso(waitingSince)}.`, until)]
  }
  if (intent !== null) {
    const endOfFlight = lostCallAt && new Date(lostCallAt.getTime() + CALL_IN_FLIGHT_MAX_MS)
    return isAfter(endOfFlight, now)
      ? [
          wait(
            'late_call',
            `The call that lost its response may arrive until ${iso(endOfFlight)}. The network is not queried before.`,
            endOfFlight,
          ),
        ]
      : [wait('query', 'The network is to be queried for the act whose response was lost.', until)]
  }
  if (!until) return []
  if (failures > 0) {
    return [
      wait(
        'retry_pause',
        `The pause after ${failures === 1 ? 'a failure' : `${failures} failures in a row`} ends at ${iso(until)}.`,
        until,
      ),
    ]
  }
  return isComment ? [wait('comment_pause', `The pause before its next comment ends at ${iso(until)}.`, until)] : []
}

/** Obstacles that only a person can end. */
function ofOwner({ isReachable, hasCredentials, attention, pausedAt, refusedSince }: Circumstances): ExplanationWait[] {
  const waits: ExplanationWait[] = []
  if (refusedSince) {
    waits.push(
      wait(
        'service_restored',
        `The database was restored from a backup. Nothing is sent since ${iso(refusedSince)}, until the operator has finished that.`,
      ),
    )
  }
  if (!isReachable) {
    waits.push(
      wait(
        'account_attention',
        'The account was disconnected, or you may no longer post to it: the next attempt fails.',
      ),
    )
  } else if (!hasCredentials) {
    waits.push(
      wait('account_attention', 'The account has no credentials: the next attempt fails until it is connected.'),
    )
  } else if (attention && attention.code !== PAUSED.code) {
    waits.push(wait('account_attention', `The account needs its owner: ${attention.message}`))
  }
  if (pausedAt) {
    waits.push(wait('account_paused', `The account is paused since ${iso(pausedAt)}: it waits until that ends.`))
  }
  return waits
}

function ofAccount(delivery: Circumstances): ExplanationWait[] {
  const { now, availableAt, otherLeaseUntil, sharedRestUntil, sharedRestReason } = delivery
  const waits: ExplanationWait[] = []
  const { refreshAt, refreshFailures, credentialsExpireAt } = delivery
  const soon = new Date(now.getTime() + EXPIRES_SOON_MS)
  if (refreshAt && credentialsExpireAt && credentialsExpireAt <= soon) {
    const tries = refreshFailures ? `, which has failed ${refreshFailures} times` : ''
    waits.push(
      wait(
        'token_refresh',
        `The access token of the account expires at ${iso(credentialsExpireAt)}, and is refreshed first${tries}.`,
        isAfter(refreshAt, now) ? refreshAt : null,
      ),
    )
  }
  if (isAfter(availableAt, now)) {
    const isBusy = isAfter(otherLeaseUntil, now)
    waits.push(
      isBusy
        ? wait('account_busy', 'Another post is being sent to the account, which gets one after the other.')
        : wait(
            'account_rests',
            `Nothing is sent to the account until ${iso(availableAt)}: its network required a pause, or its rate is used up.`,
            availableAt,
          ),
    )
  }
  if (isAfter(sharedRestUntil, now)) {
    const why = sharedRestReason === null ? '.' : `: ${sharedRestReason}`
    waits.push(
      wait(
        'shared_rest',
        `All accounts that share its rate limit or its app wait until ${iso(sharedRestUntil)}${why}`,
        sharedRestUntil,
      ),
    )
  }
  return waits
}

/** The next change of a delivery that comes by itself; null if none does. */
export function findNext({ delivery }: Facts, waits: readonly ExplanationWait[]): ExplanationNext | null {
  const { state, now, claimableAt, failures, intent, waitingSince, refusedSince, changeAt, edit } = delivery
  const next = (code: NextCode, message: string, at: Date | null): ExplanationNext => ({
    code,
    message,
    at: at && iso(at),
  })
  if (state === 'publishing') {
    return isAfter(claimableAt, now)
      ? next('outcome', 'The worker that holds it stores its outcome.', null)
      : next('takeover', 'The lease of its worker has ended: another worker takes it over within seconds.', now)
  }
  const changeFrom = changeAt && latest(now, changeAt)
  if (state === 'removing') return next('removal', 'A worker takes it down, and tries again if that fails.', changeFrom)
  if (edit?.state === 'pending')
    return next('edit', 'A worker edits what is published, and tries again if that fails.', changeFrom)
  if (state !== 'queued') return null
  const ends = waits.map(({ until }) => (until === null ? null : new Date(until)))
  const isOpen = refusedSince !== null || waits.some(({ code }) => OPEN_WAITS.includes(code as WaitCode))
  const at = isOpen ? null : latest(now, claimableAt, ...ends)
  const when = at === null ? 'then' : at > now ? `at ${iso(at)}` : 'now'
  if (waitingSince)
    return next('query', `A worker asks the network ${when} whether it is done. It waits for a day at most.`, at)
  if (intent !== null) {
    return next(
      'query',
      `A worker queries the network ${when}. An act that is found is not sent again. \`guarantee\` of \`getPlatform\` says what follows for a missing one.`,
      at,
    )
  }
  const left = FAILURES_MAX - failures
  const again = `A worker tries again ${when}. ${left === 1 ? 'One more failure ends' : `${left} more failures in a row end`} the delivery.`
  return next('attempt', failures > 0 ? again : `A worker sends it ${when}.`, at)
}

/** Waits whose end is not known. */
const OPEN_WAITS: readonly WaitCode[] = ['account_paused', 'account_busy', 'behind_others', 'conversion']

const iso = (time: Date) => time.toISOString()

import type { OtherCalls } from '../../../../db/queries/delivery/explain.ts'
import type { EventRow } from '../../../../db/queries/events/read.ts'
import type { DeliveryAttempt, DeliveryError } from '../../../../schemas/delivery.ts'
import type { EventType } from '../../../../schemas/event.ts'
import type { ExplanationStep, StepCode } from '../../../../schemas/explanation.ts'
import { describeDuration } from '../../../base/duration.ts'
import type { PlannedAct } from '../../../engine/delivery/plan.ts'
import type { Facts } from './facts.ts'

interface Step extends ExplanationStep {
  code: StepCode
  /** Its place among the others, where `at` is null. */
  after?: string
}

/** The events that attempts do not tell, as steps. */
const OF_EVENTS = {
  'delivery.retried': ['retried', 'It was to be tried again'],
  'delivery.cancelled': ['cancelled', 'It was cancelled'],
  'delivery.resolved': ['resolved', 'Its outcome was stated'],
  'delivery.missed': ['missed', 'It was missed'],
  'delivery.edited': ['edited', 'The published post was edited'],
  'delivery.edit_failed': ['edit_failed', 'The published post could not be edited'],
  'delivery.removed': ['removed', 'The post was taken down'],
  'delivery.remove_failed': ['remove_failed', 'The post could not be taken down'],
  'delivery.gone': ['gone', 'The network does not show the post any more'],
} as const satisfies Partial<Record<EventType, readonly [StepCode, string]>>

export const EXPLAINING_EVENTS = Object.keys(OF_EVENTS) as (keyof typeof OF_EVENTS)[]

/** Events whose error is theirs, and not that of an attempt before them. */
const WITH_ERROR: readonly StepCode[] = ['missed', 'edit_failed', 'remove_failed']

/** The steps of a delivery until now, in order. */
export function listSteps(
  facts: Facts,
  others: OtherCalls | undefined,
  events: readonly EventRow[],
): ExplanationStep[] {
  const { post, target, plan } = facts
  const steps: Step[] = [
    { at: post.createdAt, code: 'created', message: 'The post was created.' },
    ...listDueTimes(facts, others),
    ...target.delivery.history.flatMap((attempt) => ofAttempt(attempt, plan)),
    ...events.map(ofEvent),
  ]
  const placeOf = ({ at, after }: Step) => at ?? after ?? ''
  return steps
    .sort((one, other) => (placeOf(one) < placeOf(other) ? -1 : placeOf(one) > placeOf(other) ? 1 : 0))
    .map(({ after, ...step }) => step)
}

function listDueTimes({ delivery, firstDueAt }: Facts, others: OtherCalls | undefined): Step[] {
  const { now, dueAt, startedAt } = delivery
  if (!firstDueAt || firstDueAt > now) return []
  const steps: Step[] = [{ at: firstDueAt.toISOString(), code: 'due', message: 'Its time had come.' }]
  const isDueAgain = dueAt !== null && dueAt <= now && dueAt.getTime() - firstDueAt.getTime() > 1
  if (isDueAgain) steps.push({ at: dueAt.toISOString(), code: 'due_again', message: 'It was made due again.' })
  if (others && others.count > 0) {
    const message = `Until ${startedAt ? 'a worker took it' : 'now'}, ${others.count} other calls were made for the account, which gets one after the other.`
    steps.push({ at: firstDueAt.toISOString(), code: 'account_busy', message })
  }
  if (others?.refusedAt) {
    const message = `At another post, the network required a pause: ${others.refusal}`
    steps.push({ at: others.refusedAt.toISOString(), code: 'account_refused', message })
  }
  if (startedAt) {
    const since = isDueAgain && dueAt <= startedAt ? dueAt : firstDueAt
    const late = describeDuration(Math.max(0, startedAt.getTime() - since.getTime()))
    steps.push({ at: startedAt.toISOString(), code: 'claimed', message: `A worker took it, ${late} after it was due.` })
  }
  return steps
}

function ofAttempt(
  { number, act, startedAt, intendedAt, finishedAt, outcome, error }: DeliveryAttempt,
  plan: PlannedAct[],
): Step[] {
  const what = `attempt ${number} at ${nameAct(plan, act)}`
  const step = (code: StepCode, at: string | null, message: string): Step => ({
    at,
    code,
    message,
    after: finishedAt ?? startedAt,
    ...(error && (code === 'attempt_failed' || code === 'response_lost') && { error }),
  })
  if (outcome === 'published') return [step('act_published', finishedAt, `The network accepted ${what}.`)]
  if (outcome === 'failed') {
    const call = intendedAt ? `, after its call at ${intendedAt}` : ' before its call'
    return [
      step(
        'attempt_failed',
        finishedAt,
        `It failed at ${what}${call}, and nothing of it was published${because(error)}`,
      ),
    ]
  }
  if (outcome === null)
    return [step('called', intendedAt, `The call of ${what} was made. Its outcome is not known yet.`)]
  const lost = step(
    'response_lost',
    error ? finishedAt : intendedAt,
    `The call of ${what} was made at ${intendedAt}, and its response was lost${because(error)}`,
  )
  // A worker that died has stored no error. Its attempt ends with the query.
  const queriedAt = error ? null : finishedAt
  switch (outcome) {
    case 'unknown':
      return [lost]
    case 'found':
      return [
        lost,
        step('found', queriedAt, `The network was queried for ${what}, and showed it. It is not sent again.`),
      ]
    case 'absent':
      return [lost, step('absent', queriedAt, `The network was queried for ${what}, and did not show it.`)]
    case 'said_published':
      return [lost, step('said_published', null, `The owner said that ${what} was published.`)]
    case 'said_not_published':
      return [lost, step('said_not_published', null, `The owner said that ${what} was not published.`)]
  }
}

function nameAct(plan: PlannedAct[], number: number): string {
  const kind = plan[number - 1]?.kind ?? 'post'
  if (kind !== 'post') return `the ${kind}`
  return plan.filter(({ kind }) => kind === 'post').length > 1 ? `part ${number} of the thread` : 'the post'
}

function ofEvent({ type, timestamp, data }: EventRow): Step {
  const [code, message] = OF_EVENTS[type as keyof typeof OF_EVENTS]
  const { actor, error, outcome } = data as { actor?: { keyId: string }; error?: DeliveryError; outcome?: string }
  const result = outcome === undefined ? '' : ` as ${outcome}`
  const by = actor === undefined ? '' : `, with the API key ${actor.keyId}`
  const hasError = error !== undefined && WITH_ERROR.includes(code)
  return {
    at: timestamp,
    code,
    message: `${message}${result}${by}${because(hasError ? error : null)}`,
    ...(hasError && { error }),
  }
}

/** The end of a sentence. */
const because = (error: DeliveryError | null) => (error ? `: ${error.message}` : '.')

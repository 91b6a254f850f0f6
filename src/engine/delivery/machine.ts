import type { DeliveryState } from '../../../schemas/delivery.ts'
import { OPEN_STATES } from '../../../schemas/delivery-states.ts'
import type { Act } from '../../platforms/contract/adapter.ts'
import { type DeliveryEvent, type To, TRANSITIONS, type WorkerEvent, type Writes } from './transitions.ts'

type ActKind = Act['kind']

/** A transition as statements need it, of an event that leads to one state. */
const transition = <Event extends DeliveryEvent>(event: Event): { from: DeliveryState[]; to: To<Event> } => ({
  from: [...TRANSITIONS[event].from],
  to: target(event),
})

const target = <Event extends DeliveryEvent>(event: Event): To<Event> => TRANSITIONS[event].to[0]

export const CLAIMED = target('claim')
export const MARK_PUBLISHED = transition('markPublished')
export const PUBLISH_NOW = {
  ...transition('publishNow'),
  ended: TRANSITIONS.publishNow.from.filter((state) => requeued(state) !== null),
  event: TRANSITIONS.publishNow.writes[0],
}
export const DELETE_MEDIA = transition('deleteMedia')
export const HOLD = transition('hold')
export const END_HOLD = transition('endHold')

/** The event of a delivery that is queued from this state: none if it was open. */
export function requeued(from: DeliveryState): Writes<'edit' | 'publishNow' | 'retry' | 'endHold'> | null {
  return (OPEN_STATES as readonly DeliveryState[]).includes(from) ? null : 'delivery.retried'
}

/** The state of a new delivery. */
export const initialState = (isScheduled: boolean) => target(isScheduled ? 'schedule' : 'saveDraft')

/** The state of a delivery of an unpublished post whose content or time was changed; null if it stays as it is. */
export function edited(state: DeliveryState, isScheduled: boolean): To<'edit' | 'editDraft'> | null {
  const { from, to } = transition(isScheduled ? 'edit' : 'editDraft')
  return from.includes(state) ? to : null
}

/**
 * The state of a delivery after its database was restored. `isOpen`: the call of an act may have been carried out.
 * `last`: the last state in the journal; null if the delivery was due, and the journal has no call for it.
 */
export function restored(isOpen: boolean, last: To<WorkerEvent> | null, canReconcile: boolean): To<'restore'> {
  if (isOpen) return canReconcile ? 'queued' : 'unconfirmed'
  if (last === null) return 'missed'
  return last === 'publishing' ? 'queued' : last
}

/** Whether a delivery is taken down, or is to be. */
export const isTakenDown = (state: DeliveryState): boolean => state === 'removing' || state === 'removed'

/** The state after an act was removed. */
export const afterRemoved = (isLast: boolean): To<'removed'> => (isLast ? 'removed' : 'removing')

/** The state after an act could not be removed. */
export const afterNotRemoved = (isRetried: boolean): To<'notRemoved'> => (isRetried ? 'removing' : 'remove_failed')

/** The state after the owner has resolved an unconfirmed delivery, where `missing` is the first act that is not out. */
export const resolved = (missing: ActKind | undefined): To<'resolve'> => (missing === 'post' ? 'failed' : 'published')

/**
 * The state of a queued delivery that its owner has cancelled, where `next` is the act that would follow. The outcome
 * of an open call stays unknown: the owner resolves it, or retries it, which queries the network.
 */
export function cancelled(next: ActKind | undefined, isOpen: boolean): To<'cancel'> {
  if (isOpen) return 'unconfirmed'
  return next === undefined || next === 'post' ? 'cancelled' : 'published'
}

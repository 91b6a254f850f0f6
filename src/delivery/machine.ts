import { type DeliveryError, type DeliveryState, MEDIA_DELETED } from '../../schemas/delivery.ts'
import { DELIVERY_STATES } from '../../schemas/delivery-states.ts'
import type { Act } from '../platforms/contract/adapter.ts'

type ActKind = Act['kind']

interface Transition {
  by: 'owner' | 'operator' | 'worker'
  from: readonly DeliveryState[]
  to: readonly DeliveryState[]
  /** For the table in src/delivery/README.md. */
  meaning: string
}

/**
 * Every way in which the state of a delivery changes. The functions that decide a state are typed by this table, and
 * `make readme` draws it. Statements in db/queries store what these functions return.
 */
export const TRANSITIONS = {
  saveDraft: { by: 'owner', from: [], to: ['waiting'], meaning: 'The post is created without a time.' },
  schedule: { by: 'owner', from: [], to: ['queued'], meaning: 'The post is created with a time.' },
  edit: {
    by: 'owner',
    from: ['waiting', 'queued', 'failed', 'missed'],
    to: ['queued'],
    meaning: 'The content or time of a scheduled post is changed, or a draft gets a time.',
  },
  editDraft: {
    by: 'owner',
    from: ['waiting', 'queued', 'failed', 'cancelled', 'missed'],
    to: ['waiting'],
    meaning: 'A draft is changed, or the post becomes a draft.',
  },
  publishNow: {
    by: 'owner',
    from: ['waiting', 'queued', 'failed', 'missed'],
    to: ['queued'],
    meaning: 'The post is published now.',
  },
  retry: {
    by: 'owner',
    from: ['queued', 'published', 'failed', 'cancelled', 'unconfirmed', 'missed'],
    to: ['queued'],
    meaning: 'One delivery is tried again now.',
  },
  resolve: {
    by: 'owner',
    from: ['unconfirmed'],
    to: ['published', 'failed'],
    meaning: 'The owner has looked at the network.',
  },
  cancel: {
    by: 'owner',
    from: ['queued'],
    to: ['cancelled', 'unconfirmed', 'published'],
    meaning:
      'Nothing more is sent. `unconfirmed`: a call has an unknown outcome. `published`: an act after the post is missing.',
  },
  markDelivery: {
    by: 'owner',
    from: ['queued', 'published', 'failed', 'cancelled', 'unconfirmed', 'missed'],
    to: ['published'],
    meaning: 'The owner has published by hand what was missing.',
  },
  deleteMedia: {
    by: 'owner',
    from: ['failed', 'cancelled', 'missed'],
    to: ['failed'],
    meaning: 'A file that the delivery needs is deleted.',
  },
  remove: {
    by: 'owner',
    from: ['published', 'failed', 'cancelled', 'missed', 'remove_failed'],
    to: ['removing'],
    meaning: 'What is published is taken down.',
  },
  markPublished: {
    by: 'operator',
    from: ['waiting', 'queued', 'publishing', 'published', 'failed', 'cancelled', 'unconfirmed', 'missed'],
    to: ['published'],
    meaning: 'The operator has published the post by hand.',
  },
  hold: { by: 'operator', from: ['queued'], to: ['missed'], meaning: 'The operator holds it back.' },
  endHold: { by: 'operator', from: ['missed'], to: ['queued'], meaning: 'The operator releases it.' },
  restore: {
    by: 'operator',
    from: DELIVERY_STATES,
    to: ['queued', 'published', 'failed', 'unconfirmed', 'missed', 'removing', 'removed', 'remove_failed'],
    meaning: 'The database was restored from a backup.',
  },
  claim: {
    by: 'worker',
    from: ['queued', 'publishing'],
    to: ['publishing'],
    meaning: 'A worker takes it, also from a worker whose lease ended.',
  },
  sent: {
    by: 'worker',
    from: ['publishing'],
    to: ['publishing', 'published'],
    meaning: 'An act is out. `publishing`: more acts follow.',
  },
  failed: {
    by: 'worker',
    from: ['publishing'],
    to: ['queued', 'failed', 'published', 'publishing'],
    meaning: 'An act was certainly not sent. `publishing`: it is left out.',
  },
  unknown: {
    by: 'worker',
    from: ['publishing'],
    to: ['queued', 'unconfirmed'],
    meaning: 'A response was lost. `queued`: the network is queried later.',
  },
  absent: {
    by: 'worker',
    from: ['publishing'],
    to: ['publishing', 'failed', 'published'],
    meaning: 'The network was queried, and the act is not there.',
  },
  rejected: {
    by: 'worker',
    from: ['publishing'],
    to: ['failed', 'published', 'publishing'],
    meaning: 'The network was queried, and has refused the act.',
  },
  later: {
    by: 'worker',
    from: ['publishing'],
    to: ['queued', 'failed', 'published', 'publishing'],
    meaning: '`prepare` waits for the network, for a day at most.',
  },
  processing: {
    by: 'worker',
    from: ['publishing'],
    to: ['queued', 'unconfirmed'],
    meaning: '`publish` or `reconcile` waits for the network.',
  },
  late: {
    by: 'worker',
    from: ['publishing'],
    to: ['missed', 'published'],
    meaning: 'It has been due for too long.',
  },
  released: {
    by: 'worker',
    from: ['publishing'],
    to: ['queued'],
    meaning:
      'Given back without a call: the account rests, its access token is refreshed, a video is being converted, a query is too early, or the worker stops.',
  },
  removed: {
    by: 'worker',
    from: ['removing'],
    to: ['removing', 'removed'],
    meaning: 'An act is no longer on the network. `removing`: others still are.',
  },
  notRemoved: {
    by: 'worker',
    from: ['removing'],
    to: ['removing', 'remove_failed'],
    meaning: 'An act could not be removed. `removing`: it is tried again.',
  },
} as const satisfies Record<string, Transition>

export type DeliveryEvent = keyof typeof TRANSITIONS

/** The states that an event may happen in. */
export type From<Event extends DeliveryEvent> = (typeof TRANSITIONS)[Event]['from'][number]

/** The states that an event leads to. */
export type To<Event extends DeliveryEvent> = (typeof TRANSITIONS)[Event]['to'][number]

/** The events of a delivery that is taken down. */
export type RemovalEvent = 'removed' | 'notRemoved'

/** The events of a delivery that a worker holds. */
export type WorkerEvent = {
  [Event in DeliveryEvent]: (typeof TRANSITIONS)[Event]['by'] extends 'worker' ? Event : never
}[Exclude<DeliveryEvent, 'claim' | RemovalEvent>]

/** A transition as statements need it, of an event that leads to one state. */
const transition = <Event extends DeliveryEvent>(event: Event): { from: DeliveryState[]; to: To<Event> } => ({
  from: [...TRANSITIONS[event].from],
  to: target(event),
})

const target = <Event extends DeliveryEvent>(event: Event): To<Event> => TRANSITIONS[event].to[0]

export const CLAIMED = target('claim')
export const MARK_PUBLISHED = transition('markPublished')
export const PUBLISH_NOW = transition('publishNow')
export const DELETE_MEDIA = transition('deleteMedia')
export const HOLD = transition('hold')
export const END_HOLD = transition('endHold')

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

/** The state after an action of the owner, or what forbids the action. */
type Allowed<Event extends DeliveryEvent, Obstacle> = { state: To<Event> } | { obstacle: Obstacle }

interface Delivery {
  state: DeliveryState
  error: DeliveryError | null
}

/** The result of a retry. `isEarly`: the time of the delivery has not come, and no worker has claimed it yet. */
export function retried(
  { state, error, isEarly }: Delivery & { isEarly: boolean },
  canReconcile: boolean,
): Allowed<'retry', 'draft' | 'notDue' | 'publishing' | 'published' | 'mediaDeleted' | 'unconfirmed' | 'removed'> {
  if (state === 'waiting') return { obstacle: 'draft' }
  if (state === 'publishing') return { obstacle: 'publishing' }
  if (isRemoval(state)) return { obstacle: 'removed' }
  state satisfies From<'retry'>
  if (state === 'queued' && isEarly) return { obstacle: 'notDue' }
  if (state === 'published' && error === null) return { obstacle: 'published' }
  if (error?.code === MEDIA_DELETED) return { obstacle: 'mediaDeleted' }
  if (state === 'unconfirmed' && !canReconcile) return { obstacle: 'unconfirmed' }
  return { state: target('retry') }
}

/** The result of marking a delivery as published, whose owner has published what was missing. */
export function marked({
  state,
  error,
}: Delivery): Allowed<'markDelivery', 'draft' | 'publishing' | 'published' | 'removed'> {
  if (state === 'waiting') return { obstacle: 'draft' }
  if (state === 'publishing') return { obstacle: 'publishing' }
  if (isRemoval(state)) return { obstacle: 'removed' }
  state satisfies From<'markDelivery'>
  if (state === 'published' && error === null) return { obstacle: 'published' }
  return { state: target('markDelivery') }
}

/** The state of a delivery that is taken down, was, or could not be. */
export type RemovalState = To<'remove'> | To<RemovalEvent>

/** Whether a delivery is taken down, or is to be. */
export const isTakenDown = (state: DeliveryState): boolean => state === 'removing' || state === 'removed'

const isRemoval = (state: DeliveryState): state is RemovalState =>
  state === 'removing' || state === 'removed' || state === 'remove_failed'

/** The result of taking a delivery down that is not taken down yet. `isOut`: an act of it is on the network. */
export function removal({
  state,
  isOut,
}: Pick<Delivery, 'state'> & { isOut: boolean }): Allowed<
  'remove',
  'publishing' | 'unconfirmed' | 'unpublished' | 'queued'
> {
  if (state === 'publishing') return { obstacle: 'publishing' }
  if (state === 'unconfirmed') return { obstacle: 'unconfirmed' }
  if (!isOut || state === 'waiting') return { obstacle: 'unpublished' }
  if (state === 'queued') return { obstacle: 'queued' }
  state satisfies From<'remove'> | 'removing' | 'removed'
  return { state: target('remove') }
}

/** The obstacle to an edit of a delivery; undefined if it can be edited. `isOut`: an act of it is on the network. */
export function findEditObstacle({ state, isOut }: Pick<Delivery, 'state'> & { isOut: boolean }) {
  if (state === 'publishing' || state === 'unconfirmed') return state
  if (isRemoval(state)) return 'removed'
  if (!isOut || state === 'waiting') return 'unpublished'
  if (state === 'queued') return 'queued'
  return state === 'published' ? undefined : 'unpublished'
}

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

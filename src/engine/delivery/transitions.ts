import type { DeliveryState } from '../../../schemas/delivery.ts'
import { DELIVERY_STATES } from '../../../schemas/delivery-states.ts'
import type { EventType } from '../../../schemas/event.ts'

/** An event that programs read. */
type WrittenEvent = Extract<EventType, `delivery.${string}`>

interface Transition {
  by: 'owner' | 'operator' | 'worker'
  from: readonly DeliveryState[]
  to: readonly DeliveryState[]
  /** The events that it may write, by its states. Empty if its owner learns nothing. */
  writes: readonly WrittenEvent[]
  /** For the table in src/engine/delivery/README.md. */
  meaning: string
}

/**
 * Every way in which the state of a delivery changes. The functions that decide a state are typed by this table, and
 * `make readme` draws it. Statements in db/queries store what these functions return.
 */
export const TRANSITIONS = {
  saveDraft: { by: 'owner', from: [], to: ['waiting'], writes: [], meaning: 'The post is created without a time.' },
  schedule: { by: 'owner', from: [], to: ['queued'], writes: [], meaning: 'The post is created with a time.' },
  edit: {
    by: 'owner',
    from: ['waiting', 'queued', 'failed', 'missed'],
    to: ['queued'],
    writes: ['delivery.retried'],
    meaning: 'The content or time of a scheduled post is changed, or a draft gets a time.',
  },
  editDraft: {
    by: 'owner',
    from: ['waiting', 'queued', 'failed', 'cancelled', 'missed'],
    to: ['waiting'],
    writes: [],
    meaning: 'A draft is changed, or the post becomes a draft.',
  },
  publishNow: {
    by: 'owner',
    from: ['waiting', 'queued', 'failed', 'missed'],
    to: ['queued'],
    writes: ['delivery.retried'],
    meaning: 'The post is published now.',
  },
  retry: {
    by: 'owner',
    from: ['queued', 'published', 'failed', 'cancelled', 'unconfirmed', 'missed'],
    to: ['queued'],
    writes: ['delivery.retried'],
    meaning: 'One delivery is tried again now.',
  },
  resolve: {
    by: 'owner',
    from: ['unconfirmed'],
    to: ['published', 'failed'],
    writes: ['delivery.resolved'],
    meaning: 'The owner has looked at the network.',
  },
  cancel: {
    by: 'owner',
    from: ['queued'],
    to: ['cancelled', 'unconfirmed', 'published'],
    writes: ['delivery.cancelled'],
    meaning:
      'Nothing more is sent. `unconfirmed`: a call has an unknown outcome. `published`: an act after the post is missing.',
  },
  markDelivery: {
    by: 'owner',
    from: ['queued', 'published', 'failed', 'cancelled', 'unconfirmed', 'missed'],
    to: ['published'],
    writes: ['delivery.resolved'],
    meaning: 'The owner has published the missing acts by hand.',
  },
  deleteMedia: {
    by: 'owner',
    from: ['failed', 'cancelled', 'missed'],
    to: ['failed'],
    writes: ['delivery.failed'],
    meaning: 'A file that the delivery needs is deleted.',
  },
  remove: {
    by: 'owner',
    from: ['published', 'failed', 'cancelled', 'missed', 'remove_failed'],
    to: ['removing'],
    writes: [],
    meaning: 'What is published is taken down.',
  },
  markPublished: {
    by: 'operator',
    from: ['waiting', 'queued', 'publishing', 'published', 'failed', 'cancelled', 'unconfirmed', 'missed'],
    to: ['published'],
    writes: ['delivery.published', 'delivery.resolved'],
    meaning: 'The operator has published the post by hand.',
  },
  hold: {
    by: 'operator',
    from: ['queued'],
    to: ['missed'],
    writes: ['delivery.missed'],
    meaning: 'The operator holds it back.',
  },
  endHold: {
    by: 'operator',
    from: ['missed'],
    to: ['queued'],
    writes: ['delivery.retried'],
    meaning: 'The operator releases it.',
  },
  restore: {
    by: 'operator',
    from: DELIVERY_STATES,
    to: ['queued', 'published', 'failed', 'unconfirmed', 'missed', 'removing', 'removed', 'remove_failed'],
    writes: [
      'delivery.retried',
      'delivery.published',
      'delivery.resolved',
      'delivery.failed',
      'delivery.unconfirmed',
      'delivery.missed',
      'delivery.removed',
      'delivery.remove_failed',
    ],
    meaning: 'The database was restored from a backup.',
  },
  claim: {
    by: 'worker',
    from: ['queued', 'publishing'],
    to: ['publishing'],
    writes: [],
    meaning: 'A worker takes it, also from a worker whose lease ended.',
  },
  sent: {
    by: 'worker',
    from: ['publishing'],
    to: ['publishing', 'published', 'queued'],
    writes: ['delivery.published', 'delivery.failed'],
    meaning: 'An act is out. `publishing`: more acts follow. `queued`: a comment follows after a pause.',
  },
  failed: {
    by: 'worker',
    from: ['publishing'],
    to: ['queued', 'failed', 'published', 'publishing'],
    writes: ['delivery.failed'],
    meaning: 'An act was certainly not sent. `publishing`: it is left out.',
  },
  unknown: {
    by: 'worker',
    from: ['publishing'],
    to: ['queued', 'unconfirmed'],
    writes: ['delivery.unconfirmed'],
    meaning: 'A response was lost. `queued`: the network is queried later.',
  },
  absent: {
    by: 'worker',
    from: ['publishing'],
    to: ['publishing', 'failed', 'published'],
    writes: ['delivery.failed'],
    meaning: 'The network was queried, and the act is not there.',
  },
  rejected: {
    by: 'worker',
    from: ['publishing'],
    to: ['failed', 'published', 'publishing'],
    writes: ['delivery.failed'],
    meaning: 'The network was queried, and has refused the act.',
  },
  later: {
    by: 'worker',
    from: ['publishing'],
    to: ['queued', 'failed', 'published', 'publishing'],
    writes: ['delivery.failed'],
    meaning: '`prepare` waits for the network, for a day at most.',
  },
  processing: {
    by: 'worker',
    from: ['publishing'],
    to: ['queued', 'unconfirmed'],
    writes: ['delivery.unconfirmed'],
    meaning: '`publish` or `reconcile` waits for the network.',
  },
  late: {
    by: 'worker',
    from: ['publishing'],
    to: ['missed', 'published'],
    writes: ['delivery.missed', 'delivery.failed'],
    meaning: 'It has been due for too long.',
  },
  released: {
    by: 'worker',
    from: ['publishing'],
    to: ['queued'],
    writes: [],
    meaning:
      'Given back without a call: the account rests, its access token is refreshed, a video is being converted, a query is too early, or the worker stops.',
  },
  removed: {
    by: 'worker',
    from: ['removing'],
    to: ['removing', 'removed'],
    writes: ['delivery.removed'],
    meaning: 'An act is no longer on the network. `removing`: others still are.',
  },
  notRemoved: {
    by: 'worker',
    from: ['removing'],
    to: ['removing', 'remove_failed'],
    writes: ['delivery.remove_failed'],
    meaning: 'An act could not be removed. `removing`: it is tried again.',
  },
} as const satisfies Record<string, Transition>

export type DeliveryEvent = keyof typeof TRANSITIONS

/** The states that an event may happen in. */
export type From<Event extends DeliveryEvent> = (typeof TRANSITIONS)[Event]['from'][number]

/** The states that an event leads to. */
export type To<Event extends DeliveryEvent> = (typeof TRANSITIONS)[Event]['to'][number]

/** The events that programs may read. */
export type Writes<Event extends DeliveryEvent> = (typeof TRANSITIONS)[Event]['writes'][number]

/** The events of a delivery that is taken down. */
type RemovalEvent = 'removed' | 'notRemoved'

/** The events of a delivery that a worker holds. */
export type WorkerEvent = {
  [Event in DeliveryEvent]: (typeof TRANSITIONS)[Event]['by'] extends 'worker' ? Event : never
}[Exclude<DeliveryEvent, 'claim' | RemovalEvent>]

/** The state of a delivery that is taken down, was, or could not be. */
export type RemovalState = To<'remove'> | To<RemovalEvent>

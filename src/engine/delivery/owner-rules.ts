import type { DeliveryError, DeliveryState, MEDIA_DELETED } from '../../../schemas/delivery.ts'
import type { DeliveryEvent, From, RemovalState, To } from './transitions.ts'

/*
 * Whether an action of the owner is allowed in the state of a delivery. The console offers actions by the same rules:
 * this file imports types alone, so that browsers can load it.
 */

/** A copy that the type holds to its original: browsers load no schemas. */
const mediaDeleted: typeof MEDIA_DELETED = 'media_deleted'

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
  if (error?.code === mediaDeleted) return { obstacle: 'mediaDeleted' }
  if (state === 'unconfirmed' && !canReconcile) return { obstacle: 'unconfirmed' }
  return { state: 'queued' }
}

export const isCancellable = (state: DeliveryState): state is From<'cancel'> => state === 'queued'

export const isResolvable = (state: DeliveryState): state is From<'resolve'> => state === 'unconfirmed'

/** The result of marking a delivery as published: its owner has published the missing acts by hand. */
export function marked({
  state,
  error,
}: Delivery): Allowed<'markDelivery', 'draft' | 'publishing' | 'published' | 'removed'> {
  if (state === 'waiting') return { obstacle: 'draft' }
  if (state === 'publishing') return { obstacle: 'publishing' }
  if (isRemoval(state)) return { obstacle: 'removed' }
  state satisfies From<'markDelivery'>
  if (state === 'published' && error === null) return { obstacle: 'published' }
  return { state: 'published' }
}

const isRemoval = (state: DeliveryState): state is RemovalState =>
  state === 'removing' || state === 'removed' || state === 'remove_failed'

/**
 * The result of taking a delivery down that is not taken down yet. `isOut`: an act of it is on the network. `isOpen`:
 * the outcome of a call is unknown.
 */
export function removal({
  state,
  isOut,
  isOpen = false,
}: Pick<Delivery, 'state'> & { isOut: boolean; isOpen?: boolean }): Allowed<
  'remove',
  'publishing' | 'unconfirmed' | 'unpublished' | 'queued'
> {
  if (state === 'publishing') return { obstacle: 'publishing' }
  if (state === 'unconfirmed') return { obstacle: 'unconfirmed' }
  if (!isOut || state === 'waiting') return { obstacle: 'unpublished' }
  if (state === 'queued') return { obstacle: 'queued' }
  // Held back after a call.
  if (isOpen) return { obstacle: 'unconfirmed' }
  state satisfies From<'remove'> | 'removing' | 'removed'
  return { state: 'removing' }
}

/** The obstacle to an edit of a delivery; undefined if it can be edited. `isOut`: an act of it is on the network. */
export function findEditObstacle({ state, isOut }: Pick<Delivery, 'state'> & { isOut: boolean }) {
  if (state === 'publishing' || state === 'unconfirmed') return state
  if (isRemoval(state)) return 'removed'
  if (!isOut || state === 'waiting') return 'unpublished'
  if (state === 'queued') return 'queued'
  return state === 'published' ? undefined : 'unpublished'
}

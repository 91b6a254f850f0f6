import type { EventType } from '../../schemas/event.ts'

/** The types of events that the sandbox can make happen within seconds. */
export const TRIGGERED_TYPES = [
  'post.created',
  'post.updated',
  'post.deleted',
  'post.settled',
  'delivery.published',
  'delivery.failed',
  'delivery.unconfirmed',
  'delivery.cancelled',
  'delivery.removed',
  'delivery.edited',
  'delivery.resolved',
  'delivery.retried',
  'account.updated',
] as const satisfies EventType[]

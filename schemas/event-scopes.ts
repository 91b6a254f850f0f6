import { EVENT_TYPES, type EventType } from './event.ts'
import type { Scope } from './scopes.ts'

/** The scope that each family of events requires of the key of a reader. */
const FAMILY_SCOPES = {
  post: 'posts:read',
  delivery: 'posts:read',
  metrics: 'posts:read',
  account: 'accounts:read',
  key: 'keys:manage',
  webhook: 'webhooks:manage',
  sandbox: 'posts:read',
} as const satisfies Record<string, Scope>

/** The scope that each type of event requires. */
export const EVENT_SCOPES = Object.fromEntries(
  EVENT_TYPES.map((type) => [type, FAMILY_SCOPES[type.split('.')[0] as keyof typeof FAMILY_SCOPES]]),
) as Record<EventType, Scope>

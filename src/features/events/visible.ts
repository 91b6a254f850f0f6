import type { KeyRights } from '../../../db/queries/keys.ts'
import { EVENT_TYPES, type EventType } from '../../../schemas/event.ts'
import { EVENT_SCOPES } from '../../../schemas/event-scopes.ts'
import { expandPattern } from '../../../schemas/list-events.ts'
import { hasScope } from '../../../schemas/scopes.ts'
import { requireScope } from '../../base/http/rights.ts'

/**
 * The types of event that a key may see, of those that `patterns` name; null for all types. Throws 403 if the key lacks
 * the scope of a type that it names, or may see none: such a reader would wait for ever.
 */
export function visibleTypes(rights: KeyRights, patterns: readonly string[] | undefined): EventType[] | null {
  if (patterns) {
    const types = [...new Set(patterns.flatMap(expandPattern))]
    for (const type of types) requireScope(rights, EVENT_SCOPES[type])
    return types
  }
  const types = EVENT_TYPES.filter((type) => hasScope(rights, EVENT_SCOPES[type]))
  if (types.length === 0) requireScope(rights, 'posts:read')
  return types.length === EVENT_TYPES.length ? null : types
}

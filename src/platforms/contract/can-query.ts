import type { Act, AnyAdapter } from './adapter.ts'
import type { Credentials } from './io.ts'

/**
 * Whether a network can be queried for an act whose response was lost. Without the act or the credentials, whether it
 * can be for any.
 */
export function canQuery(
  { reconcile, guarantee }: AnyAdapter,
  act?: Pick<Act, 'kind' | 'postType'>,
  credentials?: Credentials,
): boolean {
  if (!reconcile) return false
  if (typeof guarantee !== 'function') return guarantee !== 'at-most-once'
  return !act || !credentials || guarantee(act, credentials) !== 'at-most-once'
}

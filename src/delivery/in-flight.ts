import type { Act, AnyAdapter } from '../platforms/contract/adapter.ts'
import type { Guarantee } from '../platforms/contract/guarantee.ts'
import type { Credentials } from '../platforms/contract/io.ts'
import { CALL_IN_FLIGHT_MAX_MS } from './timing.ts'

type ActOfGuarantee = Pick<Act, 'kind' | 'postType'>

/** The guarantee of an act; undefined if it depends on an act or on credentials that are unknown. */
export const guaranteeOf = (
  { guarantee }: Pick<AnyAdapter, 'guarantee'>,
  act?: ActOfGuarantee,
  credentials?: Credentials,
): Guarantee | undefined => {
  if (typeof guarantee !== 'function') return guarantee
  return act && credentials && guarantee(act, credentials)
}

/**
 * How long a call whose response was lost may still be on its way. The network is not queried before. An exactly-once
 * network ignores the first call if the same call arrives again.
 */
export function callInFlightMs(adapter: AnyAdapter, act?: ActOfGuarantee, credentials?: Credentials): number {
  const { showsWithinMs = 0 } = adapter
  const guarantee = guaranteeOf(adapter, act, credentials)
  return guarantee === 'reconcilable' || guarantee === undefined ? Math.max(CALL_IN_FLIGHT_MAX_MS, showsWithinMs) : 0
}

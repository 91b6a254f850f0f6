import type { Act, AnyAdapter } from '../../platforms/contract/adapter.ts'
import type { Guarantee } from '../../platforms/contract/guarantee.ts'
import type { Credentials } from '../../platforms/contract/io.ts'
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
 * How long a call that lost its response may take to arrive and to show. The network is not queried before, also not an
 * exactly-once network: after an act was changed or removed, its first call would no longer be ignored.
 */
export const callInFlightMs = ({ showsWithinMs = 0 }: Pick<AnyAdapter, 'showsWithinMs'>): number =>
  Math.max(CALL_IN_FLIGHT_MAX_MS, showsWithinMs)

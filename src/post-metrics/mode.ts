import type { PlatformId } from '../../schemas/platform.ts'
import { PLATFORM_IDS } from '../../schemas/platform-ids.ts'
import type { MetricRules } from '../platforms/contract/metrics.ts'
import { NETWORKS } from '../platforms/networks.ts'

/** off: nothing is read. on: what costs nothing. paid: also what costs money. */
export type MetricsMode = 'off' | 'on' | 'paid'

/** The numbers that a network tells about posts; undefined if it tells none. */
export const rulesOf = (platform: PlatformId): MetricRules | undefined => NETWORKS[platform].metrics

/** The networks that are read. */
export const listReadPlatforms = (mode: MetricsMode): PlatformId[] =>
  PLATFORM_IDS.filter((id) => {
    const rules = rulesOf(id)
    return mode !== 'off' && rules && rules.offered.length > 0 && (mode === 'paid' || !rules.price)
  })

/**
 * The scopes that reading needs beside those of publishing. Accounts that are connected by credentials have none to
 * name.
 */
export const isGranted = (scope: string | undefined, scopes: readonly string[] | null): boolean =>
  scope === undefined || scopes === null || scopes.includes(scope)

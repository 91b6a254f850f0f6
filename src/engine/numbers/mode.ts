import type { PlatformId } from '../../../schemas/platform.ts'
import { PLATFORM_IDS } from '../../../schemas/platform-ids.ts'
import type { MetricRules } from '../../platforms/contract/metrics.ts'
import { NETWORKS } from '../../platforms/networks.ts'
import { isOfKind, isRead } from '../../platforms/offered-metrics.ts'

/** off: nothing is read. on: what costs nothing. paid: also what costs money. */
export type MetricsMode = 'off' | 'on' | 'paid'

/** The networks that are read. */
export const listReadPlatforms = (mode: MetricsMode): PlatformId[] =>
  PLATFORM_IDS.filter((id) => {
    const { metrics } = NETWORKS[id]
    return mode !== 'off' && isRead(metrics) && (mode === 'paid' || !metrics.price)
  })

/** The most calls of a UTC day on each of these networks; null does not restrict. */
export const listCallMaxima = (platforms: readonly PlatformId[]): (number | null)[] =>
  platforms.map((platform) => NETWORKS[platform].metrics.callsPerDayMax ?? null)

interface Account {
  platform: PlatformId
  externalId: string | null
  /** Null for an account that is connected by credentials: these have no scopes to name. */
  scopes: readonly string[] | null
}

/** Whether the account has granted the scope that a number or a change needs. */
export const isGranted = ({ scope }: { scope?: string }, { scopes }: Pick<Account, 'scopes'>): boolean =>
  scope === undefined || scopes === null || scopes.includes(scope)

/** Whether earlier numbers of the account may be kept. */
export function mayKeep({ noHistory }: MetricRules, account: Account): boolean {
  return !noHistory || !isOfKind(noHistory.accounts, account)
}

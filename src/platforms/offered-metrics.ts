import type { PlatformId } from '../../schemas/platform.ts'
import type { AccountKind } from './contract/guarantee.ts'
import type { MetricRule, MetricRules } from './contract/metrics.ts'
import { platforms } from './limits.ts'
import { NETWORKS } from './networks.ts'

interface Account {
  platform: PlatformId
  externalId: string | null
}

export const isOfKind = (kind: AccountKind | undefined, { platform, externalId }: Account): boolean =>
  kind === undefined || kind === platforms[platform].findAccountKind?.(externalId ?? '')

/** The numbers that the network tells about posts of the account. */
export const offeredTo = (account: Account): readonly MetricRule[] =>
  NETWORKS[account.platform].metrics.offered.filter(({ accounts }) => isOfKind(accounts, account))

/** Whether posts of the network are read at all. */
export const isRead = ({ offered, tellsPresence }: MetricRules): boolean => offered.length > 0 || tellsPresence === true

/** Whether a post that is gone is noticed. */
export const tellsGone = (rules: MetricRules): boolean => isRead(rules) && !rules.hidesGone

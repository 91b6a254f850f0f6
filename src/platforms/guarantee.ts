import type { Guarantee, GuaranteeRule, Platform } from './limits.ts'

const WEAKEST_FIRST: readonly Guarantee[] = ['at-most-once', 'reconcilable', 'exactly-once']

export type ActKind = NonNullable<GuaranteeRule['act']>

const KINDS = ['members', 'organizations'] as const

/** What holds for an act on each kind of account: nothing if posts cannot be published to the network. */
export const findGuarantees = ({ guarantees = [] }: Platform, act: ActKind) =>
  KINDS.flatMap((accounts) => {
    const rule = guarantees.find((rule) => (rule.act ?? act) === act && (rule.accounts ?? accounts) === accounts)
    return rule ? [{ accounts, rule }] : []
  })

/**
 * The weakest guarantee of a network for these acts, on accounts of any kind: the kind may change with the next
 * connection. Null if posts cannot be published to the network.
 */
export function findWeakestGuarantee(platform: Platform, acts: readonly ActKind[]): Guarantee | null {
  const found = new Set(acts.flatMap((act) => findGuarantees(platform, act).map(({ rule }) => rule.guarantee)))
  return WEAKEST_FIRST.find((guarantee) => found.has(guarantee)) ?? null
}

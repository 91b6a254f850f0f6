import type { OnNetwork } from './contract/adapter.ts'
import type { EditRule, RemovalRule } from './contract/changes.ts'
import type { AccountKind } from './contract/guarantee.ts'

/**
 * Why the network leaves an act as it is, in a sentence for its owner; undefined if it takes the change. `accounts` is
 * undefined where the network does not tell kinds of accounts apart.
 */
export function findObstacle(
  rule: RemovalRule | EditRule,
  act: OnNetwork,
  accounts: AccountKind | undefined,
  now: Date,
): string | undefined {
  if (!rule.possible) return rule.reason
  const { exceptions = [], minutesMax } = rule
  const exception = exceptions.find(
    (each) =>
      (each.accounts ?? accounts) === accounts &&
      (each.kind ?? act.kind) === act.kind &&
      (each.postTypes?.includes(act.postType) ?? true) &&
      (each.test?.(act) ?? true),
  )
  if (exception) return exception.reason
  const ageMs = now.getTime() - act.publishedAt.getTime()
  if (minutesMax === undefined || ageMs <= minutesMax * 60_000) return undefined
  return `The network takes this only for ${durationOf(minutesMax)} after the post was published.`
}

export const durationOf = (minutes: number) => (minutes % 60 === 0 ? `${minutes / 60} hours` : `${minutes} minutes`)

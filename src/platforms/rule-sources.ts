import type { Network } from './contract/network.ts'
import type { Source } from './contract/source.ts'

/** Networks change their rules. A rule that nobody has compared with its page for this long may be wrong. */
const REVIEW_MONTHS = 6

type Rules = Pick<Network, 'limits' | 'appearance' | 'software' | 'metrics' | 'changes'>

/** The pages of a network's rules that were last seen more than six months ago. */
export function findOldSources({ limits, appearance, software, metrics, changes }: Rules, now: Date): Source[] {
  const border = new Date(now)
  border.setUTCMonth(border.getUTCMonth() - REVIEW_MONTHS)
  const day = border.toISOString().slice(0, 10)
  const old = [...findSources([limits, appearance, software, metrics, changes])].filter(({ seenAt }) => seenAt < day)
  return [...new Map(old.map((source) => [source.url, source])).values()]
}

function* findSources(value: unknown): Generator<Source> {
  if (typeof value !== 'object' || value === null) return
  if ('seenAt' in value) yield value as Source
  else for (const part of Object.values(value)) yield* findSources(part)
}

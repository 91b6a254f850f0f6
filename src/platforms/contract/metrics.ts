import type { DeliveryError } from '../../../schemas/delivery.ts'
import type { Metric, MetricReason } from '../../../schemas/metric-names.ts'
import type { PostType } from '../../../schemas/platform.ts'
import type { AccountKind } from './guarantee.ts'
import type { Io } from './io.ts'
import type { Price } from './limits.ts'
import type { Source } from './source.ts'

/** A number that a network tells about a published post. */
export interface MetricRule {
  metric: Metric
  /** The network's own name, under which `readMetrics` returns it. */
  native: string
  /** The scope that the account needs to have granted; absent if those for publishing will do. */
  scope?: string
  /** Absent: every account. */
  accounts?: AccountKind
  source: Source
}

/** The numbers that a network tells about published posts. A name without an entry is not offered. */
export interface MetricRules {
  /** At most one for each name and kind of account. Empty: the network tells none, for the reason in `note`. */
  offered: readonly MetricRule[]
  /** How many posts one call reads. */
  postsPerCall: number
  /** The calls of one UTC day by all accounts, where publishing needs the rest of a quota. Absent: any number. */
  callsPerDayMax?: number
  /** The price of a reading. Repeated readings of a post on the same UTC day are one. Absent: it costs nothing. */
  price?: Price
  /** `readMetrics` without names tells whether a post is there, with the scopes for publishing. */
  tellsPresence?: true
  /** Posts that are gone look like others that the network leaves out, for the reason in `note`. */
  hidesGone?: true
  /** Users are not asked for the scopes, unless their app names them: the network refuses those that an app lacks. */
  appsNameScopes?: true
  /** The page that forbids to keep earlier readings, and for which accounts; absent if they may be kept. */
  noHistory?: { accounts?: AccountKind; source: Source }
  /** Further facts for readers of the numbers. */
  note?: string
  /** Absent for the sandbox. */
  source?: Source
}

/** A published post of an account, on its network. */
export interface MeasuredPost {
  id: string
  /** The `ref` of the act; null if it has none. */
  ref: string | null
  url: string | null
  postType: PostType
  /** Milliseconds since it became visible. */
  ageMs: number
}

/**
 * One post as its network sees it. `counts` has the reported numbers under the network's own names, `missing` the
 * reasons of names that are absent there. shown: the network shows the post, and no number was asked for. gone: it does
 * not show it. too_old: it tells nothing any more,
 * and was not asked. `error` is of this post alone: what concerns all of them is thrown.
 */
export type PostReading =
  | { counts: Readonly<Record<string, number>>; missing?: Readonly<Record<string, MetricReason>> }
  | 'shown'
  | 'gone'
  | 'too_old'
  | { error: DeliveryError }

/**
 * Reads the numbers of published posts of one account, as many as `MetricRules.postsPerCall` at most, in their order.
 * `names` are the native names that the account may read: none only where `MetricRules.tellsPresence` is set.
 */
export type ReadMetrics = (
  posts: readonly MeasuredPost[],
  names: ReadonlySet<string>,
  io: Io,
) => Promise<readonly PostReading[]>

/** Only the numbers among the values at these names. A network may leave a name out, or send null. */
export function pickCounts(names: Iterable<string>, read: (name: string) => unknown): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const name of names) {
    const value = read(name)
    // YouTube sends counts as texts.
    const count = typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : value
    if (typeof count === 'number' && Number.isFinite(count)) counts[name] = count
  }
  return counts
}

import type { Db } from '../../../db/client.ts'
import { type Nearby, type OtherPost, readNearby, type WantedDelivery } from '../../../db/queries/posts/nearby.ts'
import type { QueuedDelivery } from '../../../db/queries/queue.ts'
import type { BodyPath, PostWarning } from '../../../schemas/warning.ts'
import { createOverridePaths } from '../../platforms/rules/context.ts'
import { captionPath } from '../../platforms/rules/paths.ts'
import type { TextCache } from '../../platforms/rules/text-cache.ts'
import { createAccountNames } from '../../platforms/rules/wording.ts'
import type { TargetAccount } from '../../platforms/violations.ts'
import { findDailyLimit, nearbyTermsOf } from './nearby-terms.ts'
import { timeFor } from './schedule.ts'
import { DAY_MS } from './time-zone.ts'
import type { PostToWarn } from './warning-context.ts'

/** Milliseconds between posts of an account, below which there is a warning; null for none. */
export type PostGap = number | null

export interface PlacedPost {
  /** Absent for a post that is not stored. */
  id?: string
  userId: string
  post: PostToWarn
  accounts: readonly TargetAccount[]
  /** Names the post in warnings about others of the same request. */
  name?: string
}

interface KnownNearby {
  gapMs: PostGap
  texts: TextCache
  /** The moves of stored posts that make room for these. */
  moves: readonly QueuedDelivery[]
}

/** How warnings name a post whose id is not known to the caller. */
export const nameInRequest = ({ externalReference }: { externalReference?: string }, index: number): string =>
  externalReference === undefined ? `posts[${index}]` : `the post with the externalReference ${externalReference}`

/**
 * The warnings about other posts of the accounts, for each of these posts: those that are stored, and those before it
 * in the same request. A draft has no time, and so no warnings.
 */
export async function readNearbyWarnings(
  db: Db,
  posts: readonly PlacedPost[],
  { gapMs, texts, moves }: KnownNearby,
): Promise<PostWarning[][]> {
  const now = Date.now()
  const wanted = posts.flatMap((placed, ordinal) => placeDeliveries(placed, ordinal, now, texts))
  if (wanted.length === 0) return posts.map(() => [])
  const peers = findPeers(wanted, posts, gapMs)
  const stored = await readNearby(
    db,
    wanted.map((delivery, index) => ({
      ...delivery,
      dayFrom: delivery.dayFrom === null ? null : Math.max(0, delivery.dayFrom - peers[index]!.today),
    })),
    { gapMs, moves },
  )
  const known = new Map(stored.map((each) => [`${each.ordinal} ${each.accountId}`, each]))
  const nearby = posts.map((): Nearby[] => [])
  for (const [index, { ordinal, accountId }] of wanted.entries()) {
    const [found, peer] = [known.get(`${ordinal} ${accountId}`), peers[index]!]
    nearby[ordinal]!.push({
      accountId,
      repeated: found?.repeated ?? peer.repeated,
      near: found?.near ?? peer.near,
      today: typeof found?.today === 'number' ? found.today + peer.today : null,
    })
  }
  return posts.map(({ post, accounts }, index) => toNearbyWarnings(post, accounts, nearby[index]!))
}

function placeDeliveries(
  { id = undefined, userId, post, accounts }: PlacedPost,
  ordinal: number,
  now: number,
  texts: TextCache,
): WantedDelivery[] {
  return accounts.flatMap((account) => {
    const time = timeFor(post, account.id)
    if (!time) return []
    const dueAt = new Date(Math.max(time.getTime(), now))
    return {
      ...{ ordinal, userId, postId: id ?? null, accountId: account.id, dueAt },
      ...nearbyTermsOf(account, contentFor(post, account.id), texts),
    }
  })
}

/** The content of a post that one account gets. */
export const contentFor = ({ postType, caption, overrides, threadParts }: PostToWarn, accountId: string) => ({
  ...overrides.get(accountId),
  postType,
  caption,
  threadParts: threadParts.get(accountId) ?? null,
})

const SAME_TEXT_MS = 7 * DAY_MS

type Peer = OtherPost & { name?: string | undefined }

interface Peers {
  repeated: Peer | null
  near: Peer | null
  /** The number in the 24 hours before. */
  today: number
}

/** For each delivery, those of the same account in posts before it in the request. */
function findPeers(wanted: readonly WantedDelivery[], posts: readonly PlacedPost[], gapMs: PostGap): Peers[] {
  const before = new Map<string, WantedDelivery[]>()
  return wanted.map((delivery) => {
    const others = before.get(delivery.accountId) ?? []
    before.set(delivery.accountId, others)
    const msBefore = (other: WantedDelivery) => delivery.dueAt.getTime() - other.dueAt.getTime()
    const find = (ms: number, isWanted: (other: WantedDelivery) => boolean): Peer | null => {
      const other = others.find((other) => Math.abs(msBefore(other)) <= ms && isWanted(other))
      return other ? { postId: null, at: other.dueAt.toISOString(), name: posts[other.ordinal]!.name } : null
    }
    const { textDigest } = delivery
    const peers = {
      repeated: find(SAME_TEXT_MS, (other) => textDigest !== null && other.textDigest === textDigest),
      near: gapMs === null ? null : find(gapMs, () => true),
      today: others.filter((other) => msBefore(other) >= 0 && msBefore(other) < DAY_MS).length,
    }
    others.push(delivery)
    return peers
  })
}

/** The warnings about other posts, in the order of the accounts. */
export function toNearbyWarnings(
  post: PostToWarn,
  accounts: readonly TargetAccount[],
  nearby: readonly Nearby[],
): PostWarning[] {
  if (nearby.length === 0) return []
  const nameOf = createAccountNames(accounts)
  const known = new Map(accounts.map((account) => [account.id, account]))
  const findOverridePath = post.findOverridePath ?? createOverridePaths(post)
  return nearby.flatMap(({ accountId, repeated, near, today }) => {
    const account = known.get(accountId)!
    const warning = (code: PostWarning['code'], path: BodyPath, problem: string, other?: OtherPost): PostWarning => ({
      ...{ code, path, accountId },
      ...(other?.postId && { postId: other.postId }),
      message: `${nameOf(account)}: ${problem}`,
    })
    const textPath = () =>
      post.postType === 'thread' && post.threadParts.get(accountId)?.length
        ? ['threadParts', accountId]
        : captionPath({ post, accountId, findOverridePath })
    const timePath = () => {
      if (post.queue) return ['schedule']
      return [...(post.accountTimes.has(accountId) ? findOverridePath(accountId) : []), 'scheduledAt']
    }
    return [
      ...(repeated
        ? [warning('repeated_text', textPath(), `the same text is in ${describe(repeated)}`, repeated)]
        : []),
      ...(near ? [warning('close_posts', timePath(), `close to this post is ${describe(near)}`, near)] : []),
      ...(today === null ? [] : [warning('daily_limit', timePath(), describeDay(account, post, today))]),
    ]
  })
}

const describe = ({ postId, at, name }: Peer) =>
  `${name ?? (postId ? `post ${postId}` : 'a post of another user')}, due or published at ${at}`

function describeDay({ platform }: TargetAccount, { postType }: PostToWarn, before: number): string {
  const { limit, resource } = findDailyLimit(platform, postType)!
  const left = limit - before - 1
  return left < 0
    ? `the network allows ${limit} ${resource} in 24 hours, and as many come before this one: choose another time`
    : `this is number ${before + 1} of the ${limit} ${resource} that the network allows in 24 hours: ${left} left`
}

import type { Db } from '../../../db/client.ts'
import { type Nearby, type OtherPost, readNearby, type WantedDelivery } from '../../../db/queries/posts/nearby.ts'
import type { QueuedDelivery } from '../../../db/queries/queue.ts'
import type { BodyPath, PostWarning } from '../../../schemas/warning.ts'
import { captionPath } from '../../platforms/rules/paths.ts'
import type { TextCache } from '../../platforms/rules/text-cache.ts'
import { createAccountNames } from '../../platforms/rules/wording.ts'
import type { AccountTarget, LoadedPost } from './load.ts'
import { findDailyLimit, nearbyTermsOf } from './nearby-terms.ts'
import { dueTime } from './schedule.ts'
import { DAY_MS } from './time-zone.ts'

/** Milliseconds between posts of an account, below which there is a warning; null for none. */
export type PostGap = number | null

interface PlacedPost {
  /** Absent for a post that is not stored. */
  id?: string
  userId: string
  post: LoadedPost
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
export const nameInRequest = ({ externalReference }: Pick<LoadedPost, 'externalReference'>, index: number): string =>
  externalReference === null ? `posts[${index}]` : `the post with the externalReference ${externalReference}`

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
    const found = known.get(`${ordinal} ${accountId}`)
    const peer = peers[index]!
    nearby[ordinal]!.push({
      accountId,
      repeated: found?.repeated ?? peer.repeated,
      near: found?.near ?? peer.near,
      today: typeof found?.today === 'number' ? found.today + peer.today : null,
    })
  }
  return posts.map(({ post }, index) => toNearbyWarnings(post, nearby[index]!))
}

function placeDeliveries(
  { id, userId, post }: PlacedPost,
  ordinal: number,
  now: number,
  texts: TextCache,
): WantedDelivery[] {
  return post.targets.flatMap((target) => {
    const time = dueTime(post, target)
    if (!time) return []
    const { accountId, account } = target
    const dueAt = new Date(Math.max(time.getTime(), now))
    const terms = nearbyTermsOf(account.platform, post, target, texts)
    return { ordinal, userId, postId: id ?? null, accountId, dueAt, ...terms }
  })
}

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
export function toNearbyWarnings(post: LoadedPost, nearby: readonly Nearby[]): PostWarning[] {
  if (nearby.length === 0) return []
  const nameOf = createAccountNames(post.targets)
  const known = new Map(post.targets.map((target) => [target.accountId, target]))
  return nearby.flatMap(({ accountId, repeated, near, today }) => {
    const target = known.get(accountId)!
    const warning = (code: PostWarning['code'], path: BodyPath, problem: string, other?: OtherPost): PostWarning => ({
      code,
      path,
      accountId,
      ...(other?.postId && { postId: other.postId }),
      message: `${nameOf(target.account)}: ${problem}`,
    })
    const textPath = () =>
      post.postType === 'thread' && target.threadParts?.length ? ['threadParts', accountId] : captionPath(target)
    const timePath = () => {
      if (post.queue) return ['schedule']
      return target.scheduledAt ? [...target.path, 'scheduledAt'] : ['scheduledAt']
    }
    return [
      ...(repeated
        ? [warning('repeated_text', textPath(), `the same text is in ${describe(repeated)}`, repeated)]
        : []),
      ...(near ? [warning('close_posts', timePath(), `close to this post is ${describe(near)}`, near)] : []),
      ...(today === null ? [] : [warning('daily_limit', timePath(), describeDay(target, today))]),
    ]
  })
}

const describe = ({ postId, at, name }: Peer) =>
  `${name ?? (postId ? `post ${postId}` : 'a post of another user')}, due or published at ${at}`

function describeDay({ account, postType }: AccountTarget, before: number): string {
  const { limit, resource } = findDailyLimit(account.platform, postType)!
  const left = limit - before - 1
  return left < 0
    ? `the network allows ${limit} ${resource} in 24 hours, and as many come before this one: choose another time`
    : `this is number ${before + 1} of the ${limit} ${resource} that the network allows in 24 hours: ${left} left`
}

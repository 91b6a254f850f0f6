import type { Db } from '../../../db/client.ts'
import { findWrongClaim, findWrongEvents, type PostEvent } from '../../helpers/promises.ts'
import type { Follower, Person, Seen } from './clients.ts'

type StoredEvent = PostEvent & Seen & { globalPosition: number; userId: string }

/** Compares what followers have seen with the database, and the events in it with posts and deliveries. */
export async function findBreaches(db: Db, people: Person[], followers: Follower[]): Promise<string[]> {
  const events = (await db
    .selectFrom('events')
    .select(['userId', 'position', 'globalPosition', 'id', 'type', 'postId', 'accountIds'])
    .orderBy('userId')
    .orderBy('position')
    .execute()) as StoredEvent[]
  const posts = await db.selectFrom('posts').select(['id', 'userId']).execute()
  const deliveries = await db.selectFrom('postTargets').select(['userId', 'postId', 'accountId', 'state']).execute()
  const ofUser = <T extends { userId: string }>(rows: T[], userId: string | null) =>
    rows.filter((row) => row.userId === userId)
  const ofEveryone = events.toSorted((a, b) => a.globalPosition - b.globalPosition)
  const ids = new Set(posts.map(({ id }) => id))
  return [
    ...people
      .flatMap(({ userId, created }) => [
        ...findWrongEvents(ofUser(events, userId), ofUser(posts, userId), ofUser(deliveries, userId)),
        ...created.flatMap((id) => findWrongClaim({ name: `post ${id}`, ids: [id], stored: ids.has(id) ? [id] : [] })),
      ])
      .map(({ text }) => text),
    ...followers.flatMap(({ seen, person: { userId } }, index) =>
      findDifference(`follower ${index}`, seen, userId === null ? ofEveryone : ofUser(events, userId)),
    ),
    ...[...new Set(events.flatMap(({ postId }) => postId ?? []))]
      .filter((id) => !ids.has(id))
      .map((id) => `an event names the post ${id}, which does not exist`),
    ...findUnsettled(deliveries, events),
  ]
}

/** Each event once, in the order of positions. */
function findDifference(name: string, seen: Seen[], stored: Seen[]): string[] {
  const text = ({ position, id, type }: Seen) => `${position} ${type} ${id}`
  const seenTexts = seen.map(text)
  const storedTexts = stored.map(text)
  if (seenTexts.join() === storedTexts.join()) return []
  const missing = storedTexts.filter((event) => !seenTexts.includes(event))
  const repeated = seenTexts.filter((event, index) => seenTexts.indexOf(event) !== index)
  const unknown = seenTexts.filter((event) => !storedTexts.includes(event))
  const lists = Object.entries({ missing, repeated, unknown }).map(
    ([kind, list]) => `${list.length} ${kind}: ${list.slice(0, 3)}`,
  )
  return [`${name} saw ${seen.length} of ${stored.length} events, or in another order; ${lists.join('; ')}`]
}

/** Each delivery is published, and each post has one post.settled, after all that its deliveries have. */
function findUnsettled(
  deliveries: { postId: string; accountId: string; state: string }[],
  events: StoredEvent[],
): string[] {
  const byPost = Map.groupBy(events, ({ postId }) => postId)
  return deliveries.flatMap(({ postId, accountId, state }) => {
    const types = (byPost.get(postId) ?? []).map(({ type }) => type)
    const isSettledLast = types.indexOf('post.settled') > types.lastIndexOf('delivery.published')
    const isSettledOnce = types.indexOf('post.settled') === types.lastIndexOf('post.settled')
    return [
      ...(state === 'published' ? [] : [`delivery ${postId} ${accountId} is ${state}`]),
      ...(isSettledLast && isSettledOnce ? [] : [`the post ${postId} has the events ${types.join()}`]),
    ]
  })
}

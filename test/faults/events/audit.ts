import type { Db } from '../../../db/client.ts'
import { findGaps, findWrongPosts } from '../../simulation/promises.ts'
import type { Follower, Person, Seen } from './clients.ts'

type StoredEvent = Seen & { globalPosition: number; userId: string; postId: string | null; accountIds: string[] | null }

/** Compares what followers have seen with the database, and the events in it with posts and deliveries. */
export async function findBreaches(db: Db, people: Person[], followers: Follower[]): Promise<string[]> {
  const events = (await db
    .selectFrom('events')
    .select(['userId', 'position', 'globalPosition', 'id', 'type', 'postId', 'accountIds'])
    .orderBy('userId')
    .orderBy('position')
    .execute()) as StoredEvent[]
  const ofUser = (userId: string) => events.filter((event) => event.userId === userId)
  const ofEveryone = events.toSorted((a, b) => a.globalPosition - b.globalPosition)
  return [
    ...people.flatMap(({ userId }) => findGaps(ofUser(userId))),
    ...followers.flatMap((follower, index) =>
      findDifference(
        `follower ${index}`,
        follower.seen,
        follower.person.userId === null ? ofEveryone : ofUser(follower.person.userId),
      ),
    ),
    ...findWrongPosts(await db.selectFrom('posts').select('id').execute(), events),
    ...(await findLostPosts(db, people, events)),
    ...(await findWrongDeliveries(db, events)),
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

/** The events of one type, by what they are about. */
function groupEvents(events: StoredEvent[], type: string, subjectOf: (event: StoredEvent) => string) {
  const groups = Map.groupBy(
    events.filter((event) => event.type === type),
    subjectOf,
  )
  return (subject: string) => groups.get(subject) ?? []
}

/** Each acknowledged post exists, and so does each post that an event names. */
async function findLostPosts(db: Db, people: Person[], events: StoredEvent[]): Promise<string[]> {
  const posts = await db.selectFrom('posts').select('id').execute()
  const ids = new Set(posts.map(({ id }) => id))
  const named = new Set(events.flatMap(({ postId }) => postId ?? []))
  const lost = people.flatMap(({ created }) => created).filter((id) => !ids.has(id))
  return [
    ...lost.map((id) => `post ${id} was acknowledged and is lost`),
    ...[...named].filter((id) => !ids.has(id)).map((id) => `an event names the post ${id}, which does not exist`),
  ]
}

/** Each published delivery has one delivery.published, and each post one post.settled after all of them. */
async function findWrongDeliveries(db: Db, events: StoredEvent[]): Promise<string[]> {
  const deliveries = await db.selectFrom('postTargets').select(['postId', 'accountId', 'state']).execute()
  const publishedOf = groupEvents(
    events,
    'delivery.published',
    ({ postId, accountIds }) => `${postId} ${accountIds![0]}`,
  )
  const settledOf = groupEvents(events, 'post.settled', ({ postId }) => postId!)
  return deliveries.flatMap(({ postId, accountId, state }) => {
    const published = publishedOf(`${postId} ${accountId}`)
    const settled = settledOf(postId)
    const breaches: string[] = []
    if (state !== 'published') breaches.push(`delivery ${postId} ${accountId} is ${state}`)
    if (published.length !== 1)
      breaches.push(`delivery ${postId} ${accountId} has ${published.length} delivery.published`)
    if (settled.length !== 1) breaches.push(`post ${postId} has ${settled.length} post.settled`)
    else if (published.some(({ position }) => position > settled[0]!.position)) {
      breaches.push(`post ${postId} is settled before its delivery to ${accountId} is published`)
    }
    return breaches
  })
}

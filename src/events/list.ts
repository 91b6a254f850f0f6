import type { Db } from '../../db/client.ts'
import { isId } from '../../db/id.ts'
import {
  type EventConditions,
  type EventRow,
  findEvent,
  findPositionBefore,
  listEvents,
  readBounds,
} from '../../db/queries/events/read.ts'
import { findKeyById, type KeyRights } from '../../db/queries/keys.ts'
import type { Event, EventType } from '../../schemas/event.ts'
import type { EventList, ListEventsQuery } from '../../schemas/list-events.ts'
import { timeOf } from '../../schemas/time.ts'
import { CursorExpired, fail, invalidRequest } from '../errors.ts'
import { type EventPlace, idEndOf, otherCursor, readEventCursor, writeEventCursor } from './cursor.ts'
import { visibleTypes } from './visible.ts'
import type { Waiters } from './waiters.ts'

interface Reader {
  userId: string
  keyId: string
  rights: KeyRights
}

/**
 * The events after a cursor, or from a time on. Waits for the first one until `signal` aborts. Throws 400 for a cursor
 * that is not the caller's, and 410 for one whose events are gone. Throws 401 if the key ends meanwhile, and 403 for a
 * type that the key may not see.
 */
export async function readEvents(
  { db, waiters }: { db: Db; waiters: Waiters },
  { userId, keyId, rights }: Reader,
  query: ListEventsQuery,
  signal: AbortSignal,
): Promise<EventList> {
  const conditionsOf = (rights: KeyRights): EventConditions => ({
    userId,
    types: visibleTypes(rights, query.types),
    postId: query.postId ?? null,
    accountId: query.accountId ?? null,
    listedAccountIds: rights.accountIds,
  })
  let conditions = conditionsOf(rights)
  const deadline = performance.now() + query.wait * 1000
  for (let place = await findStart(db, userId, query); ; ) {
    const { events, last, lastId } = await listEvents(db, { ...conditions, after: place.position, limit: query.limit })
    const bounds = await readBounds(db, { userId, after: place.position })
    // After the page: what it needs may have been removed before it was read.
    requirePlace(userId, place, bounds)
    // If the page is empty, the next one begins with the first event to come.
    if (lastId !== null) place = { position: last, idEnd: idEndOf(lastId) }
    else if (place === START) place = { position: bounds.first - 1, idEnd: null }
    const hasMore = place.position < bounds.last
    const remainingMs = deadline - performance.now()
    const page = { data: events.map(toEvent), nextCursor: writeEventCursor(userId, place), hasMore }
    if (events.length > 0 || remainingMs <= 0) return page
    if (hasMore) continue
    if (!(await waiters.wait({ userId, keyId }, place.position, remainingMs, signal))) return page
    // The key may have been revoked or narrowed meanwhile.
    conditions = conditionsOf(await readRights(db, keyId))
  }
}

/** The present rights of the key. Throws 401 if it has ended. */
async function readRights(db: Db, keyId: string): Promise<KeyRights> {
  const [key] = await findKeyById(db, { id: keyId })
  if (!key) throw fail('invalid_api_key')
  if (key.expiresAt && key.expiresAt.getTime() <= Date.now()) throw fail('expired_api_key')
  return key
}

/** The place at which a request without a cursor begins. Nothing before it is missing. */
const START: EventPlace = { position: 0, idEnd: null }

async function findStart(db: Db, userId: string, { after, from }: ListEventsQuery): Promise<EventPlace> {
  if (after !== undefined && from !== undefined) throw invalidRequest([AFTER_AND_FROM])
  if (after !== undefined && after !== 'now') return readEventCursor(userId, after)
  if (after === undefined && from === undefined) return START
  const bounds = await readBounds(db, { userId, after: null })
  const position =
    from === undefined ? bounds.last : await findPositionBefore(db, { userId, from: timeOf(from), ...bounds })
  return { position, idEnd: null }
}

const AFTER_AND_FROM = { code: 'custom' as const, path: ['from'], message: 'Cannot be combined with `after`' }

/** Throws 410 if events after the place are gone, and 400 if the place belongs to another database. */
function requirePlace(userId: string, place: EventPlace, bounds: Awaited<ReturnType<typeof readBounds>>): void {
  if (place === START) return
  const isOther = place.idEnd !== null && bounds.afterId !== null && idEndOf(bounds.afterId) !== place.idEnd
  if (isOther || place.position > bounds.last) throw otherCursor()
  if (place.position + 1 >= bounds.first) return
  throw new CursorExpired(writeEventCursor(userId, { position: bounds.first - 1, idEnd: null }))
}

/** An event that the caller may see. Throws 404 for any other. */
export async function getEvent(db: Db, { userId, rights }: Reader, id: string): Promise<Event> {
  const values = { userId, id, types: visibleTypes(rights, undefined), listedAccountIds: rights.accountIds }
  const row = isId(id) ? await findEvent(db, values) : undefined
  if (!row) throw fail('event_not_found')
  return toEvent(row)
}

/** An event as the interface has it. */
export function toEvent({ id, type, timestamp, position, postId, accountIds, data }: EventRow): Event {
  const isPost = type.startsWith('post.')
  const ids = {
    ...(postId !== null && { postId }),
    ...(accountIds && (isPost ? { accountIds } : { accountId: accountIds[0] })),
  }
  return { id, type: type as EventType, timestamp, position, data: { ...ids, ...data } } as Event
}

import type { Db } from '../../../db/client.ts'
import { isId } from '../../../db/id.ts'
import {
  type EventConditions,
  findEvent,
  findPlaceBefore,
  listEvents,
  readBounds,
  toEvent,
} from '../../../db/queries/events/read.ts'
import { EVERYONE } from '../../../db/queries/events/stream.ts'
import { findKeyById, type KeyRights } from '../../../db/queries/keys.ts'
import { findOrganization } from '../../../db/queries/tenants.ts'
import type { Event } from '../../../schemas/event.ts'
import type { EventList, GetEventQuery, ListEventsQuery } from '../../../schemas/list-events.ts'
import { hasScope } from '../../../schemas/scopes.ts'
import { timeOf } from '../../../schemas/time.ts'
import { CursorExpired, fail, invalidRequest } from '../../base/errors.ts'
import { requireScope } from '../../base/http/rights.ts'
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
 * of another stream, and 410 for one whose events are gone. Throws 401 if the key ends meanwhile, and 403 if it may not
 * see a type, or other users.
 */
export async function readEvents(
  { db, waiters }: { db: Db; waiters: Waiters },
  { userId, keyId, rights }: Reader,
  query: ListEventsQuery,
  signal: AbortSignal,
): Promise<EventList> {
  const { types, postId = null, accountId = null, organizationId = null, allUsers = false } = query
  const isOfEveryone = allUsers || organizationId !== null
  const streamId = isOfEveryone ? EVERYONE : userId
  const conditionsOf = (rights: KeyRights): EventConditions => {
    if (isOfEveryone) requireScope(rights, 'admin')
    return {
      userId: isOfEveryone ? null : userId,
      postId,
      accountId,
      organizationId,
      types: visibleTypes(rights, types),
      listedAccountIds: rights.accountIds,
    }
  }
  let conditions = conditionsOf(rights)
  if (organizationId !== null) await requireOrganization(db, organizationId)
  const deadline = performance.now() + query.wait * 1000
  for (let place = await findStart(db, streamId, conditions, query); ; ) {
    const { events, last, lastId } = await listEvents(db, { ...conditions, after: place.position, limit: query.limit })
    const bounds = await readBounds(db, { userId: conditions.userId, after: place.position })
    // After the page: what it needs may have been removed before it was read.
    requirePlace(streamId, place, bounds)
    // If the page is empty, the next one begins with the first event to come.
    if (lastId !== null) place = { position: last, idEnd: idEndOf(lastId) }
    else if (place === START) place = { position: bounds.first - 1, idEnd: null }
    const hasMore = place.position < bounds.last
    const remainingMs = deadline - performance.now()
    const data = events.map((event) => toEvent(event, isOfEveryone))
    const page = { data, nextCursor: writeEventCursor(streamId, place), hasMore }
    if (events.length > 0 || remainingMs <= 0 || signal.aborted) return page
    if (!hasMore && !(await waiters.wait({ streamId, userId, keyId }, place.position, remainingMs, signal))) return page
    // The key may have been revoked or narrowed meanwhile.
    conditions = conditionsOf(await readRights(db, keyId, rights))
  }
}

async function requireOrganization(db: Db, id: string): Promise<void> {
  if (!(await findOrganization(db, id))) throw fail('organization_not_found')
}

/** The present rights of the key, without those that its access token lacks. Throws 401 if it has ended. */
async function readRights(db: Db, keyId: string, { scopes }: KeyRights): Promise<KeyRights> {
  const [key] = await findKeyById(db, { id: keyId })
  if (!key) throw fail('invalid_api_key')
  if (key.expiresAt && key.expiresAt.getTime() <= Date.now()) throw fail('expired_api_key')
  return { ...key, scopes: key.scopes?.filter((scope) => hasScope({ scopes }, scope)) ?? null }
}

/** The place at which a request without a cursor begins. Nothing before it is missing. */
const START: EventPlace = { position: 0, idEnd: null }

async function findStart(
  db: Db,
  streamId: string,
  { userId }: EventConditions,
  { after, from }: ListEventsQuery,
): Promise<EventPlace> {
  if (after !== undefined && from !== undefined) throw invalidRequest([AFTER_AND_FROM])
  if (after !== undefined && after !== 'now') return readEventCursor(streamId, after)
  if (after === undefined && from === undefined) return START
  const bounds = await readBounds(db, { userId, after: null })
  const position =
    from === undefined ? bounds.last : await findPlaceBefore(db, { userId, from: timeOf(from), ...bounds })
  return { position, idEnd: null }
}

const AFTER_AND_FROM = { code: 'custom' as const, path: ['from'], message: 'Cannot be combined with `after`' }

/** Throws 410 if events after the place are gone, and 400 if the place belongs to another database. */
function requirePlace(streamId: string, place: EventPlace, bounds: Awaited<ReturnType<typeof readBounds>>): void {
  if (place === START) return
  const isOther = place.idEnd !== null && bounds.afterId !== null && idEndOf(bounds.afterId) !== place.idEnd
  if (isOther || place.position > bounds.last) throw otherCursor()
  if (place.position + 1 >= bounds.first) return
  throw new CursorExpired(writeEventCursor(streamId, { position: bounds.first - 1, idEnd: null }))
}

/** An event that the caller may see. Throws 404 for any other. */
export async function getEvent(
  db: Db,
  { userId, rights }: Reader,
  id: string,
  { allUsers = false }: GetEventQuery,
): Promise<Event> {
  if (allUsers) requireScope(rights, 'admin')
  const owner = allUsers ? null : userId
  const values = { userId: owner, id, types: visibleTypes(rights, undefined), listedAccountIds: rights.accountIds }
  const row = isId(id) ? await findEvent(db, values) : undefined
  if (!row) throw fail('event_not_found')
  return toEvent(row, allUsers)
}

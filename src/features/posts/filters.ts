import type { Db } from '../../../db/client.ts'
import { firstIdAt, NO_ID } from '../../../db/id.ts'
import { listTaggedAccountIds } from '../../../db/queries/accounts.ts'
import type { PostConditions } from '../../../db/queries/find/conditions.ts'
import type { OrganizationConditions } from '../../../db/queries/find/organization.ts'
import type { PostSource } from '../../../db/queries/find/sources.ts'
import type { Order, Range } from '../../../db/queries/find/walk.ts'
import type { KeyRights } from '../../../db/queries/keys.ts'
import type { DeliveryState } from '../../../schemas/delivery.ts'
import { NEEDS_OWNER_STATES } from '../../../schemas/delivery-states.ts'
import type { CountPostsQuery, ListDeliveriesQuery, ListPostsQuery } from '../../../schemas/find.ts'
import { NO_WORD } from '../../../schemas/messages.ts'
import { CURSOR_OF_FIRST_PAGE } from '../../../schemas/shared.ts'
import { timeOf } from '../../../schemas/time.ts'
import { invalidRequest } from '../../base/errors.ts'
import type { Place } from '../../base/http/cursor.ts'
import { findTextProblem } from '../../base/http/json.ts'
import { requireAdmin } from '../auth/roles.ts'
import { searchedWords } from './words.ts'

/**
 * States whose deliveries are in the index of those that need their owner. A cancelled one has an error, and so has one
 * that could not be taken down.
 */
const TROUBLED_STATES: readonly DeliveryState[] = [...NEEDS_OWNER_STATES, 'cancelled', 'remove_failed']

export const readTime = (text: string | undefined): Date | null => (text === undefined ? null : timeOf(text))

/** Who lists posts, and which accounts they may be for. */
export interface Caller {
  userId: string
  rights: KeyRights
}

type Filters = Omit<CountPostsQuery, 'by' | 'timeZone'>

/** The conditions of a request. Throws 400 for a reference that no post can have. */
export function readConditions(caller: Caller, query: Filters): PostConditions {
  const { externalReference } = query
  const words = query.q === undefined ? undefined : searchedWords(query.q)
  if (words?.length === 0) throw invalidRequest([NO_WORD])
  const problem = externalReference === undefined ? undefined : findTextProblem(externalReference)
  if (problem) throw invalidRequest([{ code: 'custom', path: ['externalReference'], message: problem }])
  return {
    ...readDeliveryConditions(caller, query),
    statuses: query.status ?? null,
    postType: query.postType ?? null,
    externalReference: externalReference ?? null,
    words,
    createdFrom: readTime(query.createdFrom),
    createdBefore: readTime(query.createdBefore),
    updatedFrom: readTime(query.updatedFrom),
    updatedBefore: readTime(query.updatedBefore),
  }
}

export const readDeliveryConditions = (
  { userId, rights: { accountIds } }: Caller,
  query: Pick<
    ListDeliveriesQuery,
    | 'organizationId'
    | 'state'
    | 'errorCode'
    | 'accountId'
    | 'accountTag'
    | 'platform'
    | 'scheduledFrom'
    | 'scheduledBefore'
  >,
) => ({
  userId,
  // Not null, so that the cursors of other requests stay valid.
  organizationId: query.organizationId,
  accountTag: query.accountTag,
  ...(accountIds && { listedAccountIds: accountIds }),
  states: query.state ?? null,
  errorCode: query.errorCode ?? null,
  accountId: query.accountId ?? null,
  platform: query.platform ?? null,
  scheduledFrom: readTime(query.scheduledFrom),
  scheduledBefore: readTime(query.scheduledBefore),
})

/**
 * Conditions with what the database knows of the organisation and of the tag that they name. Throws 403 if the user may
 * not see the posts of the organisation.
 */
export async function resolveConditions<C extends NamedConditions>(db: Db, conditions: C): Promise<C> {
  const { userId, organizationId, accountTag: tag } = conditions
  const found: NamedConditions = { ...conditions }
  if (organizationId !== undefined) {
    const { arePostsMarked } = await requireAdmin(db, userId, organizationId, 'not_organization_admin.lists')
    if (arePostsMarked) found.isMarked = true
  }
  if (tag !== undefined) found.taggedAccountIds = await listTaggedAccountIds(db, { userId, tag })
  return found as C
}

type NamedConditions = OrganizationConditions & Pick<PostConditions, 'accountTag' | 'taggedAccountIds'>

type Sort = NonNullable<ListPostsQuery['sort']>

/** The order that a filter on a time suggests, because an index serves both together. */
export function defaultSort(query: Filters): Sort {
  if (query.scheduledFrom !== undefined || query.scheduledBefore !== undefined) return 'scheduledAt'
  return query.updatedFrom !== undefined || query.updatedBefore !== undefined ? 'updatedAt' : 'createdAt'
}

/** Whether all deliveries that meet the conditions have an error, or wait for their owner. */
export const isTroubled = ({ states, errorCode }: Pick<PostConditions, 'states' | 'errorCode'>): boolean =>
  errorCode !== null || (states?.every((state) => TROUBLED_STATES.includes(state)) ?? false)

/** The index that serves the order and most of the conditions. */
export function chooseSource(sort: Sort, conditions: PostConditions): PostSource {
  const { externalReference, accountId, statuses, words, organizationId } = conditions
  if (sort === 'scheduledAt') return 'scheduled'
  if (sort === 'updatedAt') return 'updated'
  if (externalReference !== null) return 'reference'
  if (words !== undefined && organizationId === undefined) return 'words'
  if (isTroubled(conditions)) return 'troubled'
  if (accountId !== null) return 'account'
  return statuses?.length === 1 && statuses[0] !== 'published' ? 'unpublished' : 'all'
}

/**
 * An id has the time of the process that made it, and `createdAt` that of the database. They differ by the time that a
 * request takes, and by the difference of the clocks of two machines.
 */
const CLOCK_DIFFERENCE_MAX_MS = 60_000

/** The start of a walk, after `place` if it is set, and its end. */
export function rangeOf(sort: Sort, order: Order, conditions: PostConditions, place: Place | undefined): Range {
  const { createdFrom, createdBefore } = conditions
  const shifted = (time: Date, ms: number) => firstIdAt(new Date(time.getTime() + ms))
  const lowId = createdFrom ? shifted(createdFrom, -CLOCK_DIFFERENCE_MAX_MS) : NO_ID
  const highId = createdBefore ? shifted(createdBefore, CLOCK_DIFFERENCE_MAX_MS) : CURSOR_OF_FIRST_PAGE
  const [from, before] =
    sort === 'scheduledAt'
      ? [conditions.scheduledFrom, conditions.scheduledBefore]
      : [conditions.updatedFrom, conditions.updatedBefore]
  const low = from?.toISOString() ?? '-infinity'
  const high = before?.toISOString() ?? 'infinity'
  const isById = sort === 'createdAt'
  const isDescending = order === 'desc'
  return {
    startTime: place?.time ?? (isDescending ? high : low),
    // No post has the smallest id, so that a range begins with the first post of its time.
    startId: place?.ids[0] ?? (isById ? (isDescending ? highId : lowId) : NO_ID),
    endTime: isDescending ? low : high,
    endId: isDescending ? lowId : highId,
  }
}

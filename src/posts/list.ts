import type { Db } from '../../db/client.ts'
import { isId } from '../../db/id.ts'
import { countStates, readDeliveries } from '../../db/queries/find/included.ts'
import { findPosts } from '../../db/queries/find/posts.ts'
import { listListedPosts, listPosts } from '../../db/queries/posts/list.ts'
import { CURSOR_AND_OFFSET } from '../../schemas/error.ts'
import { type ListedPost, ListPostsQuery, type PostList, TARGETS_LIMIT_MAX } from '../../schemas/find.ts'
import { OFFSET_WITH_FILTER } from '../../schemas/messages.ts'
import { PageQuery } from '../../schemas/shared.ts'
import { invalidRequest } from '../errors.ts'
import { readCursor, refuseCursor, writeCursor } from '../http/cursor.ts'
import { refuseNearNames } from '../http/near-names.ts'
import { readPage } from '../http/paging.ts'
import { type Caller, chooseSource, defaultSort, rangeOf, readConditions, resolveOrganization } from './filters.ts'

const PAGING: ReadonlySet<string> = new Set(Object.keys(PageQuery.properties))
const PARAMETERS: ReadonlySet<string> = new Set(Object.keys(ListPostsQuery.properties))
/** The parameters beside those of the contract. */
const ADDED = [...PARAMETERS].filter((name) => !PAGING.has(name))

/**
 * One page of the user's posts. Throws 400 for parameters that exclude each other, and for one that is almost a filter.
 */
export async function listOwnPosts(db: Db, caller: Caller, query: ListPostsQuery): Promise<PostList> {
  // Most requests have no filter. Theirs must cost nothing.
  for (const name in query) if (!PAGING.has(name)) return listChosenPosts(db, caller, query)
  return listNewest(db, caller, query)
}

function listNewest(db: Db, { userId, rights: { accountIds } }: Caller, query: ListPostsQuery): Promise<PostList> {
  if (query.cursor !== undefined && !isId(query.cursor)) refuseCursor()
  return readPage(query, (page) =>
    accountIds ? listListedPosts(db, { userId, accountIds, ...page }) : listPosts(db, { userId, ...page }),
  )
}

async function listChosenPosts(db: Db, caller: Caller, query: ListPostsQuery): Promise<PostList> {
  refuseNearNames(query, ADDED, PARAMETERS)
  const include = new Set(query.include)
  if (include.has('targets') && query.limit > TARGETS_LIMIT_MAX) throw invalidRequest([TOO_MANY_TARGETS])
  const isFiltered = ADDED.some((name) => name !== 'include' && name in query)
  const page = await (isFiltered ? findPage(db, caller, query) : listNewest(db, caller, query))
  for (const owner of new Set(page.data.map((post) => post.userId))) {
    const posts = page.data.filter((post) => post.userId === owner)
    await addIncluded(db, owner, posts, include)
  }
  return page
}

const TOO_MANY_TARGETS = {
  code: 'too_big' as const,
  type: 'number',
  maximum: TARGETS_LIMIT_MAX,
  inclusive: true,
  path: ['limit'],
  message: `Number must be less than or equal to ${TARGETS_LIMIT_MAX} with include=targets`,
}

async function findPage(db: Db, caller: Caller, query: ListPostsQuery): Promise<PostList> {
  const { cursor, limit, offset, order = 'desc' } = query
  if (offset !== 0) throw invalidRequest([cursor === undefined ? OFFSET_WITH_FILTER : CURSOR_AND_OFFSET])
  const conditions = readConditions(caller, query)
  const sort = query.sort ?? defaultSort(query)
  const { userId: _, ...identity } = { ...conditions, sort, order }
  const place = cursor === undefined ? undefined : readCursor(identity, cursor, 1)
  const source = chooseSource(sort, conditions)
  const found = await findPosts(
    db,
    { source, order },
    { ...(await resolveOrganization(db, conditions)), ...rangeOf(sort, order, conditions, place), limit },
  )
  const last = found.at(-1)
  const hasNext = last !== undefined && (found.length === limit || last.isLast)
  const nextCursor = hasNext ? writeCursor(identity, { time: last.sortedBy, ids: [last.id] }) : null
  return { data: found.filter(({ isWanted }) => isWanted), limit, offset, nextCursor }
}

/** Two more statements at most for each owner: in the first one, they would slow down every page. */
async function addIncluded(db: Db, userId: string, posts: ListedPost[], include: Set<string>): Promise<void> {
  const ids = posts.map(({ id }) => id)
  if (include.has('deliveries')) {
    const counts = new Map((await countStates(db, { userId, ids })).map(({ id, states }) => [id, states]))
    for (const post of posts) post.deliveries = counts.get(post.id) ?? {}
  }
  if (include.has('targets')) {
    const targets = new Map((await readDeliveries(db, { userId, ids })).map(({ id, targets }) => [id, targets]))
    for (const post of posts) post.targets = targets.get(post.id) ?? []
  }
}

import type { Db } from '../../../db/client.ts'
import { isId } from '../../../db/id.ts'
import { countStates, readAltTexts, readListedFiles, readTargets } from '../../../db/queries/find/included.ts'
import { type FoundPost, findPosts } from '../../../db/queries/find/posts.ts'
import type { Order } from '../../../db/queries/find/walk.ts'
import { listListedPosts, listPosts } from '../../../db/queries/posts/list.ts'
import { readLongTexts } from '../../../db/queries/posts/long-texts.ts'
import { type TargetRow, toTarget } from '../../../db/queries/posts/targets.ts'
import { ownFilesOf } from '../../../schemas/create-post.ts'
import { CURSOR_AND_OFFSET } from '../../../schemas/error.ts'
import {
  type ListedFile,
  type ListedPost,
  type ListedTarget,
  ListPostsQuery,
  type PostList,
} from '../../../schemas/find.ts'
import { OFFSET_WITH_FILTER } from '../../../schemas/messages.ts'
import { PAGE, PageQuery } from '../../../schemas/shared.ts'
import { invalidRequest } from '../../base/errors.ts'
import { hideId, readCursor, refuseCursor, writeCursor } from '../../base/http/cursor.ts'
import { refuseNearNames } from '../../base/http/near-names.ts'
import { readPage } from '../../base/http/paging.ts'
import { requireScope } from '../../base/http/rights.ts'
import { findAttention } from '../../engine/credentials/attention.ts'
import { type Caller, chooseSource, defaultSort, rangeOf, readConditions, resolveConditions } from './filters.ts'

const PAGING: ReadonlySet<string> = new Set(Object.keys(PageQuery.properties))
const PARAMETERS: ReadonlySet<string> = new Set(Object.keys(ListPostsQuery.properties))
/** The parameters beside those of the contract. */
const ADDED = [...PARAMETERS].filter((name) => !PAGING.has(name))

/** Addresses that take no key; null if the service cannot sign one. */
export interface FileAddresses {
  addressOf(file: { storageKey: string; mimeType: string }): string | null
  previewOf(file: { userId: string; id: string }): string | null
}

export interface ListContext extends FileAddresses {
  db: Db
}

/**
 * One page of the user's posts. Throws 400 for parameters that exclude each other, and for one that is almost a filter.
 */
export async function listOwnPosts(context: ListContext, caller: Caller, query: ListPostsQuery): Promise<PostList> {
  // Most requests have no filter. Theirs must cost nothing.
  for (const name in query) if (!PAGING.has(name)) return listChosenPosts(context, caller, query)
  return listNewest(context.db, caller, query)
}

async function listNewest(
  db: Db,
  { userId, rights: { accountIds } }: Caller,
  query: ListPostsQuery,
): Promise<FoundPage> {
  if (query.cursor !== undefined && !isId(query.cursor)) refuseCursor()
  const found = await readPage(query, (page) =>
    accountIds ? listListedPosts(db, { userId, accountIds, ...page }) : listPosts(db, { userId, ...page }),
  )
  return addLongTexts(db, { ...found, cursorAfter: ({ id }) => id })
}

interface FoundPage extends PostList {
  /** The cursor of a page that begins after this post. */
  cursorAfter(post: ListedPost): string
}

/** The first posts of a page, as if more were over its limit: a client that adds the limit to its offset skips none. */
function endAfter(page: FoundPage, count: number): FoundPage {
  const data = page.data.slice(0, count)
  return { ...page, data, limit: count, nextCursor: page.cursorAfter(data.at(-1)!) }
}

async function listChosenPosts(context: ListContext, caller: Caller, query: ListPostsQuery): Promise<PostList> {
  const { db } = context
  refuseNearNames(query, ADDED, PARAMETERS)
  const include = new Set(query.include)
  if (include.has('media')) requireScope(caller.rights, 'media:read')
  const isFiltered = ADDED.some((name) => name !== 'include' && name in query)
  const found = await (isFiltered ? findPage(db, caller, query) : listNewest(db, caller, query))
  const page = include.has('targets') ? await addTargets(db, found) : found
  for (const owner of new Set(page.data.map((post) => post.userId))) {
    const posts = page.data.filter((post) => post.userId === owner)
    await addIncluded(context, owner, posts, include)
  }
  return include.has('media') ? limitFiles(page) : page
}

/** The page as far as its files fill it. Its first post has all of its own. */
function limitFiles(page: FoundPage): FoundPage {
  let bytes = 0
  const end = page.data.findIndex(({ media }) => {
    const isFull = bytes >= PAGE.bytesMax
    bytes += JSON.stringify(media).length
    return isFull
  })
  return end < 0 ? page : endAfter(page, end)
}

/** A row that is not wanted may be a post that the caller must not see. */
const placeOf = ({ id, isWanted }: { id: string; isWanted: boolean }, order: Order) =>
  isWanted ? id : hideId(id, order)

async function findPage(db: Db, caller: Caller, query: ListPostsQuery): Promise<FoundPage> {
  return addLongTexts(db, await findFiltered(db, caller, query))
}

/** A page of posts that meet filters. Long texts are missing. */
export async function findFiltered(db: Db, caller: Caller, query: ListPostsQuery): Promise<FoundPage> {
  const { cursor, limit, offset, order = 'desc' } = query
  if (offset !== 0) throw invalidRequest([cursor === undefined ? OFFSET_WITH_FILTER : CURSOR_AND_OFFSET])
  const conditions = readConditions(caller, query)
  const sort = query.sort ?? defaultSort(query)
  const { userId: _, ...identity } = { ...conditions, sort, order }
  const place = cursor === undefined ? undefined : readCursor(identity, cursor, 1)
  const source = chooseSource(sort, conditions)
  const values = { ...(await resolveConditions(db, conditions)), ...rangeOf(sort, order, conditions, place), limit }
  const found = await (source === 'words' ? findByWords(db, order, values) : findPosts(db, { source, order }, values))
  const last = found.at(-1)
  const hasNext = last !== undefined && (found.length === limit || last.isLast)
  const cursorAfter = (post: FoundPost) => writeCursor(identity, { time: post.sortedBy, ids: [placeOf(post, order)] })
  const data = found.filter(({ isWanted }) => isWanted)
  const nextCursor = hasNext ? cursorAfter(last) : null
  return { data, limit, offset, nextCursor, cursorAfter: (post) => cursorAfter(post as FoundPost) }
}

/**
 * Looks at the next posts one by one, and only then into the index. Frequent words fill the page before, and the index
 * has to sort all posts of some days that have them.
 */
async function findByWords(db: Db, order: Order, values: Parameters<typeof findPosts>[2]): Promise<FoundPost[]> {
  const next = await findPosts(db, { source: 'all', order }, values)
  const last = next.at(-1)
  if (!last?.isLast || next.length === values.limit) return next
  const wanted = next.filter(({ isWanted }) => isWanted)
  const limit = values.limit - wanted.length
  return [...wanted, ...(await findPosts(db, { source: 'words', order }, { ...values, startId: last.id, limit }))]
}

/** The files of the post, and those of its targets, as far as they are included. A file may occur twice. */
const mediaIdsOf = ({ mediaIds, targets = [] }: ListedPost): string[] => [
  ...mediaIds,
  ...new Set(targets.flatMap((target) => ownFilesOf(target)?.flat() ?? []).filter((id) => !mediaIds.includes(id))),
]

/** A target with the `attention` of its account, as in `listAccounts`. */
function toListedTarget(row: TargetRow): ListedTarget {
  const target = toTarget(row, {})
  const attention = findAttention(row)
  return attention ? { ...target, attention } : target
}

const keysOf = (posts: ListedPost[]) => ({ userIds: posts.map(({ userId }) => userId), ids: posts.map(({ id }) => id) })

/** The page with the texts that are long. It ends before the first one that is too long for it. */
async function addLongTexts(db: Db, page: FoundPage): Promise<FoundPage> {
  const hasTexts = ({ caption }: { caption: string | null }) => caption !== null
  const long = page.data.filter((post) => !hasTexts(post))
  if (long.length === 0) return page
  const texts = await readLongTexts(db, keysOf(long))
  for (const [index, read] of texts.entries()) Object.assign(long[index]!, read)
  const next = long[texts.length]
  const shown = next ? endAfter(page, page.data.indexOf(next)) : page
  // A post may have been deleted meanwhile.
  return { ...shown, data: shown.data.filter(hasTexts) }
}

/** The page with the accounts of its posts. It ends before the first post whose accounts are too long for it. */
async function addTargets(db: Db, page: FoundPage): Promise<FoundPage> {
  const read = await readTargets(db, keysOf(page.data))
  for (const [index, rows] of read.entries()) page.data[index]!.targets = rows.map(toListedTarget)
  return read.length < page.data.length ? endAfter(page, read.length) : page
}

/** Three more statements at most for each owner: in the first one, they would slow down every page. */
async function addIncluded(
  { db, addressOf, previewOf }: ListContext,
  userId: string,
  posts: ListedPost[],
  include: Set<string>,
): Promise<void> {
  const ids = posts.map(({ id }) => id)
  if (include.has('deliveries')) {
    const counts = new Map((await countStates(db, { userId, ids })).map(({ id, states }) => [id, states]))
    for (const post of posts) post.deliveries = counts.get(post.id) ?? {}
  }
  if (include.has('media')) {
    const mediaIds = posts.flatMap(mediaIdsOf)
    const stored = mediaIds.length > 0 ? await readListedFiles(db, { userId, ids: [...new Set(mediaIds)] }) : []
    const files = new Map(
      stored.map(({ storageKey, ...file }): [string, ListedFile] => [
        file.id,
        {
          ...file,
          url: storageKey && addressOf({ storageKey, mimeType: file.mimeType }),
          previewUrl: storageKey && previewOf({ userId, id: file.id }),
        },
      ]),
    )
    const altTexts = new Map((await readAltTexts(db, { userId, ids })).map(({ id, altTexts }) => [id, altTexts]))
    for (const post of posts) {
      post.media = mediaIdsOf(post).flatMap((id) => {
        const file = files.get(id)
        return file ? { ...file, altText: altTexts.get(post.id)?.[id] ?? file.altText } : []
      })
    }
  }
}

import { CURSOR_AND_OFFSET, type Issue } from '../../../schemas/error.ts'
import { CURSOR_OF_FIRST_PAGE, PAGE, type PageQuery } from '../../../schemas/shared.ts'
import { invalidRequest } from '../errors.ts'

/** Items that are read at a time where each may have a megabyte. */
const LONG_ITEMS = 10

/** Postgres counts the items that it skips. */
const { skippedMax: SKIPPED_MAX } = PAGE

const BEYOND: Issue = {
  code: 'too_big',
  type: 'number',
  maximum: SKIPPED_MAX,
  inclusive: true,
  path: ['offset'],
  message: `At most ${SKIPPED_MAX} items of a list can be skipped: send the nextCursor of a page as cursor`,
}

/**
 * One page of a list, newest first: the items after `cursor`, an id, or else after `offset` items. Throws 400 for a
 * request with both, and for an offset that would skip too many items of a longer list.
 */
export async function readPage<T extends { id: string }>(
  { limit, offset, cursor }: PageQuery,
  read: (page: { limit: number; offset: number; cursor: string }) => Promise<T[]>,
) {
  if (cursor !== undefined && offset !== 0) throw invalidRequest([CURSOR_AND_OFFSET])
  const data = await read({ limit, offset: Math.min(offset, SKIPPED_MAX), cursor: cursor ?? CURSOR_OF_FIRST_PAGE })
  if (offset > SKIPPED_MAX && data.length > 0) throw invalidRequest([BEYOND])
  return { data, limit, offset, nextCursor: data.length < limit ? null : data.at(-1)!.id }
}

/** The same for items that may be long: the page ends at `PAGE.bytesMax`, as if more were over its limit. */
export async function readLongPage<T extends { id: string }>(
  { limit, ...query }: PageQuery,
  read: (page: { limit: number; offset: number; cursor: string }) => Promise<T[]>,
) {
  const data: T[] = []
  for (let next: PageQuery = { limit, ...query }, bytes = 0; ; ) {
    const piece = await readPage({ ...next, limit: Math.min(limit - data.length, LONG_ITEMS) }, read)
    data.push(...piece.data)
    bytes += JSON.stringify(piece.data).length
    const { nextCursor } = piece
    const page = { data, offset: query.offset, nextCursor }
    if (nextCursor === null || data.length === limit) return { ...page, limit }
    if (bytes >= PAGE.bytesMax) return { ...page, limit: data.length }
    next = { limit, offset: 0, cursor: nextCursor }
  }
}

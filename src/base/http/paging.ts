import { CURSOR_AND_OFFSET, type Issue } from '../../../schemas/error.ts'
import { CURSOR_OF_FIRST_PAGE, PAGE, type PageQuery } from '../../../schemas/shared.ts'
import { invalidRequest } from '../errors.ts'

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

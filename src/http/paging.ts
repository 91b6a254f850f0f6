import { CURSOR_AND_OFFSET } from '../../schemas/error.ts'
import { CURSOR_OF_FIRST_PAGE, type PageQuery } from '../../schemas/shared.ts'
import { invalidRequest } from '../errors.ts'

/**
 * One page of a list, newest first: the items after `cursor`, an id, or else after `offset` items. Throws 400 for a
 * request with both.
 */
export async function readPage<T extends { id: string }>(
  { limit, offset, cursor }: PageQuery,
  read: (page: { limit: number; offset: number; cursor: string }) => Promise<T[]>,
) {
  if (cursor !== undefined && offset !== 0) throw invalidRequest([CURSOR_AND_OFFSET])
  const data = await read({ limit, offset, cursor: cursor ?? CURSOR_OF_FIRST_PAGE })
  return { data, limit, offset, nextCursor: data.length < limit ? null : data.at(-1)!.id }
}

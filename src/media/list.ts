import type { Db } from '../../db/client.ts'
import type { KeyRights } from '../../db/queries/keys.ts'
import { listMedia } from '../../db/queries/media.ts'
import { findListedPosts } from '../../db/queries/posts/list.ts'
import { listSharedMedia } from '../../db/queries/shared-media.ts'
import { sumMediaBytes } from '../../db/queries/stored-media.ts'
import { CURSOR_AND_OFFSET } from '../../schemas/error.ts'
import type { ListedMedia, ListMediaQuery, MediaList } from '../../schemas/media.ts'
import { OFFSET_WITH_FILTER } from '../../schemas/messages.ts'
import { CURSOR_OF_FIRST_PAGE } from '../../schemas/shared.ts'
import { fail, invalidRequest } from '../errors.ts'
import { readPage } from '../http/paging.ts'
import { requireAdmin } from '../http/roles.ts'
import type { Library } from './library.ts'

interface Caller {
  userId: string
  rights: KeyRights
}

/** One page of the user's files, or of those in posts of an organisation that the user administers. */
export async function listOwnMedia(
  { db, quotaBytes }: Pick<Library, 'db' | 'quotaBytes'>,
  { userId, rights }: Caller,
  query: ListMediaQuery,
): Promise<MediaList> {
  const { organizationId, limit, offset, cursor } = query
  if (organizationId === undefined) {
    const page = await readPage(query, (page) => listMedia(db, { userId, ...page }))
    await hideOtherPosts(db, userId, page.data, rights)
    if (quotaBytes === undefined) return page
    return { ...page, quota: { usedBytes: await sumMediaBytes(db, userId), allowedBytes: quotaBytes } }
  }
  if (offset !== 0) throw invalidRequest([cursor === undefined ? OFFSET_WITH_FILTER : CURSOR_AND_OFFSET])
  if (rights.accountIds) throw fail('account_list.filters')
  await requireAdmin(db, userId, organizationId, 'not_organization_admin.lists')
  const page = await listSharedMedia(db, { organizationId, limit, cursor: cursor ?? CURSOR_OF_FIRST_PAGE })
  return { ...page, limit, offset }
}

/** Leaves out posts that a key with a list of accounts does not see. */
async function hideOtherPosts(db: Db, userId: string, files: ListedMedia[], { accountIds }: KeyRights): Promise<void> {
  if (!accountIds) return
  const ids = files.flatMap(({ postIds }) => postIds)
  const listed = new Set((await findListedPosts(db, { userId, ids, accountIds })).map(({ id }) => id))
  for (const file of files) file.postIds = file.postIds.filter((id) => listed.has(id))
}

import type { Db } from '../../../db/client.ts'
import type { KeyRights } from '../../../db/queries/keys.ts'
import { listListedMedia } from '../../../db/queries/listed-media.ts'
import { listMedia, searchMedia } from '../../../db/queries/media.ts'
import { listSharedMedia } from '../../../db/queries/shared-media.ts'
import { sumMediaBytes } from '../../../db/queries/stored-media.ts'
import { CURSOR_AND_OFFSET } from '../../../schemas/error.ts'
import type { ListMediaQuery, MediaList } from '../../../schemas/media.ts'
import { NOTHING_TO_SEARCH, OFFSET_WITH_FILTER } from '../../../schemas/messages.ts'
import { CURSOR_OF_FIRST_PAGE } from '../../../schemas/shared.ts'
import { fail, invalidRequest } from '../../base/errors.ts'
import { hideId } from '../../base/http/cursor.ts'
import { findTextProblem } from '../../base/http/json.ts'
import { readPage } from '../../base/http/paging.ts'
import { foldText } from '../../platforms/rules/fold-text.ts'
import { requireAdmin } from '../auth/roles.ts'
import { hideDescription } from './file-name.ts'
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
  const words = readWords(query.q)
  if (offset !== 0 && (words.length > 0 || organizationId !== undefined)) {
    throw invalidRequest([cursor === undefined ? OFFSET_WITH_FILTER : CURSOR_AND_OFFSET])
  }
  if (organizationId === undefined) {
    const page = await (rights.accountIds
      ? listForAccounts(db, { userId, accountIds: rights.accountIds, words }, query)
      : words.length > 0
        ? searchOwn(db, { userId, words }, query)
        : readPage(query, (page) => listMedia(db, { userId, ...page })))
    if (quotaBytes === undefined) return page
    return { ...page, quota: { usedBytes: await sumMediaBytes(db, userId), allowedBytes: quotaBytes } }
  }
  if (rights.accountIds) throw fail('account_list.filters')
  await requireAdmin(db, userId, organizationId, 'not_organization_admin.lists')
  const page = { organizationId, limit, cursor: cursor ?? CURSOR_OF_FIRST_PAGE, words }
  const { data, last } = await listSharedMedia(db, page)
  return { data, limit, offset, nextCursor: cursorAfter(last) }
}

/** The words of a search, as texts are compared; none where nothing is searched for. */
function readWords(q: string | undefined): string[] {
  if (q === undefined) return []
  const message = findTextProblem(q)
  if (message) throw invalidRequest([{ code: 'custom', path: ['q'], message }])
  const words = foldText(q).split(/\s+/).filter(Boolean)
  if (words.length === 0) throw invalidRequest([NOTHING_TO_SEARCH])
  return words
}

async function searchOwn(
  db: Db,
  search: { userId: string; words: readonly string[] },
  { limit, offset, cursor = CURSOR_OF_FIRST_PAGE }: ListMediaQuery,
): Promise<MediaList> {
  const { data, lastId } = await searchMedia(db, { ...search, limit, cursor })
  return { data, limit, offset, nextCursor: lastId }
}

/** The cursor does not name a file that the caller must not see. */
const cursorAfter = (last: { id: string; isSeen: boolean } | null) =>
  last && (last.isSeen ? last.id : hideId(last.id, 'desc'))

/** The same for a key with a list of accounts, which sees only some of the files. */
async function listForAccounts(
  db: Db,
  caller: { userId: string; accountIds: readonly string[]; words: readonly string[] },
  query: ListMediaQuery,
): Promise<MediaList> {
  let nextCursor: string | null = null
  const page = await readPage(query, async (page) => {
    const { data, last } = await listListedMedia(db, { ...caller, ...page })
    nextCursor = cursorAfter(last)
    return data.map(({ isResent, ...file }) => (isResent ? hideDescription(file) : file))
  })
  return { ...page, nextCursor }
}

import type { Db } from '../../../db/client.ts'
import { isId } from '../../../db/id.ts'
import type { KeyRights } from '../../../db/queries/keys.ts'
import { findListedFile, listOf } from '../../../db/queries/listed-media.ts'
import { findSharedFile, type SharedFile } from '../../../db/queries/roles.ts'
import { AppError, fail } from '../../base/errors.ts'

/** A file that the caller may see. */
export interface FileAccess {
  /** The owner. */
  userId: string
  id: string
  /** Absent if the caller is the owner, with a key for all accounts. */
  shared?: {
    /** Its posts that the caller may see. */
    postIds: string[]
    /** Whether its description is hidden, because the key has resent the file. */
    isResent?: boolean | undefined
    /** Throws 404 if the caller may no longer see the file, and 403 if only its owner may change it. */
    confirm: (db: Db) => Promise<void>
  }
}

export const mediaNotFound = () => fail('media_not_found')

interface FileRequest {
  userId: string
  rights: KeyRights
  params: { id: string }
}

/**
 * Runs `act` on a file of the caller that the key may see, or on one that another member uses in posts of an
 * organisation that the caller administers. Throws 404 for any other file.
 */
export async function withFile<T>(db: Db, request: FileRequest, act: (file: FileAccess) => Promise<T>): Promise<T> {
  const { userId, rights } = request
  const { id } = request.params
  try {
    return await act(await findOwnFile(db, request))
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'media_not_found') throw error
    const find = (db: Db) => findSharedFile(db, { userId, id, accountIds: rights.accountIds })
    return act(await accessBy(db, id, find, 'media_used_elsewhere'))
  }
}

/** A file of the caller: with a key for some accounts, one of their posts, or one that such a key has sent. */
async function findOwnFile(db: Db, { userId, rights: { accountIds }, params: { id } }: FileRequest) {
  if (!accountIds) return { userId, id }
  const find = (db: Db) => findListedFile(db, { userId, id, ...listOf(accountIds) })
  return accessBy(db, id, find, 'media_used_elsewhere.otherAccounts')
}

type FoundFile = SharedFile & { isResent?: boolean }

/** Throws 404 if the file is not found. The owner alone may change one that is used elsewhere or resent: `refusal`. */
async function accessBy(
  db: Db,
  id: string,
  find: (db: Db) => Promise<FoundFile[]>,
  refusal: 'media_used_elsewhere' | 'media_used_elsewhere.otherAccounts',
): Promise<FileAccess> {
  const require = async (db: Db): Promise<FoundFile> => {
    const [file] = isId(id) ? await find(db) : []
    if (!file) throw mediaNotFound()
    return file
  }
  const { userId, postIds, isResent } = await require(db)
  const confirm = async (db: Db) => {
    const file = await require(db)
    if (file.isUsedElsewhere || file.isResent) throw fail(refusal)
  }
  return { userId, id, shared: { postIds, isResent, confirm } }
}

import type { Db } from '../../db/client.ts'
import { isId } from '../../db/id.ts'
import type { KeyRights } from '../../db/queries/keys.ts'
import { findSharedFile, type SharedFile } from '../../db/queries/roles.ts'
import { AppError, fail } from '../errors.ts'

/** A file that the caller may see. */
export interface FileAccess {
  /** The owner. */
  userId: string
  id: string
  /** Absent if the caller is the owner. */
  shared?: {
    /** Its posts that the caller may see. */
    postIds: string[]
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
 * Runs `act` on a file of the caller, or on one that another member uses in posts of an organisation that the caller
 * administers. Throws 404 for any other file.
 */
export async function withFile<T>(db: Db, request: FileRequest, act: (file: FileAccess) => Promise<T>): Promise<T> {
  const { userId, params, rights } = request
  const { id } = params
  try {
    return await act({ userId, id })
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'media_not_found') throw error
    const find = async (db: Db): Promise<SharedFile> => {
      const [file] = isId(id) ? await findSharedFile(db, { userId, id, accountIds: rights.accountIds }) : []
      if (!file) throw mediaNotFound()
      return file
    }
    const file = await find(db)
    const confirm = async (db: Db) => {
      if ((await find(db)).isUsedElsewhere) throw fail('media_used_elsewhere')
    }
    return act({ userId: file.userId, id, shared: { postIds: file.postIds, confirm } })
  }
}

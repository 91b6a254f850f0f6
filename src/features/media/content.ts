import type { IncomingMessage } from 'node:http'
import { isId } from '../../../db/id.ts'
import { findStoredFile } from '../../../db/queries/stored-media.ts'
import { FILE_EXTENSIONS, type MediaType } from '../../../schemas/media.ts'
import { fail } from '../../base/errors.ts'
import type { Served } from '../../base/storage/storage.ts'
import { mediaNotFound } from './access.ts'
import type { Library } from './library.ts'

/** The response to a GET or HEAD for the bytes of the user's file. Throws 404 if they are missing. */
export async function serveContent(
  { db, storage }: Library,
  userId: string,
  id: string,
  request: IncomingMessage,
): Promise<Served> {
  const [file] = isId(id) ? await findStoredFile(db, { userId, id }) : []
  if (!file) throw mediaNotFound()
  const { storageKey, mimeType } = file
  if (storageKey === null) throw fail('media_without_content')
  const fileName = `${id}.${FILE_EXTENSIONS[mimeType as MediaType]}`
  try {
    return await storage.serve(storageKey, request, { mimeType, fileName })
  } catch (error) {
    // The file may have been deleted in the meantime.
    const [still] = await findStoredFile(db, { userId, id })
    throw still ? error : mediaNotFound()
  }
}

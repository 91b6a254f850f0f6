import type { Db } from '../../db/client.ts'
import type { AddressedFile } from '../../src/features/media/file-address.ts'

/** The storage key and type of a stored file. */
export const findStoredFileOf = (db: Db, id: string): Promise<AddressedFile> =>
  db
    .selectFrom('media')
    .select(['storageKey', 'mimeType'])
    .where('id', '=', id)
    .$narrowType<{ storageKey: string }>()
    .executeTakeFirstOrThrow()

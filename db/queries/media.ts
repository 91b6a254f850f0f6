import type { Db } from '../client.ts'

/** What is known of a file: its size in bytes, pixels and seconds; null where it does not apply or is not known. */
export interface NewMedia {
  id: string
  userId: string
  mimeType: string
  bytes: number
  width: number | null
  height: number | null
  durationSeconds: number | null
}

/** Registers a file. Throws a foreign key violation (23503) where the user does not exist. */
export function insertMedia(db: Db, media: NewMedia) {
  return db.insertInto('media').values(media).execute()
}

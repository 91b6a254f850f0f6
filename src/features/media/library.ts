import type { Db } from '../../../db/client.ts'
import type { Storage } from '../../base/storage/storage.ts'

/** The places of media: rows in `db`, bytes in `storage`. */
export interface Library {
  db: Db
  storage: Storage
  /** The folder that files are received and inspected in. It exists: a missing one is a disk that is not mounted. */
  incomingDir: string
  /** The largest file that is accepted. */
  bytesMax: number
  /** How many bytes the files of a user may have together. */
  quotaBytes?: number | undefined
  /** Whether files are published as they were uploaded. By default, their metadata is removed. */
  keepsMetadata?: boolean
  /** Called for each file that could not be written to `incomingDir`, or read from it. */
  onReceiveError?: () => void
}

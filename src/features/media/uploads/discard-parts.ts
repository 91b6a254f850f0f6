import { forgetFile } from '../../../../db/queries/staged-files.ts'
import { discardFile } from '../discard-file.ts'
import type { Library } from '../library.ts'

/**
 * Deletes the bytes of parts that have no row any more. Not awaited: a slow storage would delay the response. A sweep
 * deletes what is left.
 */
export function discardParts(library: Library, userId: string, parts: readonly { storageKey: string }[]): void {
  const discard = async () => {
    for (const { storageKey } of parts) {
      const file = { userId, storageKey }
      await discardFile(library, file)
      await forgetFile(library.db, file)
    }
  }
  discard().catch(() => {})
}

import { closeSync, createReadStream, openSync } from 'node:fs'
import { buffer } from 'node:stream/consumers'
import type { MediaType } from '../../schemas/media.ts'
import { applyEdits } from '../../src/features/media/metadata/edits.ts'
import { planEdits } from '../../src/features/media/metadata/plan.ts'
import { FileBytes } from '../../src/features/media/structure/bytes.ts'

/** The bytes of a file that networks get. If these are uploaded, networks get them unchanged. */
export async function withoutMetadata(path: string, type: MediaType): Promise<Buffer> {
  const fd = openSync(path, 'r')
  try {
    const edits = planEdits(new FileBytes(fd), type)
    return await buffer(applyEdits(createReadStream(path), 0, edits))
  } finally {
    closeSync(fd)
  }
}

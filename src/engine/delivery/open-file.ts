import { Readable } from 'node:stream'
import { NotStoredError, type Storage, UnpublishableError } from '../../base/storage/storage.ts'
import type { ByteRange } from '../../platforms/contract/adapter.ts'
import { PublishError, unreadable } from '../../platforms/contract/publish-error.ts'

/**
 * Opens a stored file, or a part of it, for an adapter. A failure of the storage, also in the middle of the file, is
 * thrown as a PublishError: no server accepts a request whose body ends early.
 */
export async function openFile(storage: Pick<Storage, 'read'>, key: string, range?: ByteRange): Promise<Readable> {
  const stream = await storage.read(key, range).catch(throwPublishError)
  return Readable.from(chunksOf(stream), { objectMode: false })
}

async function* chunksOf(stream: Readable): AsyncGenerator<Buffer> {
  try {
    yield* stream
  } catch (error) {
    throwPublishError(error)
  }
}

const unplannable = (problem: string) =>
  new PublishError(
    `The metadata of a file of the post cannot be removed: ${problem}. Convert it, and upload the result`,
    {
      code: 'media_unreadable',
      maybeSent: false,
      retryable: false,
    },
  )

function throwPublishError(cause: unknown): never {
  if (cause instanceof NotStoredError) throw unreadable(cause)
  if (cause instanceof UnpublishableError) throw Object.assign(unplannable(cause.message), { cause })
  const options = { code: 'storage_unavailable', maybeSent: false, retryable: true }
  throw Object.assign(new PublishError('File storage is not available', options), { cause })
}

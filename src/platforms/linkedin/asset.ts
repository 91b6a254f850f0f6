import type { TProperties } from '@sinclair/typebox'
import type { MediaKind } from '../../../schemas/media.ts'
import type { PublishedFile } from '../contract/adapter.ts'
import type { Io } from '../contract/io.ts'
import { impossible, unexpected } from '../contract/publish-error.ts'
import { object, TEXT } from '../wire/answer.ts'
import { at, textAt } from '../wire/json.ts'
import { type Client, call, HOST } from './client.ts'

/**
 * `incomplete`: bytes are missing. `unreadable`: a token without a scope to read gets 403. Throws if the file could not
 * be processed.
 */
export async function readStatus(
  urn: string,
  { kind }: Pick<PublishedFile, 'kind'>,
  client: Client,
  io: Io,
): Promise<'available' | 'processing' | 'incomplete' | 'unreadable'> {
  const path = `/rest/${resourceOf(kind)}/${encodeURIComponent(urn)}`
  const { status: httpStatus, body } = await call(client, io, path, { accept: [403], answer: object({ status: TEXT }) })
  if (httpStatus === 403) return 'unreadable'
  const status = textAt(body, 'status')
  if (status === 'AVAILABLE') return 'available'
  if (status === 'PROCESSING_FAILED') {
    const reason = textAt(body, 'processingFailureReason')
    throw impossible(`${HOST}: the ${kind} could not be processed${reason ? ` (${reason})` : ''}`)
  }
  if (status === 'PROCESSING') return 'processing'
  if (status === 'WAITING_UPLOAD') return 'incomplete'
  throw unexpected(HOST, false)
}

type Resource = 'images' | 'videos' | 'documents'

export const resourceOf = (kind: MediaKind): Resource =>
  kind === 'video' ? 'videos' : kind === 'document' ? 'documents' : 'images'

/** Starts an upload. Returns `value` of the response. */
export async function initializeUpload(
  resource: Resource,
  parameters: object,
  value: TProperties,
  client: Client,
  io: Io,
): Promise<unknown> {
  const { body } = await call(client, io, `/rest/${resource}?action=initializeUpload`, {
    method: 'POST',
    body: { initializeUploadRequest: { owner: client.author, ...parameters } },
    answer: object({ value: object(value) }),
  })
  return at(body, 'value')
}

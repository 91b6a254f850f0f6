import { loadCrypto } from './crypto.ts'
import { PostroomError } from './errors.ts'
import { type Http, sleep } from './http.ts'
import type { CreateOptions, Options } from './options.ts'
import { path } from './path.ts'
import { pauseBefore } from './retries.ts'
import type * as T from './types.ts'
import type { FileContent, FileDescription } from './uploads.ts'

/** A smaller file is sent again as a whole. */
export const RESUMED_BYTES_MIN = 8 * 2 ** 20

/** The bytes of a file that can be sent in pieces; undefined for a small one, and for a stream. */
export function toLargeFile(content: FileContent): Blob | undefined {
  if (Symbol.asyncIterator in content) return undefined
  const file = 'byteLength' in content ? new Blob([content as ArrayBuffer]) : content
  return file.size < RESUMED_BYTES_MIN ? undefined : file
}

/**
 * Uploads a file to an address, and goes on where a connection was lost. Returns undefined if the service has no
 * addresses. The same bytes as those of another file return that one.
 */
export async function uploadResumably(
  http: Http,
  file: Blob,
  { fileName = (file as Partial<File>).name ?? 'file', ...description }: FileDescription,
  options: CreateOptions,
): Promise<T.Media | undefined> {
  const { idempotencyKey = (await loadCrypto()).randomUUID(), ...others } = options
  const body: T.CreateUpload = { fileName, bytes: file.size, ...description }
  let created: T.CreatedUpload
  try {
    created = await http.create<T.CreatedUpload>('/media/uploads', body, { ...others, idempotencyKey })
  } catch (error) {
    if (error instanceof PostroomError && WITHOUT_ADDRESSES.includes(error.code ?? '')) return undefined
    throw error
  }
  const { id, uploadUrl } = created
  if (uploadUrl !== null) await send(http, uploadUrl, file, others)
  const { duplicateOf } = await http.get<T.Upload>(path`/media/${id}/upload`, {}, others)
  if (duplicateOf !== null) await http.send('DELETE', path`/media/${id}`, undefined, others)
  return http.get<T.Media>(path`/media/${duplicateOf ?? id}`, {}, others)
}

/** Those of an earlier version, and of a service without a key that signs addresses. */
const WITHOUT_ADDRESSES = ['route_not_found', 'method_not_allowed', 'credentials_key_missing']

async function send(http: Http, url: string, file: Blob, { signal, maxRetries = http.maxRetries }: Options) {
  // The address begins with PUBLIC_URL. This client may reach the service under another name.
  const address = url.slice(url.indexOf('/files/uploads/'))
  let offset = 0
  for (let retries = 0; ; ) {
    try {
      await http.outside(address, { method: 'PUT', ...pieceOf(file, offset) }, signal)
      return
    } catch (error) {
      signal?.throwIfAborted()
      const { code } = error as PostroomError
      const isAhead = code === 'upload_offset' || code === 'upload_busy'
      const pauseMs = isAhead ? PAUSE_MS : pauseBefore(retries, error as PostroomError, true)
      if (pauseMs === undefined || retries >= maxRetries) throw error
      await sleep(pauseMs, signal)
      const state = await readState(http, address, signal).catch(() => undefined)
      if (state?.isComplete) return
      // An upload that makes progress may fail again.
      retries = code === 'upload_busy' || (state && state.offset > offset) ? 0 : retries + 1
      offset = state?.offset ?? offset
    }
  }
}

const PAUSE_MS = 1_000

/** An empty piece after the last byte asks to complete the file. */
const pieceOf = (file: Blob, offset: number) => ({
  body: file.slice(offset),
  headers: {
    'content-range': offset < file.size ? `bytes ${offset}-${file.size - 1}/${file.size}` : `bytes */${file.size}`,
  },
})

async function readState(http: Http, address: string, signal: AbortSignal | undefined) {
  const { headers } = await http.outside(address, { method: 'HEAD' }, signal)
  return { offset: Number(headers.get('upload-offset')), isComplete: headers.get('upload-complete') === '?1' }
}

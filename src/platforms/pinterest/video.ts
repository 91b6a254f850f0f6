import type { Io, PublishedFile } from '../adapter.ts'
import { callNetwork, type NetworkRules } from '../call-network.ts'
import { at, textAt } from '../json.ts'
import { impossible, unexpected } from '../publish-error.ts'
import { fileName, multipart } from '../request-body.ts'
import { type Client, HOST, isId } from './client.ts'

/** A video that is on Pinterest. */
export type Video = {
  id: string
  /** How often Pinterest was asked whether it is ready. */
  looks: number
}

/**
 * Registers a video and uploads it in one request. If this is cut off, it begins anew with another id: nobody sees a video
 * that no pin has. https://developers.pinterest.com/docs/work-with-organic-content-and-users/create-boards-and-pins/
 */
export async function uploadVideo(client: Client, file: PublishedFile, io: Io): Promise<Video> {
  const { body } = await client.call('/media', { method: 'POST', body: { media_type: 'video' } })
  const [id, url] = [textAt(body, 'media_id'), URL.parse(textAt(body, 'upload_url') ?? '')]
  const parameters = Object.entries(at(body, 'upload_parameters') ?? {})
  if (!isId(id) || url?.protocol !== 'https:' || !parameters.every(isField)) throw unexpected(HOST, false)
  const form = multipart(Object.fromEntries(parameters), [{ field: 'file', name: fileName(file, 0), file }])
  // The parameters are the permission: the storage gets no token. Its errors are XML.
  const storage: NetworkRules = { host: url.host, secrets: [], words: () => undefined, isUnauthorized: () => false }
  await callNetwork(storage, io, url, { method: 'POST', body: form })
  return { id, looks: 0 }
}

/** Whether a parameter can be a field of a form: its name is not quoted there. */
const isField = (entry: [string, unknown]): entry is [string, string] =>
  /^[\w-]+$/.test(entry[0]) && typeof entry[1] === 'string' && !/[\r\n]/.test(entry[1])

export const LOOK_FIRST_MS = 5_000
const LOOK_MAX_MS = 60_000

/**
 * Milliseconds until Pinterest is asked again about a video; 0 where it is ready, null where Pinterest no longer has it.
 * Throws where Pinterest cannot process it.
 */
export async function waitFor(client: Client, { id, looks }: Video): Promise<number | null> {
  const { status, body } = await client.call(`/media/${id}`, { accept: [404] })
  if (status === 404) return null
  switch (textAt(body, 'status')) {
    case 'succeeded':
      return 0
    case 'failed': {
      const reason = textAt(body, 'failure_code')
      throw impossible(`Pinterest could not process the video${reason ? `: ${reason}` : ''}`)
    }
    case 'registered':
    case 'processing':
      return Math.min(LOOK_MAX_MS, LOOK_FIRST_MS * 2 ** Math.min(looks, 10))
    default:
      throw unexpected(HOST, false)
  }
}

import type { Io } from '../contract/io.ts'
import { unexpected } from '../contract/publish-error.ts'
import { callNetwork, type NetworkRules } from './call-network.ts'
import { multipart, type Upload } from './request-body.ts'

/**
 * Sends a file to a storage by a form. The storage responds with the status that `success_action_status` names, or else
 * 204: https://docs.aws.amazon.com/AmazonS3/latest/API/RESTObjectPOST.html. With another 200, a proxy has taken the
 * file.
 */
export async function sendForm(
  storage: NetworkRules,
  io: Pick<Io, 'fetch' | 'signal'>,
  url: URL,
  fields: Record<string, string>,
  upload: Upload,
): Promise<void> {
  const body = multipart(fields, [upload])
  const { status } = await callNetwork(storage, io, url, { method: 'POST', body, answer: 'anything' })
  if (status === 200 && fields.success_action_status !== '200') throw unexpected(storage.host, false)
}

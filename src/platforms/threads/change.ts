import type { OnNetwork } from '../contract/adapter.ts'
import type { Io } from '../contract/io.ts'
import { PublishError } from '../contract/publish-error.ts'
import { isNotFound, isShown } from '../families/meta/api.ts'
import { literal, object } from '../wire/answer.ts'
import { callNetwork } from '../wire/call-network.ts'
import { requireSettled } from '../wire/not-found.ts'
import { clientOf } from './client.ts'

/** https://developers.facebook.com/docs/threads/posts/delete-posts */
export async function remove(published: OnNetwork, io: Io): Promise<void> {
  const { id } = published
  const api = clientOf(io)
  const query = new URLSearchParams({ access_token: api.accessToken })
  const url = `${api.base}/${encodeURIComponent(id)}?${query}`
  try {
    await callNetwork(api, io, url, { method: 'DELETE', visible: true, answer: object({ success: literal(true) }) })
  } catch (error) {
    if (!isNotFound(error)) throw error
    requireSettled(api.host, published)
    if (await isShown(api, id, io)) {
      throw new PublishError(error.message, { code: 'server_error', maybeSent: true, retryable: true })
    }
  }
}

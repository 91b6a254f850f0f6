import type { OnNetwork } from '../contract/adapter.ts'
import type { Io } from '../contract/io.ts'
import { PublishError, unexpected } from '../contract/publish-error.ts'
import { isNotFound, isShown } from '../families/meta/api.ts'
import { callNetwork } from '../wire/call-network.ts'
import { at } from '../wire/json.ts'
import { requireSettled } from '../wire/not-found.ts'
import { clientOf } from './client.ts'

/** https://developers.facebook.com/docs/threads/posts/delete-posts */
export async function remove(published: OnNetwork, io: Io): Promise<void> {
  const { id } = published
  const api = clientOf(io)
  const query = new URLSearchParams({ access_token: api.accessToken })
  const url = `${api.base}/${encodeURIComponent(id)}?${query}`
  try {
    const { body } = await callNetwork(api, io, url, { method: 'DELETE', visible: true })
    if (at(body, 'success') !== true) throw unexpected(api.host, true)
  } catch (error) {
    if (!isNotFound(error)) throw error
    requireSettled(api.host, published)
    if (await isShown(api, id, io)) {
      throw new PublishError(error.message, { code: 'server_error', maybeSent: true, retryable: true })
    }
  }
}

import type { Act, OnNetwork, Sent } from '../contract/adapter.ts'
import type { Io } from '../contract/io.ts'
import { ofAnotherAccount, postGone, unexpected } from '../contract/publish-error.ts'
import { callNetwork } from '../wire/call-network.ts'
import { at, textAt } from '../wire/json.ts'
import { orNotFound } from '../wire/not-found.ts'
import { clientFor, readStatus, sentOf, statusAt } from './instance.ts'
import { textOf } from './status.ts'

/** https://docs.joinmastodon.org/methods/statuses/#delete: 404 for the status of another account too. */
export async function remove({ id }: OnNetwork, io: Io): Promise<void> {
  const instance = clientFor(io)
  const options = { method: 'DELETE', headers: instance.headers, visible: true } as const
  const removed = await orNotFound(() => callNetwork(instance, io, statusAt(instance, id), options))
  if (removed && textAt(removed.body, 'id') !== id) throw unexpected(instance.host, true)
  if (!removed && (await readStatus(instance, id, io))) throw ofAnotherAccount(instance.host)
}

/**
 * https://docs.joinmastodon.org/methods/statuses/#edit: parameters that are absent are emptied, so the files of the
 * status are named again (https://github.com/mastodon/mastodon/blob/main/app/services/update_status_service.rb). An
 * edit that changes nothing leaves no trace.
 */
export async function edit(act: Act, { id }: OnNetwork, io: Io): Promise<Sent> {
  const instance = clientFor(io)
  const status = await readStatus(instance, id, io)
  if (!status) throw postGone(instance.host)
  const media = at(status, 'media_attachments')
  if (!Array.isArray(media)) throw unexpected(instance.host, false)
  const mediaIds = media.map((file) => textAt(file, 'id'))
  const { body } = await callNetwork(instance, io, statusAt(instance, id), {
    method: 'PUT',
    headers: instance.headers,
    body: { ...textOf(act), media_ids: mediaIds },
    visible: true,
  })
  const sent = sentOf(body)
  if (sent?.id !== id) throw unexpected(instance.host, true)
  return sent
}

import type { Act, OnNetwork, Sent } from '../contract/adapter.ts'
import type { Io } from '../contract/io.ts'
import { impossible, ofAnotherAccount, PublishError, postGone, unexpected } from '../contract/publish-error.ts'
import { ID, object } from '../wire/answer.ts'
import { type NetworkResponse, Refused } from '../wire/call-network.ts'
import { at, textAt } from '../wire/json.ts'
import { orMissing, orNotFound } from '../wire/not-found.ts'
import { callInstance, clientFor, readStatus, sentOf, statusAt } from './instance.ts'
import { textOf } from './status.ts'

/** https://docs.joinmastodon.org/methods/statuses/#delete: 404 for the status of another account too. */
export async function remove({ id }: OnNetwork, io: Io): Promise<void> {
  const instance = clientFor(io)
  // Friendica responds with an empty list. Without its id, the status is read.
  const options = { method: 'DELETE', visible: true, answer: 'status' } as const
  let removed: NetworkResponse | undefined
  try {
    removed = await orNotFound(() => callInstance(instance, io, statusAt(instance, id), options))
  } catch (error) {
    // Pixelfed has 500 for a status that is not there, and Sharkey 400.
    const mayBeGone = error instanceof PublishError && ['server_error', 'content_refused'].includes(error.code)
    if (mayBeGone && !(await readStatus(instance, id, io))) return
    throw error
  }
  if (removed && textAt(removed.body, 'id') === id) return
  if (!(await readStatus(instance, id, io))) return
  throw removed ? unexpected(instance.host, true) : ofAnotherAccount(instance.host)
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
  const media = at(status, 'media_attachments') as unknown[]
  const mediaIds = media.map((file) => textAt(file, 'id'))
  const put = () =>
    callInstance(instance, io, statusAt(instance, id), {
      method: 'PUT',
      body: { ...textOf(act), media_ids: mediaIds },
      visible: true,
      answer: object({ id: ID }),
    })
  // The status was just read.
  const response = await orMissing(isNoEdit, put)
  if (!response) throw impossible(`${instance.host} lets no app change this post: change it there`)
  const sent = sentOf(response.body)
  if (sent?.id !== id) throw unexpected(instance.host, true)
  return sent
}

/** A proxy in front of the server may respond with 404 as well, without words of the server. */
const isNoEdit = (error: unknown) =>
  error instanceof Refused && (error.refusal.status === 405 || (error.refusal.status === 404 && error.hasWords))

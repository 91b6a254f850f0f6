import type { Act, OnNetwork, Sent } from '../contract/adapter.ts'
import type { Io } from '../contract/io.ts'
import { ofAnotherAccount, postGone, unexpected } from '../contract/publish-error.ts'
import { ID, object } from '../wire/answer.ts'
import { textAt } from '../wire/json.ts'
import { orNotFound } from '../wire/not-found.ts'
import { type Client, clientFor, HOST, sentOf } from './client.ts'
import { textsOf } from './pin.ts'

const pathOf = (id: string) => `/pins/${encodeURIComponent(id)}`

/** https://developers.pinterest.com/docs/api/v5/pins-get */
const readPin = (client: Client, id: string) =>
  orNotFound(() => client.call(pathOf(id), { answer: object({ id: ID }) }))

/** https://developers.pinterest.com/docs/api/v5/pins-delete */
export async function remove({ id }: OnNetwork, io: Io): Promise<void> {
  const client = clientFor(io)
  const response = await orNotFound(() =>
    client.call(pathOf(id), { method: 'DELETE', visible: true, answer: 'status' }),
  )
  if (response && response.status !== 204) throw unexpected(HOST, true)
  if (!response && (await readPin(client, id))) throw ofAnotherAccount(HOST)
}

/** https://developers.pinterest.com/docs/api/v5/pins-update: parameters that are absent stay as they are. */
export async function edit(act: Act, { id }: OnNetwork, io: Io): Promise<Sent> {
  const client = clientFor(io)
  const { title = null, description = null, link = null, altText = null } = textsOf(act)
  const body = { title, description, link, alt_text: altText }
  const options = { method: 'PATCH', body, visible: true, answer: object({ id: ID }) } as const
  const response = await orNotFound(() => client.call(pathOf(id), options))
  if (!response) throw (await readPin(client, id)) ? ofAnotherAccount(HOST) : postGone(HOST)
  if (textAt(response.body, 'id') !== id) throw unexpected(HOST, true)
  return sentOf(id)
}

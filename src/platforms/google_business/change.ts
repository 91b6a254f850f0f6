import type { Act, OnNetwork, Sent } from '../contract/adapter.ts'
import { addressOf } from '../contract/changes.ts'
import type { Io } from '../contract/io.ts'
import { impossible, postGone, unexpected } from '../contract/publish-error.ts'
import { object } from '../wire/answer.ts'
import { textAt } from '../wire/json.ts'
import { callPost, idOf, POST, POSTS } from './client.ts'
import { googleBusinessContent } from './content.ts'

const { host } = new URL(POSTS)

/** https://developers.google.com/my-business/reference/rest/v4/accounts.locations.localPosts/delete */
export async function remove({ id }: OnNetwork, io: Io): Promise<void> {
  await callPost(id, io, { method: 'DELETE', visible: true, answer: object() })
}

/** https://developers.google.com/my-business/reference/rest/v4/accounts.locations.localPosts/patch */
export async function edit(act: Act, published: OnNetwork, io: Io): Promise<Sent> {
  const body = { summary: googleBusinessContent(act).text }
  const options = { method: 'PATCH', body, visible: true, answer: POST } as const
  const response = await callPost(published.id, io, options, '?updateMask=summary')
  if (!response) throw postGone(host)
  if (textAt(response.body, 'state') === 'REJECTED') {
    throw impossible(`${host}: Google rejected the text: it violates the content policy (no rule is named)`)
  }
  const name = textAt(response.body, 'name') ?? ''
  if (idOf(name) !== idOf(published.id)) throw unexpected(host, true)
  return addressOf(published)
}

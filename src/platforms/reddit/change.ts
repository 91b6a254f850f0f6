import type { Act, OnNetwork, Sent } from '../contract/adapter.ts'
import { addressOf } from '../contract/changes.ts'
import type { Io } from '../contract/io.ts'
import { impossible, ofAnotherAccount, PublishError, postGone } from '../contract/publish-error.ts'
import { object } from '../wire/answer.ts'
import { textAt } from '../wire/json.ts'
import { type Client, clientFor, isDeleted, readThings, THINGS } from './client.ts'
import { redditContent } from './content.ts'
import { comparable } from './find-post.ts'

/** https://www.reddit.com/dev/api#POST_api_del: 200 for every id, so that the post is read afterwards. */
export async function remove({ id }: OnNetwork, io: Io): Promise<void> {
  const client = clientFor(io)
  await client.call('/api/del', { method: 'POST', body: new URLSearchParams({ id }), visible: true, answer: object() })
  const thing = await readThing(client, id)
  if (thing === undefined) return
  if (textAt(thing, 'author') !== client.username) throw ofAnotherAccount(client.host)
  throw new PublishError(`${client.host} still shows the post`, {
    code: 'server_error',
    maybeSent: true,
    retryable: true,
  })
}

/** https://www.reddit.com/dev/api#POST_api_editusertext. Reddit marks a post as edited even if its text stays. */
export async function edit(act: Act, published: OnNetwork, io: Io): Promise<Sent> {
  const { id } = published
  const client = clientFor(io)
  const { text, title } = redditContent(act)
  const thing = await readThing(client, id)
  if (thing === undefined) throw postGone(client.host)
  if (title !== undefined && comparable(textAt(thing, 'title')) !== comparable(title)) {
    const advice = 'keep fields.title, or the first line of the text if the post has none'
    throw impossible(`${client.host}: the title of a post cannot be changed: ${advice}`)
  }
  const shown = textAt(thing, act.kind === 'comment' ? 'body' : 'selftext')
  if (shown?.trim() === text.trim()) return addressOf(published)
  const body = new URLSearchParams({ api_type: 'json', thing_id: id, text })
  await client.call('/api/editusertext', { method: 'POST', body, visible: true, answer: THINGS })
  return addressOf(published)
}

/** A post or a comment; undefined if it is gone. */
async function readThing(client: Client, id: string): Promise<unknown> {
  const thing = (await readThings(client, [id])).get(id)
  return isDeleted(thing) ? undefined : thing
}

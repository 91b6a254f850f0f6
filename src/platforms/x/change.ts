import type { Act, OnNetwork, Sent } from '../contract/adapter.ts'
import type { Io } from '../contract/io.ts'
import { postGone, unexpected } from '../contract/publish-error.ts'
import { list, literal, object, optional, TEXT } from '../wire/answer.ts'
import { at, textAt } from '../wire/json.ts'
import { orNotFound } from '../wire/not-found.ts'
import { type Client, clientFor, ID, MADE, sentOf } from './client.ts'
import { FIELDS, hasText, POST } from './find-post.ts'
import { postOf } from './post.ts'

const DELETED = object({ data: object({ deleted: literal(true) }) })

/** https://docs.x.com/x-api/posts/delete-post: the versions of an edited post go together. */
export async function remove({ id }: OnNetwork, io: Io): Promise<void> {
  const client = clientFor(io)
  const path = `/2/tweets/${encodeURIComponent(id)}`
  await orNotFound(() => client.call(path, { method: 'DELETE', visible: true, answer: DELETED }))
}

/**
 * https://docs.x.com/x-api/fundamentals/edit-posts: an edit is a new post that names the one before. The newest version
 * is read first, so that an edit whose response was lost is not made twice.
 */
export async function edit(act: Act, { id }: OnNetwork, io: Io): Promise<Sent> {
  const client = clientFor(io)
  const post = await readPost(client, id)
  if (post === undefined) throw postGone(client.host)
  const newest = (at(post, 'edit_history_tweet_ids') as string[]).at(-1) ?? id
  const shown = newest === textAt(post, 'id') ? post : await readPost(client, newest)
  if (shown !== undefined && hasText(shown, act)) return sentOf(newest, client)
  // A reply stays one; an edit that names a parent would be another reply.
  const { reply: _, ...content } = postOf(act, []) as { reply?: unknown }
  const body = { ...content, edit_options: { previous_post_id: newest } }
  const response = await client.call('/2/tweets', { method: 'POST', body, visible: true, answer: MADE })
  const newId = textAt(response.body, 'data', 'id') ?? ''
  if (!ID.test(newId)) throw unexpected(client.host, true)
  return sentOf(newId, client)
}

const POSTS = object({
  data: optional(list(object({ ...POST, edit_history_tweet_ids: list(TEXT) }))),
  errors: optional(list()),
})

/** https://docs.x.com/x-api/posts/get-posts-by-ids. Undefined for a post that is not there. */
async function readPost(client: Client, id: string): Promise<unknown> {
  const query = new URLSearchParams({ ids: id, 'tweet.fields': `${FIELDS},edit_history_tweet_ids` })
  const { body } = await client.call(`/2/tweets?${query}`, { answer: POSTS })
  const [post] = [at(body, 'data') ?? []].flat()
  if (post === undefined && at(body, 'errors') === undefined) throw unexpected(client.host, false)
  return post
}

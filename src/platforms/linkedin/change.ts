import type { Act, OnNetwork, Sent } from '../contract/adapter.ts'
import { addressOf } from '../contract/changes.ts'
import type { Io } from '../contract/io.ts'
import { impossible, postGone, unexpected } from '../contract/publish-error.ts'
import { ID, object, orNothing } from '../wire/answer.ts'
import { orNotFound } from '../wire/not-found.ts'
import { type Client, call, clientFor, HOST } from './client.ts'
import { linkedinContent } from './content.ts'

/**
 * https://learn.microsoft.com/en-us/linkedin/marketing/community-management/shares/posts-api#delete-posts. A post that
 * was deleted before gets 204 too.
 */
export async function remove(published: OnNetwork, io: Io): Promise<void> {
  const client = clientFor(io)
  const headers = published.kind === 'comment' ? {} : { 'x-restli-method': 'DELETE' }
  const options = { method: 'DELETE', headers, visible: true, answer: 'status' } as const
  const response = await orNotFound(() => call(client, io, pathOf(published, client), options))
  if (response && response.status !== 204) throw unexpected(HOST, true)
}

/**
 * https://learn.microsoft.com/en-us/linkedin/marketing/community-management/shares/posts-api#update-posts and
 * https://learn.microsoft.com/en-us/linkedin/marketing/community-management/shares/comments-api#edit-a-comment
 */
export async function edit(act: Act, published: OnNetwork, io: Io): Promise<Sent> {
  const client = clientFor(io)
  const { text, escapedText } = linkedinContent(act)
  const isComment = published.kind === 'comment'
  const options = {
    method: 'POST',
    headers: { 'x-restli-method': 'PARTIAL_UPDATE' },
    body: { patch: isComment ? { message: { $set: { text } } } : { $set: { commentary: escapedText } } },
    visible: true,
    answer: isComment ? orNothing(object({ id: ID, message: object() })) : 'status',
  } as const
  const response = await orNotFound(() => call(client, io, pathOf(published, client), options))
  if (!response) throw postGone(HOST)
  if (response.status !== (isComment ? 200 : 204)) throw unexpected(HOST, true)
  return addressOf(published)
}

/**
 * A comment is addressed by its post and its own number. Its URN has both; a number alone stands beside the address.
 */
function pathOf({ kind, id, url }: OnNetwork, { author }: Client): string {
  if (kind !== 'comment') return `/rest/posts/${encodeURIComponent(id)}`
  const [, activity, number = id] = /^urn:li:comment:\((urn:li:\w+:\d+),(\d+)\)$/.exec(id) ?? []
  const urn = /\/feed\/update\/(urn:li:\w+:\d+)\//.exec(url ?? '')?.[1] ?? activity
  if (!urn) throw impossible('LinkedIn did not say where this comment is: change it on LinkedIn')
  const actor = new URLSearchParams({ actor: author })
  return `/rest/socialActions/${encodeURIComponent(urn)}/comments/${encodeURIComponent(number)}?${actor}`
}

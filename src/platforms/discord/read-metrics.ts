import type { Io } from '../contract/io.ts'
import { type MeasuredPost, pickCounts, type ReadMetrics } from '../contract/metrics.ts'
import { unexpected } from '../contract/publish-error.ts'
import { ID, list, NUMBER, object, optional } from '../wire/answer.ts'
import { callNetwork } from '../wire/call-network.ts'
import { at, textAt } from '../wire/json.ts'
import { readEach } from '../wire/read-each.ts'
import { channelOf, clientFor, HEADERS, messageUrl, orUnknown, type Webhook } from './webhook.ts'

export const readMetrics: ReadMetrics = async (posts, names, io) => {
  const webhook = clientFor(io)
  return readEach(posts, async (post) => {
    const threadId = channelOf(post.url)
    const message =
      (await readMessage(webhook, post, io)) ?? (threadId && (await readMessage(webhook, post, io, threadId)))
    return message === undefined ? 'gone' : { counts: pickCounts(names, () => sumOf(at(message, 'reactions'))) }
  })
}

const MESSAGE = object({ id: ID, reactions: optional(list(object({ count: NUMBER }))) })

/** Undefined for a message that is not there, nor the thread that it was in. */
async function readMessage(webhook: Webhook, { id }: MeasuredPost, io: Io, threadId?: string): Promise<unknown> {
  const url = messageUrl(webhook, id, threadId)
  const response = await orUnknown(threadId, () => callNetwork(webhook, io, url, { headers: HEADERS, answer: MESSAGE }))
  if (response && textAt(response.body, 'id') !== id) throw unexpected(webhook.host, false)
  return response?.body
}

function sumOf(reactions: unknown): number | undefined {
  return Array.isArray(reactions) ? reactions.reduce((sum, { count }) => sum + count, 0) : undefined
}

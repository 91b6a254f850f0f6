import type { Io } from '../contract/io.ts'
import { type MeasuredPost, pickCounts, type ReadMetrics, readEach } from '../contract/metrics.ts'
import { unexpected } from '../contract/publish-error.ts'
import { callNetwork, Refused } from '../wire/call-network.ts'
import { at, textAt } from '../wire/json.ts'
import { channelOf, clientFor, HEADERS, UNKNOWN_MESSAGE, type Webhook } from './webhook.ts'

export const readMetrics: ReadMetrics = async (posts, names, io) => {
  const webhook = clientFor(io)
  return readEach(posts, async (post) => {
    const message =
      (await readMessage(webhook, post, io)) ?? (await readMessage(webhook, post, io, channelOf(post.url)))
    return message === undefined ? 'gone' : { counts: pickCounts(names, () => sumOf(at(message, 'reactions'))) }
  })
}

/**
 * https://docs.discord.com/developers/resources/webhook#get-webhook-message: one in a thread needs the thread's id.
 * Undefined for a message that is not there.
 */
async function readMessage(webhook: Webhook, { id }: MeasuredPost, io: Io, threadId?: string): Promise<unknown> {
  const url = new URL(`${webhook.address}/messages/${id}`)
  if (threadId) url.searchParams.set('thread_id', threadId)
  try {
    const { body } = await callNetwork(webhook, io, url, { headers: HEADERS })
    if (textAt(body, 'id') !== id) throw unexpected(webhook.host, false)
    return body
  } catch (error) {
    if (error instanceof Refused && at(error.refusal.body, 'code') === UNKNOWN_MESSAGE) return undefined
    throw error
  }
}

function sumOf(reactions: unknown): number | undefined {
  if (!Array.isArray(reactions)) return undefined
  const counts = reactions.map((reaction) => at(reaction, 'count'))
  return counts.every((count) => typeof count === 'number') ? counts.reduce((sum, count) => sum + count, 0) : undefined
}

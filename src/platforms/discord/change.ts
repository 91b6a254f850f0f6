import type { Act, OnNetwork, Sent } from '../contract/adapter.ts'
import { addressOf } from '../contract/changes.ts'
import type { Io } from '../contract/io.ts'
import { postGone, unexpected } from '../contract/publish-error.ts'
import { ID, object } from '../wire/answer.ts'
import { type CallOptions, callNetwork } from '../wire/call-network.ts'
import { textAt } from '../wire/json.ts'
import { discordContent } from './content.ts'
import { channelOf, clientFor, HEADERS, messageUrl, orUnknown, type Webhook } from './webhook.ts'

/** https://docs.discord.com/developers/resources/webhook#delete-webhook-message */
export async function remove(published: OnNetwork, io: Io): Promise<void> {
  const webhook = clientFor(io)
  const response = await callMessage(webhook, published, io, { method: 'DELETE', answer: 'status' })
  if (response && response.status !== 204) throw unexpected(webhook.host, true)
}

/**
 * https://docs.discord.com/developers/resources/webhook#edit-webhook-message: parameters that are absent stay as they
 * are, but for `allowed_mentions`.
 */
export async function edit(act: Act, published: OnNetwork, io: Io): Promise<Sent> {
  const webhook = clientFor(io)
  const { allowedMentions, embeds = [] } = act.fields
  const hasEmbeds = act.kind === 'post' && (act.fields.embeds ?? published.fields.embeds) !== undefined
  const body = {
    content: discordContent(act).text,
    ...(allowedMentions !== undefined && { allowed_mentions: allowedMentions }),
    ...(hasEmbeds && { embeds }),
  }
  const response = await callMessage(webhook, published, io, { method: 'PATCH', body, answer: object({ id: ID }) })
  if (!response) throw postGone(webhook.host)
  if (textAt(response.body, 'id') !== published.id) throw unexpected(webhook.host, true)
  return addressOf(published)
}

/** Undefined if the message, or the thread that it was in, is not there. */
async function callMessage(webhook: Webhook, published: OnNetwork, io: Io, options: CallOptions) {
  const threadId = threadOf(published)
  const url = messageUrl(webhook, published.id, threadId)
  return orUnknown(threadId, () => callNetwork(webhook, io, url, { ...options, headers: HEADERS, visible: true }))
}

/** The thread that a message is in, if any: the channel in its address. */
const threadOf = ({ fields, url }: OnNetwork) =>
  fields.threadName !== undefined || fields.threadId !== undefined
    ? (textAt(fields, 'threadId') ?? channelOf(url))
    : undefined

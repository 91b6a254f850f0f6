import { LRUCache } from 'lru-cache'
import type { Act, Adapter } from '../contract/adapter.ts'
import type { Io } from '../contract/io.ts'
import { optionsOf } from '../contract/poll-options.ts'
import { ID, object, optional, TEXT } from '../wire/answer.ts'
import { avatarOf } from '../wire/avatar.ts'
import { callNetwork } from '../wire/call-network.ts'
import { at, textAt } from '../wire/json.ts'
import { fileName, multipart } from '../wire/request-body.ts'
import { edit, remove } from './change.ts'
import { discordContent } from './content.ts'
import { readMetrics } from './read-metrics.ts'
import { clientFor, HEADERS, type Webhook } from './webhook.ts'

/** https://docs.discord.com/developers/resources/message#message-object-message-flags */
const SUPPRESS_EMBEDS = 1 << 2
const SUPPRESS_NOTIFICATIONS = 1 << 12

const GUILDS_MAX = 10_000

/** Remembers which server a webhook belongs to, so that a message takes one call. */
export function createDiscordAdapter(): Adapter<{ guildId: string | null }> {
  /**
   * Ids of servers (guilds) by ids of webhooks; null for a webhook without one. A webhook stays in its server when it
   * moves to another channel: https://docs.discord.com/developers/resources/webhook#modify-webhook
   */
  const guilds = new LRUCache<string, { guildId: string | null }>({ max: GUILDS_MAX })

  /** https://docs.discord.com/developers/resources/webhook#get-webhook-with-token */
  async function readWebhook(webhook: Webhook, io: Io): Promise<unknown> {
    const answer = object({ id: ID, guild_id: optional(ID), name: optional(TEXT) })
    const { body } = await callNetwork(webhook, io, webhook.address, { headers: HEADERS, answer })
    guilds.set(webhook.id, { guildId: textAt(body, 'guild_id') ?? null })
    return body
  }

  return {
    // `nonce` and `enforce_nonce` of https://docs.discord.com/developers/resources/message#create-message are for bots;
    // https://docs.discord.com/developers/resources/webhook#execute-webhook has neither, and a webhook's messages can
    // be read by their ids only (#get-webhook-message), not listed.
    guarantee: 'at-most-once',
    // An address may make 50 requests a second
    // (https://docs.discord.com/developers/topics/rate-limits#global-rate-limit); one takes a tenth of a second or
    // more.
    concurrency: 5,

    readMetrics,
    remove,
    edit,

    async identify(io) {
      const webhook = clientFor(io)
      const body = await readWebhook(webhook, io)
      const id = textAt(body, 'id')!
      const name = textAt(body, 'name')
      const avatar = textAt(body, 'avatar')
      // https://docs.discord.com/developers/reference#image-formatting
      const avatarUrl = avatar && `https://cdn.discordapp.com/avatars/${id}/${encodeURIComponent(avatar)}.png`
      return { externalId: id, username: name || id, displayName: name || null, ...avatarOf(avatarUrl) }
    },

    // The address of a message needs the id of its server, which the response to the message lacks.
    async prepare(_act, io) {
      const webhook = clientFor(io)
      if (!guilds.has(webhook.id)) await readWebhook(webhook, io)
      return { ready: guilds.get(webhook.id) ?? { guildId: null } }
    },

    async publish(act, io, { guildId }) {
      const webhook = clientFor(io)
      const url = new URL(webhook.address)
      url.searchParams.set('wait', 'true')
      const threadId = threadOf(act)
      if (threadId) url.searchParams.set('thread_id', threadId)
      const { body } = await callNetwork(webhook, io, url, {
        method: 'POST',
        headers: HEADERS,
        body: messageOf(act),
        visible: true,
        answer: object({ id: ID, channel_id: optional(ID) }),
      })
      const id = textAt(body, 'id')!
      const channelId = textAt(body, 'channel_id')
      return { id, url: guildId && channelId ? `https://discord.com/channels/${guildId}/${channelId}/${id}` : null }
    },
  }
}

/**
 * The thread that the message goes into, if any. A comment goes into the thread that its post started, whose id is that
 * of its first message
 * (https://docs.discord.com/developers/topics/threads#creating-threads-in-forum-and-media-channels).
 */
function threadOf({ fields, parent }: Act): string | undefined {
  return parent && fields.threadName !== undefined ? parent.id : textAt(fields, 'threadId')
}

/**
 * The parameters of https://docs.discord.com/developers/resources/webhook#execute-webhook. A webhook cannot reply
 * (https://github.com/discord/discord-api-docs/issues/2251): a comment is the message after its post.
 */
function messageOf(act: Act): object {
  const { kind, media, fields } = act
  const { username, avatarUrl, tts, suppressEmbeds, suppressNotifications, allowedMentions, embeds, appliedTags } =
    fields
  const { text, title, altTexts } = discordContent(act)
  const flags =
    (suppressEmbeds === true ? SUPPRESS_EMBEDS : 0) | (suppressNotifications === true ? SUPPRESS_NOTIFICATIONS : 0)
  const poll = kind === 'post' && !act.parent && fields.poll !== undefined ? pollOf(fields.poll, text) : undefined
  const payload = {
    ...(poll ? { poll } : text && { content: text }),
    ...(username !== undefined && { username }),
    ...(avatarUrl !== undefined && { avatar_url: avatarUrl }),
    ...(tts === true && { tts }),
    ...(flags !== 0 && { flags }),
    ...(allowedMentions !== undefined && { allowed_mentions: allowedMentions }),
    ...(kind === 'post' && embeds !== undefined && { embeds }),
    ...(title !== undefined && { thread_name: title }),
    ...(title !== undefined && appliedTags !== undefined && { applied_tags: appliedTags }),
    ...(media.length > 0 && {
      attachments: media.map((file, index) => ({
        id: index,
        filename: fileName(file, index),
        ...describe(altTexts[index]),
      })),
    }),
  }
  if (media.length === 0) return payload
  // https://docs.discord.com/developers/reference#uploading-files
  const uploads = media.map((file, index) => ({ field: `files[${index}]`, name: fileName(file, index), file }))
  return multipart({ payload_json: JSON.stringify(payload) }, uploads)
}

/** https://docs.discord.com/developers/resources/poll#poll-create-request-object: the question takes the text. */
function pollOf(poll: unknown, question: string): object {
  const duration = at(poll, 'durationHours')
  return {
    question: { text: question },
    answers: optionsOf(poll).map((text) => ({ poll_media: { text } })),
    ...(duration !== undefined && { duration }),
    ...(at(poll, 'multiple') === true && { allow_multiselect: true }),
  }
}

const describe = (description: string | undefined) => description && { description }

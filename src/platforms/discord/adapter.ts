import type { Act, Credentials, Io, Publishing } from '../adapter.ts'
import { at, call, cut, Form, type Network, nameOf, textAt, unauthorized, unexpected } from '../call-network.ts'

/** https://docs.discord.com/developers/resources/message#attachment-object-attachment-request-structure */
const DESCRIPTION_LENGTH_MAX = 1024

/** https://docs.discord.com/developers/resources/message#message-object-message-flags */
const SUPPRESS_EMBEDS = 1 << 2

// A webhook stays in its server, whichever channel it is moved to: https://docs.discord.com/developers/resources/webhook#modify-webhook
const GUILDS_MAX = 10_000

/** Remembers the servers that webhooks are in, so that a message is one call. */
export function publishToDiscord(): Publishing {
  /** By the ids of webhooks; undefined for one that is in none. */
  const guilds = new Map<string, string | undefined>()

  /** https://docs.discord.com/developers/resources/webhook#get-webhook-with-token */
  async function look(webhook: Webhook, io: Pick<Io, 'fetch' | 'signal'>): Promise<unknown> {
    const { body } = await call(webhook, io, webhook.address, { headers: HEADERS })
    if (guilds.size >= GUILDS_MAX) guilds.delete(guilds.keys().next().value!)
    guilds.set(webhook.id, textAt(body, 'guild_id'))
    return body
  }

  return {
    // `nonce` and `enforce_nonce` are of https://docs.discord.com/developers/resources/message#create-message, for bots;
    // https://docs.discord.com/developers/resources/webhook#execute-webhook has neither, and the messages of a webhook can
    // be read by their ids only (#get-webhook-message), never be listed.
    guarantee: 'at-most-once',
    // An address may make 50 requests a second (https://docs.discord.com/developers/topics/rate-limits#global-rate-limit);
    // one takes a tenth of a second and more.
    concurrency: 5,

    async identify(credentials, io) {
      const webhook = connect(credentials)
      const body = await look(webhook, io)
      const id = textAt(body, 'id')
      if (id === undefined) throw unexpected(webhook.host, false)
      const name = textAt(body, 'name')
      return { externalId: id, username: name || id, displayName: name || null }
    },

    async send(act, credentials, io) {
      const webhook = connect(credentials)
      // For the address of the message, of which the answer to it has no guild.
      if (!guilds.has(webhook.id)) await look(webhook, io)
      const guildId = guilds.get(webhook.id)
      const url = new URL(webhook.address)
      url.searchParams.set('wait', 'true')
      const threadId = threadOf(act)
      if (threadId) url.searchParams.set('thread_id', threadId)
      const body = bodyOf(act)
      await io.intend()
      const answer = await call(webhook, io, url.href, { method: 'POST', headers: HEADERS, body, visible: true })
      const id = textAt(answer.body, 'id')
      if (id === undefined) throw unexpected(webhook.host, true)
      const channelId = textAt(answer.body, 'channel_id')
      return { id, url: guildId && channelId ? `https://discord.com/channels/${guildId}/${channelId}/${id}` : null }
    },
  }
}

/** Requests without a User-Agent of this form may be blocked: https://docs.discord.com/developers/reference#user-agent */
const HEADERS = { 'user-agent': 'DiscordBot (postroom, 1)' }

interface Webhook extends Network {
  id: string
  address: string
}

/** Taken apart and put together again, so that nothing but Discord is ever called. */
const WEBHOOK_URL =
  /^https:\/\/(?:(?:ptb|canary)\.)?discord(?:app)?\.com\/api\/(?:v\d+\/)?webhooks\/(?<id>\d+)\/(?<token>[\w-]+)\/?$/

function connect({ webhookUrl = '' }: Credentials): Webhook {
  const { id, token } = WEBHOOK_URL.exec(webhookUrl)?.groups ?? {}
  if (!id || !token) throw unauthorized('webhookUrl has to be https://discord.com/api/webhooks/ID/TOKEN')
  return {
    id,
    host: 'discord.com',
    // https://docs.discord.com/developers/reference#api-versioning
    address: `https://discord.com/api/v10/webhooks/${id}/${token}`,
    secrets: [token],
    words: wordsOf,
    // https://docs.discord.com/developers/topics/opcodes-and-status-codes#json: of the things that may be unknown, 10015
    // is the webhook; a thread is another.
    isUnauthorized: ({ status, body }) =>
      status === 401 || status === 403 || (status === 404 && at(body, 'code') === UNKNOWN_WEBHOOK),
    // https://docs.discord.com/developers/topics/rate-limits#exceeding-a-rate-limit: seconds, with a fraction that the
    // header does not have.
    retryAfterMs: ({ body }) => {
      const seconds = at(body, 'retry_after')
      return typeof seconds === 'number' ? Math.ceil(seconds * 1000) : undefined
    },
  }
}

const UNKNOWN_WEBHOOK = 10015

/**
 * Where in the channel it goes. A comment follows its post: into the thread that the post has started, whose id is that
 * of its first message (https://docs.discord.com/developers/topics/threads#creating-threads-in-forum-and-media-channels).
 */
function threadOf({ fields, parent }: Act): string | undefined {
  return parent && fields.threadName !== undefined ? parent.id : textAt(fields, 'threadId')
}

/**
 * The parameters of https://docs.discord.com/developers/resources/webhook#execute-webhook. A webhook cannot reply
 * (https://github.com/discord/discord-api-docs/issues/2251): a comment is the message after its post.
 */
function bodyOf({ kind, text, media, fields, parent }: Act): object {
  const { username, avatarUrl, tts, suppressEmbeds, allowedMentions, embeds, threadName, appliedTags } = fields
  const payload = {
    ...(text && { content: text }),
    ...(username !== undefined && { username }),
    ...(avatarUrl !== undefined && { avatar_url: avatarUrl }),
    ...(tts === true && { tts }),
    ...(suppressEmbeds === true && { flags: SUPPRESS_EMBEDS }),
    ...(allowedMentions !== undefined && { allowed_mentions: allowedMentions }),
    ...(kind === 'post' && embeds !== undefined && { embeds }),
    ...(!parent && threadName !== undefined && { thread_name: threadName }),
    ...(!parent && appliedTags !== undefined && { applied_tags: appliedTags }),
    ...(media.length > 0 && {
      attachments: media.map((file, place) => ({
        id: place,
        filename: nameOf(file, place),
        ...(file.altText && { description: cut(file.altText, DESCRIPTION_LENGTH_MAX) }),
      })),
    }),
  }
  if (media.length === 0) return payload
  // https://docs.discord.com/developers/reference#uploading-files
  const uploads = media.map((file, place) => ({ field: `files[${place}]`, name: nameOf(file, place), file }))
  return new Form({ payload_json: JSON.stringify(payload) }, uploads)
}

/** What is wrong, and where: https://docs.discord.com/developers/reference#error-messages */
function wordsOf(body: unknown): string | undefined {
  const message = textAt(body, 'message')
  const details = detailsOf(at(body, 'errors'), [])
  return message && details.length > 0 ? `${message}: ${details.join('; ')}` : message
}

function detailsOf(errors: unknown, path: readonly string[]): string[] {
  // Deeper than the field of an embed, it is not Discord's.
  if (typeof errors !== 'object' || errors === null || path.length > 6) return []
  return Object.entries(errors).flatMap(([key, value]) => {
    if (key !== '_errors' || !Array.isArray(value)) return detailsOf(value, [...path, key])
    return value.map((error) => `${path.join('.')} ${textAt(error, 'message') ?? ''}`)
  })
}

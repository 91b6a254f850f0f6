import { at, call, cut, Form, type Network, nameOf, textAt, unauthorized, unexpected } from './calls.ts'
import type { FieldValue, GifRule, ImageRule, Platform, PostTypeRule, Source, VideoRule } from './platform.ts'
import type { Act, Credentials, Io, Publishing } from './publishing.ts'

const executeWebhook: Source = {
  url: 'https://docs.discord.com/developers/resources/webhook#execute-webhook',
  confidence: 'official',
  version: 'c98d64b, 2026-08-06',
}
const uploadingFiles: Source = {
  url: 'https://docs.discord.com/developers/reference#uploading-files',
  confidence: 'official',
  version: '2026-08-06',
}
const statusCodes: Source = {
  url: 'https://docs.discord.com/developers/topics/opcodes-and-status-codes',
  confidence: 'official',
  version: '2026-08-06',
}

const createWebhook: Source = {
  url: 'https://docs.discord.com/developers/resources/webhook#create-webhook',
  confidence: 'official',
  version: '2026-08-06',
}
const embedLimits: Source = {
  url: 'https://docs.discord.com/developers/resources/message#embed-object-embed-limits',
  confidence: 'official',
  version: '2026-08-06',
}
const mentions: Source = {
  url: 'https://docs.discord.com/developers/resources/message#allowed-mentions-object',
  confidence: 'official',
  version: '2026-08-06',
}

// Discord takes any file; these are the types that it shows. A server that was boosted takes larger ones.
const image: ImageRule = {
  mimeTypes: ['image/jpeg', 'image/png', 'image/webp', 'image/avif'],
  bytesMax: 10_485_760,
  source: uploadingFiles,
}
const gif: GifRule = { mimeTypes: ['image/gif'], bytesMax: 10_485_760, source: uploadingFiles }
const video: VideoRule = {
  mimeTypes: ['video/mp4', 'video/quicktime', 'video/webm'],
  bytesMax: 10_485_760,
  source: uploadingFiles,
}

const post: PostTypeRule = {
  mediaMin: 0,
  mediaMax: 10,
  imagesMax: 10,
  videosMax: 10,
  gifsMax: 10,
  mixed: true,
  captionPublished: true,
  // 25 MiB: https://docs.discord.com/developers/resources/message#create-message
  requestBytesMax: 26_214_400,
  image,
  gif,
  video,
  source: statusCodes,
}

const digits = { regex: /^\d+$/, says: 'digits only' }
const embedText = (lengthMax: number) => ({ type: 'string', lengthMax, trimmed: true }) as const
const ids: FieldValue = { type: 'string[]', itemsMax: 100, item: { pattern: digits } }

export const discord: Platform = {
  id: 'discord',
  name: 'Discord (webhook)',
  // Code points, by the answer of Discord's staff: https://github.com/discord/discord-api-docs/issues/1315.
  caption: { lengthMax: 2000, unit: 'code points', required: 'unless media or embeds', source: executeWebhook },
  // Names the thread that a forum or media channel starts for the message.
  title: { field: 'threadName', lengthMax: 100, unit: 'code points', required: false, source: executeWebhook },
  // A webhook cannot reply: the comment is a second message.
  firstComment: { lengthMax: 2000, unit: 'code points', source: { ...executeWebhook, confidence: 'assumed' } },
  postTypes: {
    post,
    carousel: { ...post, mediaMin: 2 },
    video: {
      mediaMin: 1,
      mediaMax: 1,
      imagesMax: 0,
      videosMax: 1,
      gifsMax: 0,
      mixed: false,
      captionPublished: true,
      video,
      source: statusCodes,
    },
  },
  fields: {
    username: {
      type: 'string',
      lengthMax: 80,
      notBlank: true,
      pattern: { regex: /^(?!.*(?:clyde|discord))/is, says: 'a name without clyde and discord in it' },
      param: 'username',
      source: createWebhook,
    },
    avatarUrl: { type: 'url', param: 'avatar_url', source: executeWebhook },
    threadId: { type: 'string', notBlank: true, pattern: digits, param: 'thread_id', source: executeWebhook },
    threadName: {
      type: 'string',
      notBlank: true,
      // Error 220002.
      refused: { when: 'threadId is set', test: ({ threadId }) => threadId !== undefined && threadId !== '' },
      param: 'thread_name',
      description: 'starts a thread with the post; the first comment goes into it',
      source: statusCodes,
    },
    appliedTags: {
      type: 'string[]',
      itemsMax: 5,
      item: { pattern: digits },
      param: 'applied_tags',
      description: 'ids, for the thread that the post starts',
      source: executeWebhook,
    },
    embeds: {
      type: 'object[]',
      itemsMax: 10,
      properties: {
        title: embedText(256),
        description: embedText(4096),
        footer: { type: 'object', properties: { text: { ...embedText(2048), required: true } } },
        author: { type: 'object', properties: { name: { ...embedText(256), required: true } } },
        fields: {
          type: 'object[]',
          itemsMax: 25,
          properties: {
            name: { ...embedText(256), required: true },
            value: { ...embedText(1024), required: true },
          },
        },
      },
      textsLengthMax: 6000,
      param: 'embeds',
      description: 'as Discord has them; with the post, not the first comment',
      source: embedLimits,
    },
    tts: { type: 'boolean', default: false, param: 'tts', source: executeWebhook },
    suppressEmbeds: { type: 'boolean', default: false, param: 'flags', source: executeWebhook },
    allowedMentions: {
      type: 'object',
      properties: {
        parse: { type: 'string[]', values: ['roles', 'users', 'everyone'] },
        roles: ids,
        users: ids,
      },
      param: 'allowed_mentions',
      description:
        'without it, users that the caption mentions are notified, and neither roles nor `@everyone`; `{"parse": []}` notifies nobody',
      source: mentions,
    },
  },
  rateLimits: [
    { what: 'requests', limit: 50, windowSeconds: 1, scope: 'bot or IP', source: statusCodes },
    {
      what: 'messages',
      limit: 5,
      windowSeconds: 2,
      scope: 'webhook',
      perAct: 1,
      source: { ...executeWebhook, confidence: 'assumed' },
    },
    { what: 'invalid requests', limit: 10_000, windowSeconds: 600, scope: 'IP', source: statusCodes },
  ],
}

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

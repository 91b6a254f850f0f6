import { filesOf, ONE_VIDEO } from '../contract/files-of.ts'
import { NOT_QUERIED } from '../contract/guarantee.ts'
import type {
  AltTextRule,
  ExcludedProperty,
  FieldValue,
  GifRule,
  ImageRule,
  Platform,
  PostTypeRule,
  VideoRule,
} from '../contract/limits.ts'
import { optionsUpTo } from '../contract/poll-options.ts'
import type { Source } from '../contract/source.ts'

const executeWebhook: Source = {
  url: 'https://docs.discord.com/developers/resources/webhook#execute-webhook',
  confidence: 'official',
  version: 'c98d64b, 2026-08-06',
  seenAt: '2026-11-22',
}
const uploadingFiles: Source = {
  url: 'https://docs.discord.com/developers/reference#uploading-files',
  confidence: 'official',
  version: '2026-09-04',
  seenAt: '2026-11-28',
}
const statusCodes: Source = {
  url: 'https://docs.discord.com/developers/topics/opcodes-and-status-codes',
  confidence: 'official',
  version: '2026-08-06',
  seenAt: '2026-11-22',
}

const createWebhook: Source = {
  url: 'https://docs.discord.com/developers/resources/webhook#create-webhook',
  confidence: 'official',
  version: '2026-08-06',
  seenAt: '2026-11-22',
}
const embedLimits: Source = {
  url: 'https://docs.discord.com/developers/resources/message#embed-object-embed-limits',
  confidence: 'official',
  version: '2026-08-06',
  seenAt: '2026-11-22',
}
const mentions: Source = {
  url: 'https://docs.discord.com/developers/resources/message#allowed-mentions-object',
  confidence: 'official',
  version: '2026-08-06',
  seenAt: '2026-11-22',
}

// Discord accepts every file; these are the types that it displays. The boosts of a server raise the limit for users.
// Reports on webhooks differ (https://github.com/coffeebank/coffee-cogs/issues/6), and no call with the token of a
// webhook tells the tier: https://docs.discord.com/developers/resources/webhook#get-webhook-with-token
const image: ImageRule = {
  mimeTypes: ['image/jpeg', 'image/png', 'image/webp', 'image/avif'],
  bytesMax: 20_971_520,
  source: uploadingFiles,
}
const gif: GifRule = { mimeTypes: ['image/gif'], bytesMax: 20_971_520, source: uploadingFiles }
const video: VideoRule = {
  mimeTypes: ['video/mp4', 'video/quicktime', 'video/webm'],
  bytesMax: 20_971_520,
  source: uploadingFiles,
}

const post: PostTypeRule = {
  ...filesOf({ max: 10, videos: 10, gifs: 10, mixed: true }),
  hasCaption: true,
  // 25 MiB: https://docs.discord.com/developers/resources/message#create-message
  requestBytesMax: 26_214_400,
  image,
  gif,
  video,
  source: statusCodes,
}

// Ids have 64 bits.
const digits = { regex: /^\d{1,20}$/, expected: 'digits only' }
const embedText = (lengthMax: number) => ({ type: 'string', lengthMax, trimmed: true }) as const
// They are sets: https://github.com/discord/discord-api-docs/pull/5484.
const ids: FieldValue = { type: 'string[]', itemsMax: 100, item: { pattern: digits }, uniqueItems: true }

const link = { type: 'url', lengthMax: 2048 } as const
/** The link of an image: https://docs.discord.com/developers/resources/message#embed-object-embed-image-structure */
const imageLink = { ...link, attachments: true } as const

/** Discord refuses the ids of a type that `parse` has: MESSAGE_ALLOWED_MENTIONS_PARSE_EXCLUSIVE. */
const excludedByParse = (key: 'users' | 'roles'): ExcludedProperty => ({
  key,
  when: `parse has ${key}`,
  test: ({ parse }) => Array.isArray(parse) && parse.includes(key),
})

const altText: AltTextRule = {
  lengthMax: 1024,
  unit: 'code points',
  source: {
    url: 'https://docs.discord.com/developers/resources/message#attachment-object-attachment-request-structure',
    confidence: 'official',
    version: '2026-08-06',
    seenAt: '2026-11-25',
  },
}

const pollCreate: Source = {
  url: 'https://docs.discord.com/developers/resources/poll#poll-create-request-object',
  confidence: 'copy',
  version: '2026-10-02',
  seenAt: '2026-11-30',
}

export const discord: Platform = {
  id: 'discord',
  name: 'Discord (webhook)',
  // The unit is code points, according to Discord's staff: https://github.com/discord/discord-api-docs/issues/1315.
  caption: { lengthMax: 2000, unit: 'code points', required: 'unless media or embeds', source: executeWebhook },
  // The name of the thread that a message starts in a forum or media channel.
  title: { field: 'threadName', lengthMax: 100, unit: 'code points', required: false, source: executeWebhook },
  // A webhook cannot reply, so the comment is a second message.
  firstComment: { lengthMax: 2000, unit: 'code points', source: { ...executeWebhook, confidence: 'assumed' } },
  altTexts: { image: altText, gif: altText, video: altText },
  postTypes: {
    post,
    carousel: { ...post, mediaMin: 2 },
    video: {
      ...ONE_VIDEO,
      hasCaption: true,
      video,
      source: statusCodes,
    },
  },
  fields: {
    username: {
      type: 'string',
      lengthMax: 80,
      notBlank: true,
      pattern: {
        // The page refers to the rules of usernames for "everyone" and "here". Discord enforces them in webhooks:
        // https://github.com/countr/countr/pull/1285, https://github.com/MinnDevelopment/discord-webhooks/issues/100.
        // Longer names with "here" were refused on one day only: https://github.com/PluralKit/PluralKit/issues/725.
        regex:
          /^(?!\s*(?:[Ee][Vv][Ee][Rr][Yy][Oo][Nn][Ee]|[Hh][Ee][Rr][Ee])\s*$|[\s\S]*(?:[Cc][Ll][Yy][Dd][Ee]|[Dd][Ii][Ss][Cc][Oo][Rr][Dd]))/,
        expected: 'a name that is neither everyone nor here and contains neither clyde nor discord',
      },
      param: 'username',
      source: createWebhook,
    },
    avatarUrl: { type: 'url', param: 'avatar_url', source: executeWebhook },
    threadId: { type: 'string', notBlank: true, pattern: digits, param: 'thread_id', source: executeWebhook },
    threadName: {
      type: 'string',
      notBlank: true,
      // Discord responds with error 220002 otherwise.
      refused: { when: 'threadId is set', test: ({ threadId }) => threadId !== undefined && threadId !== '' },
      param: 'thread_name',
      description: 'name of a thread that the post starts; the first comment is sent to it',
      source: statusCodes,
    },
    appliedTags: {
      type: 'string[]',
      itemsMax: 5,
      item: { pattern: digits },
      param: 'applied_tags',
      description: 'ids of tags for the thread that the post starts',
      unused: { when: 'threadName is absent', test: ({ threadName }) => !threadName },
      source: executeWebhook,
    },
    embeds: {
      type: 'object[]',
      passedOn: true,
      itemsMax: 10,
      properties: {
        title: embedText(256),
        description: embedText(4096),
        url: link,
        timestamp: { type: 'datetime' },
        color: { type: 'integer', min: 0, max: 0xff_ff_ff },
        footer: {
          type: 'object',
          properties: { text: { ...embedText(2048), required: true }, icon_url: imageLink },
        },
        image: { type: 'object', properties: { url: { ...imageLink, required: true } } },
        thumbnail: { type: 'object', properties: { url: { ...imageLink, required: true } } },
        author: {
          type: 'object',
          properties: { name: { ...embedText(256), required: true }, url: link, icon_url: imageLink },
        },
        fields: {
          type: 'object[]',
          itemsMax: 25,
          properties: {
            name: { ...embedText(256), required: true },
            value: { ...embedText(1024), required: true },
            inline: { type: 'boolean' },
          },
        },
      },
      // `description` is required otherwise: https://github.com/phd20/obsidian-discord-share/issues/20.
      needsOneOf: ['title', 'description', 'fields', 'author', 'footer', 'image', 'thumbnail'],
      totalLengthMax: 6000,
      param: 'embeds',
      description: 'embeds in the format of Discord; sent with the post, not with the first comment',
      source: embedLimits,
    },
    altText: {
      type: 'string',
      lengthMax: altText.lengthMax,
      param: 'attachments[].description',
      unused: { when: 'the post has no media', test: (_, { count }) => count === 0 },
      source: altText.source,
    },
    poll: {
      type: 'object',
      properties: {
        options: optionsUpTo(10, { lengthMax: 55 }),
        durationHours: { type: 'integer', min: 1, max: 768 },
        multiple: { type: 'boolean' },
      },
      fromPoll: ({ options, durationMinutes, multiple }) => ({
        options,
        durationHours: durationMinutes / 60,
        multiple,
      }),
      param: 'poll',
      withoutMedia: true,
      captionLengthMax: 300,
      refused: { when: 'embeds is set', test: ({ embeds }) => Array.isArray(embeds) && embeds.length > 0 },
      description: 'the caption is the question; `durationHours` is 24 unless it is set',
      source: pollCreate,
    },
    tts: { type: 'boolean', default: false, param: 'tts', source: executeWebhook },
    suppressEmbeds: { type: 'boolean', default: false, param: 'flags', source: executeWebhook },
    suppressNotifications: { type: 'boolean', default: false, param: 'flags', source: executeWebhook },
    allowedMentions: {
      type: 'object',
      passedOn: true,
      properties: {
        parse: { type: 'string[]', values: ['roles', 'users', 'everyone'], uniqueItems: true },
        roles: ids,
        users: ids,
        replied_user: { type: 'boolean' },
      },
      excluded: [excludedByParse('roles'), excludedByParse('users')],
      param: 'allowed_mentions',
      description:
        'default: mentioned users are notified, roles and `@everyone` are not; `{"parse": []}` notifies no one',
      source: mentions,
    },
  },
  rateLimits: [
    { resource: 'requests', limit: 50, windowSeconds: 1, scope: 'bot or IP', source: statusCodes },
    {
      resource: 'messages',
      limit: 5,
      windowSeconds: 2,
      scope: 'webhook',
      perAct: 1,
      source: { ...executeWebhook, confidence: 'assumed' },
    },
    { resource: 'invalid requests', limit: 10_000, windowSeconds: 600, scope: 'IP', source: statusCodes },
  ],
  guarantees: [{ guarantee: 'at-most-once', description: NOT_QUERIED, source: executeWebhook }],
}

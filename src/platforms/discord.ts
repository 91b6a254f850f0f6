import type { GifRule, ImageRule, Platform, PostTypeRule, Source, VideoRule } from './platform.ts'

const webhook: Source = {
  url: 'https://docs.discord.com/developers/resources/webhook#execute-webhook',
  confidence: 'official',
  version: 'c98d64b, 2026-08-06',
}
const uploads: Source = {
  url: 'https://docs.discord.com/developers/reference#uploading-files',
  confidence: 'official',
  version: '2026-08-06',
}
const statusCodes: Source = {
  url: 'https://docs.discord.com/developers/topics/opcodes-and-status-codes',
  confidence: 'official',
  version: '2026-08-06',
}

// Discord takes any file; these are the types that it shows. A server that was boosted takes larger ones.
const image: ImageRule = {
  mimeTypes: ['image/jpeg', 'image/png', 'image/webp', 'image/avif'],
  bytesMax: 10_485_760,
  source: uploads,
}
const gif: GifRule = { mimeTypes: ['image/gif'], bytesMax: 10_485_760, source: uploads }
const video: VideoRule = {
  mimeTypes: ['video/mp4', 'video/quicktime', 'video/webm'],
  bytesMax: 10_485_760,
  source: uploads,
}

const post: PostTypeRule = {
  mediaMin: 0,
  mediaMax: 10,
  imagesMax: 10,
  videosMax: 10,
  gifsMax: 10,
  mixed: true,
  captionPublished: true,
  image,
  gif,
  video,
  source: statusCodes,
}

export const discord: Platform = {
  id: 'discord',
  name: 'Discord (webhook)',
  // Code points, by the answer of Discord's staff: https://github.com/discord/discord-api-docs/issues/1315.
  caption: { lengthMax: 2000, unit: 'code points', required: 'unless media or embeds', source: webhook },
  // Names the thread that a forum or media channel starts for the message.
  title: { field: 'threadName', lengthMax: 100, unit: 'code points', required: false, source: webhook },
  // A webhook cannot reply: the comment is a second message.
  firstComment: { lengthMax: 2000, unit: 'code points', source: { ...webhook, confidence: 'assumed' } },
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
    username: { type: 'string', lengthMax: 80, param: 'username', source: webhook },
    avatarUrl: { type: 'url', param: 'avatar_url', source: webhook },
    threadId: { type: 'string', param: 'thread_id', source: webhook },
    threadName: { type: 'string', param: 'thread_name', source: webhook },
    appliedTags: { type: 'string[]', itemsMax: 5, param: 'applied_tags', source: webhook },
    embeds: {
      type: 'object[]',
      itemsMax: 10,
      param: 'embeds',
      description: 'titles up to 256, descriptions up to 4096, 6000 characters in all',
      source: webhook,
    },
    tts: { type: 'boolean', default: false, param: 'tts', source: webhook },
    suppressEmbeds: { type: 'boolean', default: false, param: 'flags', source: webhook },
    allowedMentions: { type: 'object', param: 'allowed_mentions', source: webhook },
  },
  rateLimits: [
    { what: 'requests', limit: 50, windowSeconds: 1, scope: 'bot or IP', source: statusCodes },
    {
      what: 'messages',
      limit: 5,
      windowSeconds: 2,
      scope: 'webhook',
      perAct: 1,
      source: { ...webhook, confidence: 'assumed' },
    },
    { what: 'invalid requests', limit: 10_000, windowSeconds: 600, scope: 'IP', source: statusCodes },
  ],
}

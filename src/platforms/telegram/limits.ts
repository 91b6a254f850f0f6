import { mayBePublic } from '../../base/outbound/addresses.ts'
import { filesOf, ONE_VIDEO } from '../contract/files-of.ts'
import { NOT_QUERIED } from '../contract/guarantee.ts'
import type { Condition, GifRule, ImageRule, Platform, VideoRule } from '../contract/limits.ts'
import { optionsUpTo } from '../contract/poll-options.ts'
import type { Source } from '../contract/source.ts'
import { isLink } from './links.ts'
import { telegramMarkup } from './markup.ts'
import { asStored, findRemoved, TEXT_BYTES_MAX } from './stored-text.ts'

const sendPhoto: Source = {
  url: 'https://core.telegram.org/bots/api#sendphoto',
  confidence: 'copy',
  version: '2026',
  seenAt: '2026-11-22',
}
const sendMediaGroup: Source = {
  url: 'https://core.telegram.org/bots/api#sendmediagroup',
  confidence: 'copy',
  version: '2026',
  seenAt: '2026-11-22',
}
const sendVideo: Source = {
  url: 'https://core.telegram.org/bots/api#sendvideo',
  confidence: 'copy',
  version: '2026-11',
  seenAt: '2026-11-25',
}
const tdlib: Source = {
  url: 'https://github.com/tdlib/td/blob/master/td/telegram/MessageContent.cpp',
  confidence: 'official',
  version: '022d602, 2026-07-17',
  seenAt: '2026-11-22',
}
const formatting: Source = {
  url: 'https://core.telegram.org/bots/api#formatting-options',
  confidence: 'copy',
  version: '2026',
  seenAt: '2026-11-22',
}
const inlineButton: Source = {
  url: 'https://core.telegram.org/bots/api#inlinekeyboardbutton',
  confidence: 'copy',
  version: '2026',
  seenAt: '2026-11-22',
}
const botsFaq: Source = {
  url: 'https://docs.python-telegram-bot.org/en/v12.7/telegram.constants.html',
  confidence: 'cross-checked',
  version: 'v12.7',
  seenAt: '2026-11-22',
}

// Telegram converts every photo to JPEG, GIFs included: https://github.com/yagop/node-telegram-bot-api/issues/11
const image: ImageRule = {
  mimeTypes: ['image/jpeg', 'image/png', 'image/webp'],
  stillGifs: true,
  bytesMax: 10_485_760,
  widthPlusHeightMax: 10_000,
  aspectRatioMin: 1 / 20,
  aspectRatioMax: 20,
  source: sendPhoto,
}
// The cloud Bot API accepts 50 MB; a self-hosted Bot API server accepts 2000 MB. Telegram Premium raises the limits of
// users, not of bots. The boosts of a channel raise no limit of messages:
// https://core.telegram.org/api/config#client-configuration
const gif: GifRule = { mimeTypes: ['image/gif'], bytesMax: 52_428_800, source: botsFaq }
const video: VideoRule = { mimeTypes: ['video/mp4'], bytesMax: 52_428_800, source: botsFaq }

/** Telegram also takes addresses of private hosts, which readers cannot open. */
function isOpenable(address: string): boolean {
  const url = URL.parse(address)
  return isLink(address) && (!url || !/^https?:$/.test(url.protocol) || mayBePublic(url))
}

const withoutVideo: Condition = { when: 'the media has no video', test: (_, { hasVideo }) => !hasVideo }
const withoutMedia: Condition = { when: 'the post has no media', test: (_, { count }) => count === 0 }

const sendPoll: Source = {
  url: 'https://core.telegram.org/bots/api#sendpoll',
  confidence: 'copy',
  version: 'Bot API 9.6',
  seenAt: '2026-11-30',
}

export const telegram: Platform = {
  id: 'telegram',
  name: 'Telegram channel (bot)',
  asStored,
  findRemoved,
  caption: {
    lengthMax: 4096,
    lengthMaxWithMedia: 1024,
    unit: 'code points',
    bytesMax: TEXT_BYTES_MAX,
    required: 'unless media',
    source: tdlib,
  },
  // The comment is a reply in the channel. Real comments need the group that is linked to the channel.
  firstComment: { lengthMax: 4096, unit: 'code points', source: { ...tdlib, confidence: 'assumed' } },
  altTexts: {},
  postTypes: {
    post: {
      ...filesOf({ max: 10, videos: 10, gifs: 1, mixed: true, gifAlone: true }),
      hasCaption: true,
      image,
      gif,
      video,
      source: sendMediaGroup,
    },
    carousel: {
      ...filesOf({ min: 2, max: 10, videos: 10, mixed: true }),
      hasCaption: true,
      image: { ...image, stillsOnly: true },
      video,
      source: sendMediaGroup,
    },
    video: {
      ...ONE_VIDEO,
      hasCaption: true,
      video,
      source: botsFaq,
    },
  },
  fields: {
    parseMode: {
      type: 'enum',
      values: Object.keys(telegramMarkup),
      captionMarkup: telegramMarkup,
      param: 'parse_mode',
      description:
        'markup of the caption, which has to be valid and does not count towards its length; the first comment is plain text',
      source: formatting,
    },
    disableNotification: { type: 'boolean', default: false, param: 'disable_notification', source: sendPhoto },
    protectContent: { type: 'boolean', default: false, param: 'protect_content', source: sendPhoto },
    disableLinkPreview: {
      type: 'boolean',
      default: false,
      param: 'link_preview_options.is_disabled',
      unused: { when: 'the post has media', test: (_, { count }) => count > 0 },
      source: sendPhoto,
    },
    hasSpoiler: {
      type: 'boolean',
      default: false,
      param: 'has_spoiler',
      description: 'hides the media',
      unused: withoutMedia,
      source: sendPhoto,
    },
    showCaptionAboveMedia: {
      type: 'boolean',
      default: false,
      param: 'show_caption_above_media',
      unused: withoutMedia,
      source: sendPhoto,
    },
    // The number 1 is the general topic, which the API refuses: check_message_topic in
    // https://github.com/tdlib/telegram-bot-api/blob/master/telegram-bot-api/Client.cpp.
    messageThreadId: {
      type: 'integer',
      min: 2,
      max: 2 ** 31 - 1,
      param: 'message_thread_id',
      description:
        'topic of a group with topics, also of the first comment; other chats ignore it; without it, the general topic',
      source: sendVideo,
    },
    coverUrl: {
      type: 'url',
      param: 'cover',
      description: 'image that Telegram fetches and shows in place of the video, of the first video in an album',
      unused: withoutVideo,
      source: sendVideo,
    },
    thumbnailUrl: {
      type: 'url',
      param: 'thumbnail',
      description:
        'small image of the video, of the first video in an album: a JPEG below 200 kB, of at most 320 pixels a side',
      unused: withoutVideo,
      source: sendVideo,
    },
    linkPreview: {
      type: 'object',
      properties: {
        url: { type: 'url' },
        preferSmallMedia: { type: 'boolean' },
        preferLargeMedia: { type: 'boolean' },
        showAboveText: { type: 'boolean' },
      },
      param: 'link_preview_options',
      description: 'the preview of the post; `url`: of another address than the first one in the text',
      refused: {
        when: 'disableLinkPreview is true',
        test: ({ disableLinkPreview }) => disableLinkPreview === true,
      },
      unused: { when: 'the post has media', test: (_, { count }) => count > 0 },
      source: { ...sendPoll, url: 'https://core.telegram.org/bots/api#linkpreviewoptions' },
    },
    // Polls of channels are anonymous, which is the default.
    poll: {
      type: 'object',
      properties: {
        options: optionsUpTo(12, { lengthMax: 100 }),
        durationMinutes: { type: 'integer', min: 1, max: 43_800 },
        multiple: { type: 'boolean' },
      },
      fromPoll: (poll) => ({ ...poll }),
      param: 'sendPoll',
      withoutMedia: true,
      captionLengthMax: 300,
      refused: { when: 'parseMode is set', test: ({ parseMode }) => Boolean(parseMode) },
      description: 'the caption is the question; without `durationMinutes`, the poll stays open',
      source: sendPoll,
    },
    // Telegram refuses more, "reply markup is too long": https://github.com/tginfo/Telegram-Limits/issues/228
    buttons: {
      type: 'object[]',
      passedOn: true,
      itemsMax: 100,
      properties: {
        text: { type: 'string', required: true },
        url: {
          type: 'string',
          pattern: { regex: /^(?:[Hh][Tt][Tt][Pp][Ss]?|[Tt][Gg]):\/\/[^\s/]\S*$/, expected: 'an http(s) or tg:// URL' },
          // get_inline_keyboard_button in https://github.com/tdlib/td/blob/master/td/telegram/ReplyMarkup.cpp
          form: {
            test: isOpenable,
            expected: 'a URL that Telegram accepts, such as https://example.com/page',
          },
          required: true,
        },
      },
      // sendMediaGroup has no reply_markup: https://core.telegram.org/bots/api#sendmediagroup
      refused: { when: 'the post has several media files (an album)', test: (_, { count }) => count > 1 },
      param: 'reply_markup.inline_keyboard',
      description: 'shown below the post, not below the first comment',
      source: inlineButton,
    },
  },
  rateLimits: [
    { resource: 'messages', limit: 30, windowSeconds: 1, scope: 'bot', source: botsFaq },
    { resource: 'messages', limit: 1, windowSeconds: 1, scope: 'chat', perAct: 1, source: botsFaq },
    { resource: 'messages', limit: 20, windowSeconds: 60, scope: 'group', perAct: 1, source: botsFaq },
  ],
  guarantees: [
    {
      guarantee: 'at-most-once',
      description: NOT_QUERIED,
      source: {
        url: 'https://core.telegram.org/bots/api#available-methods',
        confidence: 'copy',
        version: '2026',
        seenAt: '2026-11-22',
      },
    },
  ],
}

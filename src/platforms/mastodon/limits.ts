import { filesOf, ONE_VIDEO } from '../contract/files-of.ts'
import { QUERIED } from '../contract/guarantee.ts'
import type { AltTextRule, GifRule, ImageRule, Platform, PostTypeRule, VideoRule } from '../contract/limits.ts'
import { optionsUpTo } from '../contract/poll-options.ts'
import type { Source } from '../contract/source.ts'
import { asStored } from './stored-text.ts'

// All values are Mastodon's defaults. Those that the server of an account states replace them: server-limits.ts.
const posting: Source = {
  url: 'https://docs.joinmastodon.org/user/posting/',
  confidence: 'official',
  version: '2025-11-21',
  seenAt: '2026-11-22',
}
const instance: Source = {
  url: 'https://docs.joinmastodon.org/entities/Instance/',
  confidence: 'official',
  version: '2026-07-02',
  seenAt: '2026-11-22',
}
const statuses: Source = {
  url: 'https://docs.joinmastodon.org/methods/statuses/',
  confidence: 'cross-checked',
  version: '2026-07-02',
  seenAt: '2026-11-22',
}
const pollOptions: Source = {
  url: 'https://github.com/mastodon/mastodon/blob/main/app/validators/poll_options_validator.rb',
  confidence: 'copy',
  version: 'v4.6',
  seenAt: '2026-11-22',
}
const validator: Source = {
  url: 'https://github.com/mastodon/mastodon/blob/main/app/validators/status_length_validator.rb',
  confidence: 'copy',
  version: 'v4.6',
  seenAt: '2026-11-22',
}
const rates: Source = {
  url: 'https://docs.joinmastodon.org/api/rate-limits/',
  confidence: 'official',
  version: '2026-07-02',
  seenAt: '2026-11-22',
}
const limiter: Source = {
  url: 'https://github.com/mastodon/mastodon/blob/main/app/lib/rate_limiter.rb',
  confidence: 'copy',
  version: '0486db9',
  seenAt: '2026-11-22',
}

const image: ImageRule = {
  mimeTypes: ['image/jpeg', 'image/png', 'image/webp', 'image/avif'],
  bytesMax: 16_777_216,
  pixelsMax: 33_177_600,
  source: instance,
}
const gif: GifRule = { mimeTypes: ['image/gif'], bytesMax: 16_777_216, pixelsMax: 921_600, source: posting }
// Servers convert other codecs than H.264. They round the rate down, as `check_video_dimensions` shows:
// https://github.com/mastodon/mastodon/blob/main/app/models/media_attachment.rb
const video: VideoRule = {
  mimeTypes: ['video/mp4', 'video/quicktime', 'video/webm'],
  bytesMax: 103_809_024,
  pixelsMax: 8_294_400,
  fpsMax: 120,
  fpsRounded: 'down',
  source: instance,
}

const post: PostTypeRule = {
  ...filesOf({ max: 4, videos: 1, gifs: 1, gifAlone: true }),
  hasCaption: true,
  image,
  gif,
  video,
  source: posting,
}

// Since 4.6, an instance states its own `configuration.media_attachments.description_limit`, which `identify` reads.
const altText: AltTextRule = { lengthMax: 1500, unit: 'code points', source: instance }

/** Those of GoToSocial, Akkoma, Iceshrimp.NET and glitch-soc. */
export const CONTENT_TYPES = ['text/plain', 'text/markdown', 'text/html', 'text/bbcode', 'text/x.misskeymarkdown']

/** The limits of an account whose server has not stated its own. */
export const mastodon: Platform = {
  id: 'mastodon',
  name: 'Mastodon',
  asStored,
  // A content warning alone becomes the text: preprocess_attributes! in
  // https://github.com/mastodon/mastodon/blob/main/app/services/post_status_service.rb.
  caption: { lengthMax: 500, unit: 'mastodon', required: 'unless media or spoilerText', source: posting },
  firstComment: { lengthMax: 500, unit: 'mastodon', source: posting },
  // Mastodon does not limit the number of parts; 25 is X's limit.
  thread: {
    mode: 'chained',
    partsMax: 25,
    lengthMax: 500,
    unit: 'mastodon',
    source: { ...posting, confidence: 'assumed' },
  },
  altTexts: { image: altText, gif: altText, video: altText },
  postTypes: {
    post,
    carousel: {
      ...filesOf({ min: 2, max: 4 }),
      hasCaption: true,
      image,
      source: posting,
    },
    video: {
      ...ONE_VIDEO,
      hasCaption: true,
      video,
      source: posting,
    },
    thread: post,
  },
  fields: {
    visibility: {
      type: 'enum',
      values: ['public', 'unlisted', 'private', 'direct'],
      default: 'public',
      param: 'visibility',
      source: statuses,
    },
    sensitive: { type: 'boolean', default: false, param: 'sensitive', source: statuses },
    // A content warning belongs to one status, so every part of a thread repeats it.
    spoilerText: {
      type: 'string',
      param: 'spoiler_text',
      countsInText: 'clusters',
      description: 'content warning; counts towards the post, every part of a thread and the first comment',
      source: validator,
    },
    // A code that Mastodon does not know gives way to the language of the account:
    // https://github.com/mastodon/mastodon/blob/main/app/helpers/languages_helper.rb
    language: {
      type: 'string',
      param: 'language',
      description: 'ISO 639 code such as en',
      unused: {
        when: 'it does not begin with 2 or 3 lower-case letters, as en and pt-BR do',
        test: ({ language }) => typeof language === 'string' && !/^[a-z]{2,3}(?:[-_]|$)/.test(language),
      },
      source: statuses,
    },
    contentType: {
      type: 'enum',
      values: CONTENT_TYPES,
      param: 'content_type',
      default: 'text/plain',
      description: 'for servers that list it, such as those of GoToSocial and Akkoma',
      unused: { when: 'the server of the account lists no content types', test: () => true },
      source: {
        url: 'https://docs.gotosocial.org/en/latest/api/swagger/',
        confidence: 'official',
        version: '0.20',
        seenAt: '2026-11-28',
      },
    },
    quoteApprovalPolicy: {
      type: 'enum',
      values: ['public', 'followers', 'nobody'],
      param: 'quote_approval_policy',
      description: 'for Mastodon 4.5 and later',
      source: statuses,
    },
    altText: {
      type: 'string',
      lengthMax: altText.lengthMax,
      param: 'media.description',
      unused: { when: 'the post has no media', test: (_, { count }) => count === 0 },
      source: instance,
    },
    poll: {
      type: 'object',
      properties: {
        options: { ...optionsUpTo(4, { lengthMax: 50, unit: 'clusters', trimmed: true }), uniqueItems: true },
        expiresIn: { type: 'integer', min: 300, max: 2_629_746, required: true },
        multiple: { type: 'boolean' },
        hideTotals: { type: 'boolean' },
      },
      fromPoll: ({ options, durationMinutes, multiple }) => ({ options, expiresIn: durationMinutes * 60, multiple }),
      param: 'poll',
      withoutMedia: true,
      description: '`expiresIn` is in seconds; only on the post or the first part of a thread',
      source: pollOptions,
    },
  },
  rateLimits: [
    { resource: 'requests', limit: 300, windowSeconds: 300, scope: 'account', perAct: 10, source: rates },
    { resource: 'statuses', limit: 300, windowSeconds: 10_800, scope: 'account', perAct: 1, source: limiter },
    { resource: 'media uploads', limit: 30, windowSeconds: 1800, scope: 'account', source: rates },
  ],
  guarantees: [
    {
      guarantee: 'reconcilable',
      ifAbsent: 'sent again',
      description: `${QUERIED} Mastodon also receives the same \`Idempotency-Key\`.`,
      source: {
        url: 'https://docs.joinmastodon.org/methods/accounts/#statuses',
        confidence: 'official',
        version: '5dda7f1',
        seenAt: '2026-11-22',
      },
    },
  ],
}

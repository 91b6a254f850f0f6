import { filesOf, ONE_VIDEO } from '../contract/files-of.ts'
import type { AltTextRule, ImageRule, Platform, PostTypeRule, UncertainMax, VideoRule } from '../contract/limits.ts'
import { optionsUpTo } from '../contract/poll-options.ts'
import type { Source } from '../contract/source.ts'
import { CONTAINER_DESCRIPTION } from '../families/meta/containers.ts'

const overview: Source = {
  url: 'https://developers.facebook.com/docs/threads/overview/',
  confidence: 'copy',
  version: '2026',
  seenAt: '2026-11-21',
}
const posts: Source = {
  url: 'https://developers.facebook.com/documentation/threads/posts',
  confidence: 'official',
  version: '2026-04-14',
  seenAt: '2026-11-21',
}
const attachments: Source = {
  url: 'https://developers.facebook.com/documentation/threads/create-posts/text-attachments',
  confidence: 'official',
  version: '2026-07-02',
  seenAt: '2026-11-21',
}
const publishing: Source = {
  url: 'https://developers.facebook.com/documentation/threads/reference/publishing',
  confidence: 'official',
  version: '2026-04-20',
  seenAt: '2026-11-21',
}
const topics: Source = {
  url: 'https://docs.rs/crate/zernio/0.0.98/source/src/models/threads_platform_data.rs',
  confidence: 'cross-checked',
  version: '2026',
  seenAt: '2026-11-21',
}

// Threads scales images to a width of 320 to 1440 pixels. The page gives the ratio 10:1, which is used for both sides.
const image: ImageRule = {
  mimeTypes: ['image/jpeg', 'image/png'],
  bytesMax: 8_388_608,
  aspectRatioMin: 0.1,
  aspectRatioMax: 10,
  source: overview,
}

// The page says "longer than 0 seconds". Tools report durations of at least a millisecond.
const video: VideoRule = {
  mimeTypes: ['video/mp4', 'video/quicktime'],
  bytesMax: 1_073_741_824,
  widthMax: 1920,
  aspectRatioMin: 0.01,
  aspectRatioMax: 10,
  durationMinSeconds: 0.001,
  durationMaxSeconds: 300,
  fpsMin: 23,
  fpsMax: 60,
  videoCodecs: ['avc', 'hevc'],
  chromaSubsamplings: ['4:2:0'],
  scans: ['progressive'],
  closedGop: true,
  audioCodecs: ['aac'],
  audioChannelsMax: 2,
  audioSampleRateMax: 48_000,
  source: overview,
}

const post: PostTypeRule = {
  ...filesOf({ max: 20, videos: 20, mixed: true }),
  hasCaption: true,
  image,
  video,
  source: overview,
}

const altText: AltTextRule = { lengthMax: 1000, unit: 'code points', source: publishing }

// 175 texts of at most 500 characters by the words of the page were refused in 90 days, such as one of 504 bytes.
const uncertainBytesMax: UncertainMax = {
  max: 500,
  source: {
    url: 'https://github.com/gitroomhq/postiz-app/pull/1946',
    confidence: 'cross-checked',
    version: '2026-08-23',
    seenAt: '2026-11-25',
  },
}

export const threads: Platform = {
  id: 'threads',
  name: 'Threads',
  caption: { lengthMax: 500, unit: 'threads', uncertainBytesMax, required: 'unless media', linksMax: 5, source: posts },
  firstComment: { lengthMax: 500, unit: 'threads', uncertainBytesMax, linksMax: 5, source: posts },
  // No page limits the number of parts. 25 is X's limit, far below the 1,000 replies that a profile can write per day.
  thread: {
    mode: 'chained',
    partsMax: 25,
    lengthMax: 500,
    unit: 'threads',
    uncertainBytesMax,
    source: { ...posts, confidence: 'assumed' },
  },
  altTexts: { image: altText, gif: altText, video: altText },
  postTypes: {
    post,
    carousel: { ...post, mediaMin: 2 },
    video: {
      ...ONE_VIDEO,
      hasCaption: true,
      video,
      source: overview,
    },
    thread: post,
  },
  fields: {
    replyControl: {
      type: 'enum',
      values: ['everyone', 'accounts_you_follow', 'mentioned_only', 'parent_post_author_only', 'followers_only'],
      default: 'everyone',
      param: 'reply_control',
      source: publishing,
    },
    topicTag: {
      type: 'string',
      lengthMax: 50,
      pattern: { regex: /^[^.&]+$/, expected: 'a tag without . or &' },
      param: 'topic_tag',
      source: topics,
    },
    altText: {
      type: 'string',
      lengthMax: altText.lengthMax,
      param: 'alt_text',
      unused: { when: 'the post has no media', test: (_, { count }) => count === 0 },
      source: publishing,
    },
    linkAttachment: {
      type: 'url',
      isLink: true,
      param: 'link_attachment',
      withoutMedia: true,
      countsAsLink: true,
      source: attachments,
    },
    textAttachment: {
      type: 'string',
      lengthMax: 10_000,
      param: 'text_attachment.plaintext',
      withoutMedia: true,
      refused: {
        when: 'linkAttachment or poll is set',
        test: ({ linkAttachment, poll }) => Boolean(linkAttachment || poll),
      },
      source: attachments,
    },
    poll: {
      type: 'object',
      properties: {
        options: optionsUpTo(4, { lengthMax: 25 }),
      },
      fromPoll: ({ options }) => ({ options }),
      param: 'poll_attachment',
      withoutMedia: true,
      description: 'only on the post or the first part of a thread',
      source: publishing,
    },
    quotePostId: {
      type: 'string',
      pattern: { regex: /^\d+$/, expected: 'digits only' },
      param: 'quote_post_id',
      source: publishing,
    },
    // Threads refuses others: THREADS_API__GEO_GATING_INVALID_COUNTRY_CODES.
    countryCodes: {
      type: 'string[]',
      item: { pattern: { regex: /^[A-Za-z]{2}$/, expected: 'a country code of two letters such as US' } },
      param: 'allowlisted_country_codes',
      source: publishing,
    },
  },
  rateLimits: [
    {
      resource: 'published posts',
      limit: 250,
      windowSeconds: 86_400,
      scope: 'profile',
      countsPosts: 'all',
      source: { ...overview, confidence: 'official' },
    },
    {
      resource: 'replies',
      limit: 1000,
      windowSeconds: 86_400,
      scope: 'profile',
      source: { ...overview, confidence: 'official' },
    },
  ],
  guarantees: [
    // The container's status tells whether the post is live.
    {
      guarantee: 'reconcilable',
      ifAbsent: 'sent again',
      description: CONTAINER_DESCRIPTION,
      source: {
        url: 'https://developers.facebook.com/docs/threads/troubleshooting',
        confidence: 'copy',
        version: '2026',
        seenAt: '2026-11-22',
      },
    },
  ],
}

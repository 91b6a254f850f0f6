import { filesOf, ONE_VIDEO } from '../contract/files-of.ts'
import type { AltTextRule, GifRule, ImageRule, Platform, PostTypeRule, VideoRule } from '../contract/limits.ts'
import { optionsUpTo } from '../contract/poll-options.ts'
import type { Source } from '../contract/source.ts'
import { searchAfter } from '../wire/lost-response.ts'

const counting: Source = {
  url: 'https://docs.x.com/fundamentals/counting-characters',
  confidence: 'official',
  version: '2026-05-20',
  seenAt: '2026-11-21',
}
const mediaPage: Source = {
  url: 'https://docs.x.com/x-api/media/quickstart/best-practices',
  confidence: 'official',
  version: '0c986f0, X API v2 2.168',
  seenAt: '2026-11-28',
}
const openapi: Source = {
  url: 'https://docs.x.com/openapi.json',
  confidence: 'official',
  version: 'X API v2 2.167',
  seenAt: '2026-11-21',
}
const rates: Source = {
  url: 'https://docs.x.com/x-api/fundamentals/rate-limits',
  confidence: 'official',
  version: '2026-08-22',
  seenAt: '2026-11-21',
}

/** "Post: Create", "Post: Create (with URL)" and "Media Metadata". All are for each request. */
const pricing: Source = {
  url: 'https://docs.x.com/x-api/getting-started/pricing',
  confidence: 'official',
  version: '2026-08-22',
  seenAt: '2026-11-26',
}

const posting: Source = {
  url: 'https://docs.x.com/x-api/posts/manage-tweets/integrate',
  confidence: 'official',
  version: '2026-08-22',
  seenAt: '2026-11-22',
}

/** By the schema CreatePostsRequest. */
const id = { regex: /^\d{1,19}$/, expected: 'an id of 1 to 19 digits' }

// The sides are those of error 324, "Image dimensions must be >= 4x4 and <= 8192x8192":
// https://github.com/DocNow/diffengine/issues/18
const image: ImageRule = {
  mimeTypes: ['image/jpeg', 'image/png', 'image/webp'],
  bytesMax: 5_242_880,
  widthMin: 4,
  widthMax: 8192,
  heightMin: 4,
  heightMax: 8192,
  source: mediaPage,
}

// The page only recommends a width, a height and a number of frames. The upload checks only the size in bytes.
const gif: GifRule = { mimeTypes: ['image/gif'], bytesMax: 15_728_640, source: mediaPage }

// The page lists 32x32 to 1280x1024, but allows 1080p for subscribers. X rescales videos, so no sides are listed here.
// It recommends H.264. The requirements of X's library and of a publisher's API name no other codec:
// https://help.x.com/en/using-x/media-studio-faqs,
// https://help.swat.io/en/articles/11995649-x-video-format-requirements
// X takes 8 GB, and 16 GB of subscribers, but no more than 1,000 chunks of 2 MB: upload.ts.
const video: VideoRule = {
  mimeTypes: ['video/mp4', 'video/quicktime'],
  bytesMax: 2_097_152_000,
  aspectRatioMin: 1 / 3,
  aspectRatioMax: 3,
  durationMinSeconds: 0.5,
  // 125 minutes for subscribers: facts.ts.
  durationMaxSeconds: 1200,
  fpsMax: 60,
  videoCodecs: ['avc'],
  chromaSubsamplings: ['4:2:0'],
  scans: ['progressive'],
  pixelAspectRatios: ['1:1'],
  closedGop: true,
  audioCodecs: ['aac'],
  // Low Complexity, of MPEG-4 and of MPEG-2.
  audioCodecStrings: ['mp4a.40.2', 'mp4a.67'],
  audioChannelsMax: 2,
  source: mediaPage,
}

const post: PostTypeRule = {
  ...filesOf({ max: 4, videos: 1, gifs: 1, gifAlone: true }),
  hasCaption: true,
  image,
  gif,
  video,
  source: mediaPage,
}

// The schema CreateMediaMetadataMetadataAltText. X takes none for videos.
const altText: AltTextRule = { lengthMax: 1000, unit: 'code points', source: openapi }

/** The limits of every text of a post. */
const text = {
  lengthMax: 280,
  unit: 'x',
  // `counting` refers to twitter-text, which calls texts with these invalid:
  // https://github.com/twitter/twitter-text/blob/master/js/src/hasInvalidCharacters.js
  forbiddenCharacters: ['\uFEFF', '\uFFFE', '\uFFFF'],
} as const

/** X does not say how soon a post shows. After the last reading, its owner has to look. An empty page costs nothing. */
export const timeline = searchAfter(30, 120, 600)

export const x: Platform = {
  id: 'x',
  name: 'X (Twitter)',
  // Subscribers can write more: profile.ts.
  caption: { ...text, required: 'unless media', cashtagsMax: 1, source: counting },
  firstComment: { ...text, cashtagsMax: 1, source: counting },
  thread: {
    ...text,
    mode: 'chained',
    partsMax: 25,
    source: {
      url: 'https://docs.postato.com.br/guides/platforms/twitter',
      confidence: 'cross-checked',
      version: '2026',
      seenAt: '2026-11-21',
    },
  },
  altTexts: { image: altText, gif: altText },
  postTypes: {
    post,
    carousel: {
      ...filesOf({ min: 2, max: 4 }),
      hasCaption: true,
      image: { ...image, stillsOnly: true },
      source: mediaPage,
    },
    video: {
      ...ONE_VIDEO,
      hasCaption: true,
      video,
      source: mediaPage,
    },
    thread: post,
  },
  fields: {
    replySettings: {
      type: 'enum',
      values: ['everyone', 'following', 'mentionedUsers', 'subscribers', 'verified'],
      default: 'everyone',
      param: 'reply_settings',
      source: openapi,
    },
    poll: {
      type: 'object',
      properties: {
        options: optionsUpTo(4, { lengthMax: 25 }),
        durationMinutes: { type: 'integer', min: 5, max: 10_080, required: true },
      },
      fromPoll: ({ options, durationMinutes }) => ({ options, durationMinutes }),
      param: 'poll',
      withoutMedia: true,
      source: openapi,
    },
    quotePostId: {
      type: 'string',
      pattern: id,
      param: 'quote_tweet_id',
      description: 'X refuses posts of others, except to apps with an Enterprise plan',
      refused: { when: 'poll is set', test: ({ poll }) => Boolean(poll) },
      // The schema of `media`: "mutually exclusive from Quote Tweet Id".
      withoutMedia: true,
      source: openapi,
    },
    communityId: {
      type: 'string',
      pattern: id,
      param: 'community_id',
      unused: { when: 'the post is sent after X ended Communities, on 2026-05-30', test: () => true },
      source: {
        url: 'https://techcrunch.com/2026/04/23/x-is-shutting-down-communities-because-of-low-usage-and-lots-of-spam/',
        confidence: 'cross-checked',
        version: '2026-04-23',
        seenAt: '2026-11-28',
      },
    },
    taggedUserIds: {
      type: 'string[]',
      itemsMax: 10,
      item: { pattern: id },
      param: 'media.tagged_user_ids',
      unused: { when: 'the post has no media', test: (_, { count }) => count === 0 },
      source: openapi,
    },
    altText: {
      type: 'string',
      lengthMax: altText.lengthMax,
      param: 'metadata.alt_text.text',
      unused: { when: 'the post has no image', test: (_, { hasImage }) => !hasImage },
      source: { url: openapi.url, confidence: 'cross-checked', version: openapi.version, seenAt: openapi.seenAt },
    },
    madeWithAi: { type: 'boolean', param: 'made_with_ai', source: openapi },
    paidPartnership: { type: 'boolean', param: 'paid_partnership', source: openapi },
    forSuperFollowersOnly: { type: 'boolean', param: 'for_super_followers_only', source: openapi },
    placeId: { type: 'string', param: 'geo.place_id', source: openapi },
  },
  rateLimits: [
    { resource: 'posts', limit: 100, windowSeconds: 900, scope: 'user', perAct: 1, source: rates },
    { resource: 'posts', limit: 300, windowSeconds: 10_800, scope: 'user', perAct: 1, source: posting },
    { resource: 'posts', limit: 10_000, windowSeconds: 86_400, scope: 'app', source: rates },
    { resource: 'media uploads', limit: 1875, windowSeconds: 900, scope: 'user', source: rates },
  ],
  prices: {
    post: { usdMicros: 15_000, source: pricing },
    post_with_url: { usdMicros: 200_000, source: pricing },
    alt_text: { usdMicros: 5_000, source: pricing },
  },
  guarantees: [
    // No page says how soon a post shows.
    {
      guarantee: 'reconcilable',
      ifAbsent: 'unconfirmed',
      description: `The timeline of the account is read ${timeline.words}. An existing post is not sent again. X does not say how soon a post shows, so a missing one is not sent again either: the delivery is \`unconfirmed\`.`,
      source: {
        url: 'https://docs.x.com/x-api/posts/timelines/introduction',
        confidence: 'official',
        version: '2026-08-22',
        seenAt: '2026-11-22',
      },
    },
  ],
}

import { filesOf, ONE_VIDEO } from '../contract/files-of.ts'
import type { AltTextRule, ImageRule, Platform, PostTypeRule, VideoRule } from '../contract/limits.ts'
import type { Source } from '../contract/source.ts'
import { SEARCH } from '../wire/lost-response.ts'

const photos: Source = {
  url: 'https://developers.facebook.com/docs/graph-api/reference/page/photos/',
  confidence: 'copy',
  version: 'Graph API v26.0, 2026-09-11',
  seenAt: '2026-11-21',
}
const reels: Source = {
  url: 'https://developers.facebook.com/docs/video-api/guides/reels-publishing',
  confidence: 'copy',
  version: 'Graph API v25.0, 2026-09-11',
  seenAt: '2026-11-21',
}
const stories: Source = {
  url: 'https://developers.facebook.com/docs/page-stories-api',
  confidence: 'official',
  version: '2026-09-11',
  seenAt: '2026-11-21',
}
const posts: Source = {
  url: 'https://developers.facebook.com/docs/pages-api/posts',
  confidence: 'copy',
  version: 'Graph API v25.0, 2026-09-11',
  seenAt: '2026-11-21',
}
const postiz: Source = {
  url: 'https://github.com/gitroomhq/postiz-app',
  confidence: 'cross-checked',
  version: '74b01ad, 2026-08-21',
  seenAt: '2026-11-21',
}
const letmepost: Source = {
  url: 'https://docs.letmepost.dev/platforms/facebook',
  confidence: 'cross-checked',
  version: '2026',
  seenAt: '2026-11-21',
}
const videoUploads: Source = {
  url: 'https://developers.facebook.com/docs/graph-api/video-uploads',
  confidence: 'copy',
  version: '2026-11-22',
  seenAt: '2026-11-22',
}

const image: ImageRule = {
  mimeTypes: ['image/jpeg', 'image/png', 'image/gif'],
  bytesMax: 10_485_760,
  source: photos,
}

// 10 GB and 4 hours. The lower bound of the duration is ours.
const feedVideo: VideoRule = {
  mimeTypes: ['video/mp4', 'video/quicktime'],
  bytesMax: 10_737_418_240,
  durationMinSeconds: 1,
  durationMaxSeconds: 14_400,
  source: videoUploads,
}

// The page requires 9:16. The tolerance of 0.01 is ours, for encoders that round a side. It lists stereo at 48 kHz.
// Mono and lower rates, which Instagram's page allows, are not rejected, nor are other profiles of AAC.
const reelVideo: VideoRule = {
  mimeTypes: ['video/mp4', 'video/quicktime'],
  widthMin: 540,
  heightMin: 960,
  aspectRatioMin: 0.5525,
  aspectRatioMax: 0.5725,
  durationMinSeconds: 3,
  durationMaxSeconds: 90,
  fpsMin: 24,
  fpsMax: 60,
  videoCodecs: ['avc', 'hevc', 'vp9', 'av1'],
  chromaSubsamplings: ['4:2:0'],
  scans: ['progressive'],
  closedGop: true,
  audioCodecs: ['aac'],
  audioChannelsMax: 2,
  audioSampleRateMax: 48_000,
  source: reels,
}

// The table on that page says 90 seconds, the section on limitations 60; the lower value is used.
const storyVideo: VideoRule = { ...reelVideo, durationMaxSeconds: 60, source: stories }

const post: PostTypeRule = {
  ...filesOf({ max: 10, videos: 1 }),
  hasCaption: true,
  image,
  video: feedVideo,
  source: letmepost,
}

const feed: Source = {
  url: 'https://developers.facebook.com/docs/graph-api/reference/page/feed',
  confidence: 'copy',
  version: 'Graph API v26.0, 2026-09-11',
  seenAt: '2026-11-22',
}

// Meta states no limit for `alt_text_custom`.
const altText: AltTextRule = { lengthMax: 1000, unit: 'code points', source: { ...photos, confidence: 'assumed' } }

const PAGE = `The Page is queried ${SEARCH.words}. An existing act is not sent again.`

export const facebook: Platform = {
  id: 'facebook',
  name: 'Facebook Pages',
  // Meta publishes no limit; several tools agree on this one. The unit is assumed.
  caption: { lengthMax: 63_206, unit: 'UTF-16 units', required: 'unless media or link', source: letmepost },
  title: {
    field: 'title',
    lengthMax: 255,
    unit: 'UTF-16 units',
    required: false,
    source: { ...posts, confidence: 'assumed' },
  },
  firstComment: {
    lengthMax: 8000,
    unit: 'UTF-16 units',
    postTypes: ['post', 'carousel', 'reel', 'video', 'thread'],
    source: {
      url: 'https://marketplace.gohighlevel.com/docs/ghl/social-planner/comments',
      confidence: 'cross-checked',
      version: '2026',
      seenAt: '2026-11-21',
    },
  },
  thread: { mode: 'single', partsMax: 1, lengthMax: 63_206, unit: 'UTF-16 units', source: letmepost },
  altTexts: { image: altText, gif: altText },
  postTypes: {
    post,
    carousel: {
      ...filesOf({ min: 2, max: 10 }),
      hasCaption: true,
      image,
      source: letmepost,
    },
    reel: {
      ...ONE_VIDEO,
      hasCaption: true,
      video: reelVideo,
      source: reels,
    },
    story: {
      ...filesOf({ min: 1, max: 1, videos: 1 }),
      hasCaption: false,
      image: { ...image, source: stories },
      video: storyVideo,
      source: stories,
    },
    video: {
      ...ONE_VIDEO,
      hasCaption: true,
      video: feedVideo,
      source: posts,
    },
    thread: post,
  },
  fields: {
    link: {
      type: 'url',
      isLink: true,
      param: 'link',
      unused: { when: 'the post has media', test: (_, { count }) => count > 0 },
      source: posts,
    },
    title: {
      type: 'string',
      param: 'title',
      unused: {
        when: 'the post has no video, or is a story',
        test: (_, { hasVideo }, { postType }) => !hasVideo || postType === 'story',
      },
      source: posts,
    },
    scheduledNative: {
      type: 'boolean',
      default: false,
      param: 'scheduled_publish_time',
      refused: {
        when: 'it is true, because Postroom itself publishes at the scheduled time',
        test: ({ scheduledNative }) => scheduledNative === true,
      },
      source: posts,
    },
    altText: {
      type: 'string',
      param: 'alt_text_custom',
      unused: { when: 'the post has no image', test: (_, { hasImage }) => !hasImage },
      source: photos,
    },
    textFormatPresetId: {
      type: 'string',
      pattern: { regex: /^\d+$/, expected: 'digits only' },
      param: 'text_format_preset_id',
      withoutMedia: true,
      captionLengthMax: 130,
      description: 'a coloured background; limits the caption to 130 characters',
      source: postiz,
    },
  },
  rateLimits: [
    { resource: 'reels', limit: 30, windowSeconds: 86_400, scope: 'page', countsPosts: ['reel'], source: reels },
  ],
  guarantees: [
    // The ids of photos and videos are known before the call that publishes them. That the feed shows those of photos
    // is assumed.
    {
      act: 'files',
      guarantee: 'reconcilable',
      ifAbsent: 'sent again',
      description: `${PAGE} A missing one, whose files have known ids, is sent again.`,
      source: { ...feed, confidence: 'assumed' },
    },
    {
      act: 'comment',
      guarantee: 'reconcilable',
      ifAbsent: 'sent again',
      description: `${PAGE} A missing one is sent again.`,
      source: {
        url: 'https://developers.facebook.com/docs/graph-api/reference/object/comments',
        confidence: 'cross-checked',
        version: 'Graph API v26.0, 2026-09-11',
        seenAt: '2026-11-22',
      },
    },
    // Only its words tell a text from others.
    {
      act: 'text',
      guarantee: 'reconcilable',
      ifAbsent: 'unconfirmed',
      description: `${PAGE} A missing one is not sent again: the delivery is \`unconfirmed\`.`,
      source: feed,
    },
  ],
}

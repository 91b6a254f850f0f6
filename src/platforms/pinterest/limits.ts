import { filesOf, ONE_VIDEO } from '../contract/files-of.ts'
import type { AltTextRule, Condition, ImageRule, Platform, PostTypeRule, VideoRule } from '../contract/limits.ts'
import type { Source } from '../contract/source.ts'
import { SEARCH } from '../wire/lost-response.ts'

const openapi: Source = {
  url: 'https://github.com/pinterest/api-description/blob/main/v5/openapi.json',
  confidence: 'official',
  version: '5.23.0, 2025-12-11',
  seenAt: '2026-11-21',
}
// Blogs name the number. No page of Pinterest does.
const hashtags: Source = {
  url: 'https://beithoven.com/what-you-need-to-know-about-pinterest-hashtags/',
  confidence: 'assumed',
  version: '2021-03-13',
  seenAt: '2026-11-23',
}
// The values are those of clients that are generated from the document, such as
// https://github.com/oapicf/pinterest-sdk.
const disclosures: Source = {
  url: 'https://github.com/pinterest/api-description/blob/main/v5/changelog-5.23-to-5.28.md',
  confidence: 'copy',
  version: '5.28.0, 2026',
  seenAt: '2026-11-23',
}
const pins: Source = {
  url: 'https://developers.pinterest.com/docs/work-with-organic-content-and-users/create-boards-and-pins/',
  confidence: 'copy',
  version: '2026',
  seenAt: '2026-11-21',
}
const specs: Source = {
  url: 'https://help.pinterest.com/en/business/article/pinterest-product-specs',
  confidence: 'official',
  version: '2026',
  seenAt: '2026-11-21',
}

const rates: Source = {
  url: 'https://developers.pinterest.com/docs/reference/rate-limits/',
  confidence: 'copy',
  version: '2026-11-22',
  seenAt: '2026-11-23',
}

const image: ImageRule = { mimeTypes: ['image/jpeg', 'image/png'], bytesMax: 20_971_520, source: specs }

// The types are from the guide on video pins.
const video: VideoRule = {
  mimeTypes: ['video/mp4', 'video/quicktime'],
  bytesMax: 2_147_483_648,
  aspectRatioMin: 0.5,
  aspectRatioMax: 1.91,
  durationMinSeconds: 4,
  durationMaxSeconds: 900,
  videoCodecs: ['avc', 'hevc'],
  source: specs,
}

const onePin: PostTypeRule = {
  ...filesOf({ min: 1, max: 1, videos: 1 }),
  hasCaption: true,
  image,
  video,
  source: openapi,
}

const withoutVideo: Condition = { when: 'the post has no video', test: (_, { hasVideo }) => !hasVideo }

const altText: AltTextRule = { lengthMax: 500, unit: 'code points', source: openapi }

export const pinterest: Platform = {
  id: 'pinterest',
  name: 'Pinterest',
  // The caption is the pin's description. The help centre still says 500, the API's schema says 800. JSON Schema counts
  // code points.
  caption: {
    lengthMax: 800,
    lengthSource: openapi,
    unit: 'code points',
    required: 'never',
    hashtagsMax: 20,
    source: hashtags,
  },
  title: { field: 'title', lengthMax: 100, unit: 'code points', required: false, source: openapi },
  altTexts: { image: altText, gif: altText, video: altText },
  // A pin has one, even if it has several images.
  altTextFilesMax: 1,
  postTypes: {
    post: onePin,
    carousel: {
      ...filesOf({ min: 2, max: 5 }),
      hasCaption: true,
      image: {
        ...image,
        sameSize: true,
      },
      source: openapi,
    },
    video: {
      ...ONE_VIDEO,
      hasCaption: true,
      video,
      source: pins,
    },
  },
  fields: {
    boardId: {
      type: 'string',
      pattern: { regex: /^\d+$/, expected: 'digits only' },
      required: true,
      param: 'board_id',
      source: openapi,
    },
    boardSectionId: {
      type: 'string',
      pattern: { regex: /^\d+$/, expected: 'digits only' },
      param: 'board_section_id',
      source: openapi,
    },
    title: { type: 'string', param: 'title', source: openapi },
    link: { type: 'url', isLink: true, lengthMax: 2048, param: 'link', source: openapi },
    altText: { type: 'string', lengthMax: altText.lengthMax, param: 'alt_text', source: openapi },
    dominantColor: {
      type: 'string',
      pattern: { regex: /^#[0-9A-Fa-f]{6}$/, expected: 'a colour as #RRGGBB' },
      param: 'dominant_color',
      source: openapi,
    },
    aiDisclosures: {
      type: 'string[]',
      values: ['AI_MODIFIED', 'SYNTHETIC_PERFORMER'],
      uniqueItems: true,
      param: 'ai_disclosures.values',
      source: disclosures,
    },
    coverUrl: {
      type: 'url',
      required: {
        when: 'the media is a video and coverTimestampSeconds is absent',
        test: ({ coverTimestampSeconds }, { hasVideo }) => hasVideo && coverTimestampSeconds === undefined,
      },
      param: 'media_source.cover_image_url',
      unused: withoutVideo,
      source: pins,
    },
    coverTimestampSeconds: {
      type: 'integer',
      min: 0,
      param: 'media_source.cover_image_key_frame_time',
      momentOfVideo: 'seconds',
      unused: {
        when: `coverUrl is set, or ${withoutVideo.when}`,
        test: (fields, ...post) => Boolean(fields.coverUrl) || withoutVideo.test(fields, ...post),
      },
      source: openapi,
    },
  },
  rateLimits: [
    {
      resource: 'calls that write',
      limit: 100,
      windowSeconds: 60,
      scope: 'account',
      // A video is registered first.
      perAct: 2,
      source: rates,
    },
    { resource: 'calls that write, with Trial access', limit: 300, windowSeconds: 86_400, scope: 'app', source: rates },
    { resource: 'pins stored', limit: 200_000, scope: 'account', source: { ...pins, confidence: 'official' } },
  ],
  // No call takes an idempotency key. The pins of a board can be listed, in an order and with a delay that no page
  // states.
  guarantees: [
    {
      guarantee: 'reconcilable',
      ifAbsent: 'unconfirmed',
      description: `The pins of the board are read ${SEARCH.words}. An existing pin is not sent again. Pinterest does not say how soon a pin is listed, so a missing one is not sent again either: the delivery is \`unconfirmed\`.`,
      source: openapi,
    },
  ],
}

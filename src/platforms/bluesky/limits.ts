import { filesOf, ONE_VIDEO } from '../contract/files-of.ts'
import type {
  AltTextRule,
  Condition,
  GifRule,
  ImageRule,
  Platform,
  PostTypeRule,
  VideoRule,
} from '../contract/limits.ts'
import type { Source } from '../contract/source.ts'

const lexicons = 'https://github.com/bluesky-social/atproto/blob/main/lexicons/app/bsky'
const postLexicon: Source = {
  url: `${lexicons}/feed/post.json`,
  confidence: 'official',
  version: 'd6296a1, 2026-08-20',
  seenAt: '2026-11-22',
}
const imagesLexicon: Source = {
  url: `${lexicons}/embed/images.json`,
  confidence: 'official',
  version: '2026-08-20',
  seenAt: '2026-11-22',
}
const galleryLexicon: Source = {
  url: `${lexicons}/embed/gallery.json`,
  confidence: 'official',
  version: '2026-06-03',
  seenAt: '2026-11-22',
}
const videoLexicon: Source = {
  url: `${lexicons}/embed/video.json`,
  confidence: 'official',
  version: '2026-08-11',
  seenAt: '2026-11-22',
}
// It limits neither title nor description: a record has at most 1 MiB.
const externalLexicon: Source = {
  url: `${lexicons}/embed/external.json`,
  confidence: 'official',
  version: '2026-08-20',
  seenAt: '2026-11-25',
}
const labelLexicon: Source = {
  url: 'https://github.com/bluesky-social/atproto/blob/main/lexicons/com/atproto/label/defs.json',
  confidence: 'official',
  version: '2026-08-20',
  seenAt: '2026-11-22',
}
const app: Source = {
  url: 'https://github.com/bluesky-social/social-app/blob/main/src/lib/constants.ts',
  confidence: 'official',
  version: '008fe5e, 2026',
  seenAt: '2026-11-22',
}
const rates: Source = {
  url: 'https://docs.bsky.app/docs/advanced-guides/rate-limits',
  confidence: 'official',
  version: '2026-04-21',
  seenAt: '2026-11-22',
}

// The lexicon allows every type of image.
const image: ImageRule = {
  mimeTypes: ['image/jpeg', 'image/png', 'image/webp'],
  stillGifs: true,
  bytesMax: 2_000_000,
  source: imagesLexicon,
}

// Animated GIFs are sent to the video service, so the limit for videos holds.
const gif: GifRule = { mimeTypes: ['image/gif'], bytesMax: 300_000_000, source: videoLexicon }

// 10 minutes is the limit of the official app. The lexicon allows only MP4; the video service converts other types.
const video: VideoRule = {
  mimeTypes: ['video/mp4', 'video/quicktime', 'video/webm'],
  bytesMax: 300_000_000,
  durationMaxSeconds: 600,
  source: app,
}

const post: PostTypeRule = {
  ...filesOf({ max: 4, videos: 1, gifs: 1, gifAlone: true }),
  hasCaption: true,
  image,
  gif,
  video,
  source: imagesLexicon,
}

// The lexicon of images has no limit; this is the one of the app.
const imageAltText: AltTextRule = { lengthMax: 2000, unit: 'graphemes', source: app }
const videoAltText: AltTextRule = { lengthMax: 1000, unit: 'graphemes', bytesMax: 10_000, source: videoLexicon }

const withoutCard: Condition = { when: 'linkCard is absent', test: ({ linkCard }) => linkCard === undefined }

export const bluesky: Platform = {
  id: 'bluesky',
  name: 'Bluesky',
  caption: { lengthMax: 300, unit: 'graphemes', bytesMax: 3000, required: 'unless media', source: postLexicon },
  firstComment: { lengthMax: 300, unit: 'graphemes', bytesMax: 3000, source: postLexicon },
  // The protocol does not limit the number of parts; 25 is X's limit.
  thread: {
    mode: 'chained',
    partsMax: 25,
    lengthMax: 300,
    unit: 'graphemes',
    bytesMax: 3000,
    source: { ...postLexicon, confidence: 'assumed' },
  },
  altTexts: { image: imageAltText, gif: videoAltText, video: videoAltText },
  postTypes: {
    post,
    // The schema allows 20 images, with a soft limit of 10.
    carousel: {
      ...filesOf({ min: 2, max: 10 }),
      hasCaption: true,
      image: { ...image, stillsOnly: true },
      source: galleryLexicon,
    },
    video: {
      ...ONE_VIDEO,
      hasCaption: true,
      video,
      source: videoLexicon,
    },
    thread: post,
  },
  fields: {
    langs: {
      type: 'string[]',
      itemsMax: 3,
      // Well-formed by RFC 5646, with a lower-case language of 2 or 3 letters: parseLanguageString in
      // https://github.com/bluesky-social/atproto/blob/main/packages/syntax/src/language.ts. Servers accept others too.
      item: {
        pattern: {
          regex:
            /^(?:en-GB-oed|i-(?:ami|bnn|default|enochian|hak|klingon|lux|mingo|navajo|pwn|ta[oy]|tsu)|sgn-(?:BE-(?:FR|NL)|CH-DE)|[Xx](?:-[A-Za-z\d]{1,8})+|[a-z]{2,3}(?:-[A-Za-z]{3}){0,3}(?:-[A-Za-z]{4})?(?:-(?:[A-Za-z]{2}|\d{3}))?(?:-(?:[A-Za-z\d]{5,8}|\d[A-Za-z\d]{3}))*(?:-[\dA-WY-Za-wy-z](?:-[A-Za-z\d]{2,8})+)*(?:-[Xx](?:-[A-Za-z\d]{1,8})+)?)$/,
          expected: 'a language tag (BCP 47) such as en or pt-BR',
        },
      },
      param: 'langs',
      source: postLexicon,
    },
    altText: {
      type: 'string',
      lengthMax: imageAltText.lengthMax,
      param: 'embed.images[].alt',
      unused: { when: 'the post has no media', test: (_, { count }) => count === 0 },
      source: app,
    },
    labels: {
      type: 'string[]',
      values: ['sexual', 'nudity', 'porn', 'graphic-media'],
      itemsMax: 10,
      param: 'labels',
      description: 'content warnings of the author; not applied to the first comment',
      source: labelLexicon,
    },
    tags: {
      type: 'string[]',
      itemsMax: 8,
      item: { lengthMax: 64, unit: 'graphemes', bytesMax: 640 },
      param: 'tags',
      description: 'added to the hashtags in the text; only on the post or the first part of a thread',
      source: postLexicon,
    },
    replyGate: {
      type: 'enum',
      values: ['everyone', 'nobody', 'mentioned', 'following', 'followers'],
      default: 'everyone',
      param: 'app.bsky.feed.threadgate',
      description: 'who can reply; set once for the post or the whole thread',
      source: app,
    },
    linkCard: {
      type: 'url',
      isLink: true,
      withoutMedia: true,
      param: 'embed.external.uri',
      description: 'link preview; only on the post or the first part of a thread',
      source: postLexicon,
    },
    linkCardTitle: {
      type: 'string',
      param: 'embed.external.title',
      description: 'title of the link preview; default: the address',
      unused: withoutCard,
      source: externalLexicon,
    },
    linkCardDescription: {
      type: 'string',
      param: 'embed.external.description',
      unused: withoutCard,
      source: externalLexicon,
    },
    linkCardImageUrl: {
      type: 'url',
      param: 'embed.external.thumb',
      description: 'a JPEG or PNG of at most 1 MB, which Postroom loads when it publishes',
      unused: withoutCard,
      source: externalLexicon,
    },
  },
  rateLimits: [
    {
      resource: 'points for record writes (3 per create)',
      limit: 5000,
      windowSeconds: 3600,
      scope: 'account',
      perAct: 3,
      source: rates,
    },
    {
      resource: 'points for record writes',
      limit: 35_000,
      windowSeconds: 86_400,
      scope: 'account',
      perAct: 3,
      source: rates,
    },
    { resource: 'sessions created', limit: 30, windowSeconds: 300, scope: 'account', source: rates },
    { resource: 'requests', limit: 3000, windowSeconds: 300, scope: 'IP', source: rates },
  ],
  guarantees: [
    {
      guarantee: 'exactly-once',
      description:
        'The key of the record is derived from the delivery, so that a repeated write changes nothing. After 30 seconds, the record is read to see whether it exists.',
      source: {
        url: 'https://github.com/bluesky-social/atproto/blob/main/lexicons/com/atproto/repo/putRecord.json',
        confidence: 'official',
        version: 'ac97a3d',
        seenAt: '2026-11-22',
      },
    },
  ],
}

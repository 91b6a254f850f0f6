import { filesOf, ONE_VIDEO } from '../contract/files-of.ts'
import type { AccountKind } from '../contract/guarantee.ts'
import type {
  AltTextRule,
  Condition,
  DocumentRule,
  GifRule,
  ImageRule,
  Platform,
  PostTypeRule,
  VideoRule,
} from '../contract/limits.ts'
import { optionsUpTo } from '../contract/poll-options.ts'
import type { Source } from '../contract/source.ts'
import { searchAfter } from '../wire/lost-response.ts'
import { MENTION } from './little-text.ts'

const pages = 'https://learn.microsoft.com/en-us/linkedin/marketing/community-management/shares'
const videosApi: Source = {
  url: `${pages}/videos-api`,
  confidence: 'cross-checked',
  version: 'li-lms-2026-09',
  seenAt: '2026-11-21',
}
const multiImage: Source = {
  url: `${pages}/multiimage-post-api`,
  confidence: 'cross-checked',
  version: 'li-lms-2026-09',
  seenAt: '2026-11-21',
}
const documentsApi: Source = {
  url: `${pages}/documents-api`,
  confidence: 'official',
  version: 'li-lms-2026-08',
  seenAt: '2026-11-26',
}
const imagesApi: Source = {
  url: `${pages}/images-api`,
  confidence: 'cross-checked',
  version: 'li-lms-2026-09',
  seenAt: '2026-11-21',
}
const postsApi: Source = { url: `${pages}/posts-api`, confidence: 'official', version: '2026', seenAt: '2026-11-21' }
const pollApi: Source = {
  url: `${pages}/poll-post-api`,
  confidence: 'official',
  version: '2026-04-30',
  seenAt: '2026-11-22',
}
const errorText: Source = {
  url: 'https://github.com/n8n-io/n8n/issues/22899',
  confidence: 'cross-checked',
  version: '2025-12-07',
  seenAt: '2026-11-21',
}

// The page says fewer than 36,152,320 pixels. It documents no limit in bytes.
const image: ImageRule = { mimeTypes: ['image/jpeg', 'image/png'], pixelsMax: 36_152_319, source: imagesApi }
const gif: GifRule = { mimeTypes: ['image/gif'], pixelsMax: 36_152_319, framesMax: 250, source: imagesApi }

// The ratio of 1:2.4 to 2.4:1 is from https://www.ayrshare.com/docs/media-guidelines/linkedin.
const video: VideoRule = {
  mimeTypes: ['video/mp4'],
  bytesMin: 76_800,
  bytesMax: 524_288_000,
  aspectRatioMin: 5 / 12,
  aspectRatioMax: 2.4,
  durationMinSeconds: 3,
  durationMaxSeconds: 1800,
  source: videosApi,
}

const document: DocumentRule = {
  mimeTypes: ['application/pdf'],
  bytesMax: 100_000_000,
  pagesMax: 300,
  source: documentsApi,
}

const post: PostTypeRule = {
  ...filesOf({ max: 20, videos: 1, gifs: 20 }),
  hasCaption: true,
  image,
  gif,
  video,
  document,
  source: multiImage,
}

const withoutLink: Condition = { when: 'link is not set', test: ({ link }) => link === undefined }

/** The id of an account is the URN of its author. */
export const findAccountKind = (urn: string): AccountKind =>
  urn.startsWith('urn:li:organization:') ? 'organizations' : 'members'

const altText: AltTextRule = { lengthMax: 4086, unit: 'UTF-16 units', source: { ...postsApi, confidence: 'assumed' } }

/** Nobody documents how soon a post is listed. */
export const SHOWS_WITHIN_MINUTES = 2

/**
 * For 10 minutes, LinkedIn refuses a copy of a post, listed or not:
 * https://learn.microsoft.com/en-us/linkedin/compliance/integrations/shares/ugc-post-api. It is not known whether it
 * recognises copies of comments and of posts with files, so these are not sent again.
 */
export const postLists = searchAfter(SHOWS_WITHIN_MINUTES * 60, 600)

/** By their minutes. */
const POLL_DURATIONS = new Map([
  [1_440, 'ONE_DAY'],
  [4_320, 'THREE_DAYS'],
  [10_080, 'SEVEN_DAYS'],
  [20_160, 'FOURTEEN_DAYS'],
])

export const linkedin: Platform = {
  id: 'linkedin',
  name: 'LinkedIn (member or organization)',
  findAccountKind,
  // The limit is from LinkedIn's error message. It is unknown whether the escapes of its "little text" format count, so
  // the text is counted as written.
  caption: { lengthMax: 3000, unit: 'UTF-16 units', required: 'unless media or link', source: errorText },
  // 200 is the limit of LinkedIn's advertisements. No limit is documented for posts.
  title: {
    field: 'linkTitle',
    lengthMax: 200,
    unit: 'UTF-16 units',
    required: false,
    source: { ...postsApi, confidence: 'assumed' },
  },
  // Other tools allow 3000. The lower limit is safe.
  firstComment: {
    lengthMax: 1250,
    unit: 'UTF-16 units',
    // No page shows the `attributes` that mention somebody in a comment of the versioned API.
    unreadMarkup: { regex: MENTION, name: 'a mention', mend: 'write the name alone' },
    source: {
      url: 'https://glama.ai/mcp/connectors/com.publora/mcp-server/tools/linkedin_create_comment',
      confidence: 'cross-checked',
      version: '2026',
      seenAt: '2026-11-21',
    },
  },
  thread: { mode: 'single', partsMax: 1, lengthMax: 3000, unit: 'UTF-16 units', source: errorText },
  altTexts: { image: altText, gif: altText },
  postTypes: {
    post,
    carousel: {
      ...filesOf({ min: 2, max: 20, gifs: 20 }),
      hasCaption: true,
      image,
      gif,
      source: multiImage,
    },
    video: {
      ...ONE_VIDEO,
      hasCaption: true,
      video,
      source: videosApi,
    },
    thread: post,
  },
  fields: {
    visibility: {
      type: 'enum',
      values: ['PUBLIC', 'CONNECTIONS', 'LOGGED_IN'],
      default: 'PUBLIC',
      param: 'visibility',
      refused: {
        when: 'it is CONNECTIONS and the account is an organization: set PUBLIC or LOGGED_IN',
        test: ({ visibility }, _, { accountKind }) => visibility === 'CONNECTIONS' && accountKind === 'organizations',
      },
      source: postsApi,
    },
    link: {
      type: 'url',
      isLink: true,
      param: 'content.article.source',
      withoutMedia: true,
      description: 'LinkedIn does not read the page: set linkTitle, linkDescription and linkImageUrl',
      source: postsApi,
    },
    linkTitle: { type: 'string', param: 'content.article.title', unused: withoutLink, source: postsApi },
    linkImageUrl: {
      type: 'url',
      param: 'content.article.thumbnail',
      description: 'a JPEG or PNG of at most 5 MiB, which Postroom loads when it publishes',
      unused: withoutLink,
      source: postsApi,
    },
    linkDescription: { type: 'string', param: 'content.article.description', unused: withoutLink, source: postsApi },
    mediaTitle: {
      type: 'string',
      param: 'content.media.title',
      required: { when: 'the file is a document', test: (_, { hasDocument }) => hasDocument },
      unused: { when: 'the post has several files or none', test: (_, { count }) => count !== 1 },
      source: postsApi,
    },
    altText: {
      type: 'string',
      lengthMax: altText.lengthMax,
      unit: 'UTF-16 units',
      param: 'content.media.altText',
      unused: { when: 'the post has no image', test: (_, { hasImage }) => !hasImage },
      source: { ...postsApi, confidence: 'assumed' },
    },
    poll: {
      type: 'object',
      properties: {
        question: { type: 'string', lengthMax: 140, unit: 'UTF-16 units', notBlank: true, required: true },
        options: optionsUpTo(4, { lengthMax: 30, unit: 'UTF-16 units' }),
        duration: { type: 'enum', values: [...POLL_DURATIONS.values()] },
      },
      fromPoll: ({ options, durationMinutes }, question) => ({
        question,
        options,
        duration: POLL_DURATIONS.get(durationMinutes) ?? `${durationMinutes} minutes`,
      }),
      param: 'content.poll',
      withoutMedia: true,
      refused: { when: 'link is set', test: (fields) => fields.link !== undefined },
      description: '`duration` is THREE_DAYS unless it is set',
      source: pollApi,
    },
    disableReshare: { type: 'boolean', default: false, param: 'isReshareDisabledByAuthor', source: postsApi },
  },
  rateLimits: [
    {
      resource: 'requests',
      limit: 150,
      windowSeconds: 86_400,
      scope: 'member',
      source: { ...postsApi, confidence: 'cross-checked' },
    },
    {
      resource: 'requests',
      limit: 100_000,
      windowSeconds: 86_400,
      scope: 'app',
      source: { ...postsApi, confidence: 'cross-checked' },
    },
  ],
  guarantees: [
    // The posts of members cannot be read.
    {
      accounts: 'members',
      guarantee: 'at-most-once',
      description:
        'The posts of members cannot be read. The delivery is `unconfirmed`: check the network, then call `resolveDelivery`.',
      source: { ...postsApi, url: `${postsApi.url}#permissions` },
    },
    // For ten minutes, LinkedIn refuses the copy of a post.
    {
      act: 'text',
      guarantee: 'reconcilable',
      ifAbsent: 'sent again',
      description: `The posts of the organization are read after ${SHOWS_WITHIN_MINUTES} minutes. An existing post is not sent again. A missing text, link or poll is sent again: for about 10 minutes, LinkedIn refuses a copy and names the first post, which the delivery then has.`,
      source: {
        url: 'https://learn.microsoft.com/en-us/linkedin/compliance/integrations/shares/ugc-post-api',
        confidence: 'official',
        version: 'li-lms-2026-09',
        seenAt: '2026-11-22',
      },
    },
    // Whether it recognises the copies of other acts is not known.
    {
      guarantee: 'reconcilable',
      ifAbsent: 'unconfirmed',
      description: `The posts of the organization, or the comments of the post, are read ${postLists.words}. An existing act is not sent again. A missing one is not sent again either: the delivery is \`unconfirmed\`.`,
      source: postsApi,
    },
  ],
}

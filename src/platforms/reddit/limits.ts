import { filesOf, ONE_VIDEO } from '../contract/files-of.ts'
import type { ConditionMedia, GifRule, ImageRule, Platform, VideoRule } from '../contract/limits.ts'
import type { Source } from '../contract/source.ts'
import { growingPauseMs, searchAfter, searchFor } from '../wire/lost-response.ts'

export const FLAIR_ID = /^[\dA-Fa-f]{8}(?:-[\dA-Fa-f]{4}){3}-[\dA-Fa-f]{12}$/

const archive = 'https://github.com/reddit-archive/reddit/blob/master/r2/r2'
// The last open-source version of Reddit, of 2017. Reddit's API pages are generated from these files.
const validatorFile: Source = {
  url: `${archive}/lib/validator/validator.py`,
  confidence: 'official',
  version: '753b174, 2017-10-16',
  seenAt: '2026-11-21',
}
// Has the parameters of https://www.reddit.com/dev/api#POST_api_submit in the words of that page.
const submitPage: Source = {
  url: 'https://github.com/Pyprohly/reddit-api-doc-notes/blob/main/docs/api-reference/submission.rst',
  confidence: 'copy',
  version: '68a8df0, 2024-07-01',
  seenAt: '2026-11-23',
}
const linkFile: Source = {
  url: `${archive}/models/link.py`,
  confidence: 'official',
  version: '753b174, 2017-10-16',
  seenAt: '2026-11-21',
}
const galleries: Source = {
  url: 'https://www.reddit.com/r/modnews/comments/hisodw/image_gallery_support_is_coming_soon/',
  confidence: 'copy',
  version: '2020-06-30',
  seenAt: '2026-11-21',
}
const imageSizes: Source = {
  url: 'https://www.picovert.com/en/blog/image-size-for-reddit',
  confidence: 'cross-checked',
  version: '2026',
  seenAt: '2026-11-21',
}
const postiz: Source = {
  url: 'https://github.com/gitroomhq/postiz-app',
  confidence: 'cross-checked',
  version: '74b01ad, 2026-08-21',
  seenAt: '2026-11-21',
}

// Recorded traffic of a client, by its date.
const recorded = (name: string, version: string): Source => ({
  url: `https://github.com/praw-dev/praw/blob/main/tests/integration/cassettes/${name}.json`,
  confidence: 'cross-checked',
  version,
  seenAt: '2026-11-21',
})
const userLists: Source = {
  url: 'https://www.reddit.com/dev/api#GET_user_{username}_{where}',
  confidence: 'official',
  version: '2026-11',
  seenAt: '2026-11-23',
}

const image: ImageRule = {
  mimeTypes: ['image/jpeg', 'image/png', 'image/webp'],
  bytesMax: 20_971_520,
  source: imageSizes,
}
const gif: GifRule = { mimeTypes: ['image/gif'], bytesMax: 20_971_520, source: imageSizes }
// The minimum of 2 seconds is from Reddit's advertising pages. Uploading videos by the API is not documented.
const video: VideoRule = {
  mimeTypes: ['video/mp4', 'video/quicktime'],
  bytesMax: 1_073_741_824,
  durationMinSeconds: 2,
  durationMaxSeconds: 900,
  source: postiz,
}

/** Texts and links show in the same second in recorded traffic, posts with files after they are processed. */
export const ownPosts = {
  text: searchAfter(30, 120),
  files: searchFor(Array<number>(10).fill(60_000)),
  /** For files that Reddit has accepted. */
  accepted: searchFor(Array.from({ length: 20 }, (_, looks) => growingPauseMs(looks, 2_000, 60_000))),
}

export const reddit: Platform = {
  id: 'reddit',
  name: 'Reddit',
  caption: { lengthMax: 40_000, unit: 'code points', required: 'never', source: linkFile },
  title: { field: 'title', lengthMax: 300, unit: 'code points', required: true, source: validatorFile },
  firstComment: { lengthMax: 10_000, unit: 'code points', source: linkFile },
  altTexts: {},
  postTypes: {
    post: {
      ...filesOf({ max: 20, videos: 1, gifs: 1, gifAlone: true }),
      hasCaption: true,
      image,
      gif,
      video,
      source: galleries,
    },
    // In a gallery, a GIF counts as an image.
    carousel: {
      ...filesOf({ min: 2, max: 20 }),
      hasCaption: true,
      image: { ...image, mimeTypes: [...image.mimeTypes, ...gif.mimeTypes] },
      source: galleries,
    },
    video: {
      ...ONE_VIDEO,
      hasCaption: true,
      video,
      source: postiz,
    },
  },
  fields: {
    subreddit: {
      type: 'string',
      // The subreddit of a profile is u_ and the user's name, which has up to 20 characters and may contain hyphens.
      pattern: { regex: /^(?:\w{2,21}|u_[\w-]{2,20})$/, expected: '2 to 21 letters, digits or underscores, or u_NAME' },
      required: true,
      param: 'sr',
      description: 'name without r/; u_NAME for the profile of NAME',
      source: validatorFile,
    },
    title: { type: 'string', param: 'title', source: validatorFile },
    flairId: {
      type: 'string',
      lengthMax: 36,
      // Reddit has an error of its own for any other text: https://github.com/praw-dev/praw/issues/870
      pattern: { regex: FLAIR_ID, expected: 'the id of a flair, a UUID: listFieldOptions has those of a subreddit' },
      // The text replaces that of a flair:
      // https://github.com/praw-dev/praw/blob/main/praw/models/reddit/subreddit/subreddit.py
      required: { when: 'flairText is set', test: ({ flairText }) => Boolean(flairText) },
      param: 'flair_id',
      source: submitPage,
    },
    flairText: {
      type: 'string',
      lengthMax: 64,
      param: 'flair_text',
      description: 'replaces the text of the flair, where the subreddit allows it',
      source: submitPage,
    },
    link: {
      type: 'url',
      isLink: true,
      required: { when: 'kind is link', test: ({ kind }) => kind === 'link' },
      param: 'url',
      withoutMedia: true,
      description: 'creates a link post; the caption becomes the text below it',
      source: linkFile,
    },
    kind: {
      type: 'enum',
      values: ['self', 'link', 'image', 'video', 'videogif', 'gallery'],
      param: 'kind',
      description: 'default: the kind that fits; videogif: silent loop',
      refused: { when: 'it does not fit the media or the link', test: isOtherKind },
      needMedia: ['image', 'video', 'videogif', 'gallery'],
      source: linkFile,
    },
    nsfw: { type: 'boolean', default: false, param: 'nsfw', source: linkFile },
    spoiler: { type: 'boolean', default: false, param: 'spoiler', source: linkFile },
    sendReplies: { type: 'boolean', default: true, param: 'sendreplies', source: linkFile },
  },
  rateLimits: [
    {
      resource: 'requests',
      limit: 100,
      windowSeconds: 60,
      scope: 'OAuth client',
      source: {
        url: 'https://support.reddithelp.com/hc/en-us/articles/16160319875092',
        confidence: 'official',
        version: '2023-07-01',
        seenAt: '2026-11-23',
      },
    },
  ],
  guarantees: [
    // The file of a post is processed first. Its id is proof.
    {
      act: 'files',
      guarantee: 'reconcilable',
      ifAbsent: 'sent again',
      description: `The newest posts of the account are read ${ownPosts.files.words}. An existing post is not sent again. A missing one is sent again, with the same files. A post whose files Reddit has accepted is not sent again: if it does not show ${ownPosts.accepted.words}, the delivery is \`unconfirmed\`.`,
      source: recorded('TestSubreddit.test_submit_image', '2023-10-01'),
    },
    {
      guarantee: 'reconcilable',
      ifAbsent: 'sent again',
      description: `The newest posts of the account are read ${ownPosts.text.words}. An existing act is not sent again. A missing one is sent again.`,
      source: userLists,
    },
  ],
}

/** Files and links that are missing are left to the checks of a scheduled post. */
function isOtherKind({ kind, link }: Record<string, unknown>, { count, hasVideo }: ConditionMedia): boolean {
  if (count > 1) return kind !== 'gallery'
  if (count === 1) return hasVideo ? kind !== 'video' && kind !== 'videogif' : kind !== 'image'
  return link ? kind !== 'link' : false
}

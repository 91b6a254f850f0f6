import { ONE_VIDEO } from '../contract/files-of.ts'
import type { Platform, PostTypeRule, VideoRule } from '../contract/limits.ts'
import type { Source } from '../contract/source.ts'
import { LANGUAGE_TAG } from '../families/google/language-tag.ts'
import { SEARCH } from '../wire/lost-response.ts'

const videos: Source = {
  url: 'https://developers.google.com/youtube/v3/docs/videos#properties',
  confidence: 'copy',
  version: '2026-10-10',
  seenAt: '2026-11-21',
}
const insert: Source = {
  url: 'https://developers.google.com/youtube/v3/docs/videos/insert',
  confidence: 'copy',
  version: '2026',
  seenAt: '2026-11-21',
}
const longVideos: Source = {
  url: 'https://support.google.com/youtube/answer/71673',
  confidence: 'cross-checked',
  version: '2026',
  seenAt: '2026-11-21',
}
const shorts: Source = {
  url: 'https://support.google.com/youtube/answer/15424877',
  confidence: 'cross-checked',
  version: '2024-10-15',
  seenAt: '2026-11-21',
}
const quota: Source = {
  url: 'https://developers.google.com/youtube/v3/determine_quota_cost',
  confidence: 'copy',
  version: '2026-09-15',
  seenAt: '2026-11-23',
}
const thumbnails: Source = {
  url: 'https://developers.google.com/youtube/v3/docs/thumbnails/set',
  confidence: 'copy',
  version: '2026-11-03',
  seenAt: '2026-11-23',
}
const playlistItems: Source = {
  url: 'https://developers.google.com/youtube/v3/docs/playlistItems/insert',
  confidence: 'copy',
  version: '2026',
  seenAt: '2026-11-23',
}
const resumable: Source = {
  url: 'https://developers.google.com/youtube/v3/guides/using_resumable_upload_protocol',
  confidence: 'official',
  version: '2026-09-14',
  seenAt: '2026-11-23',
}
const comments: Source = {
  url: 'https://developers.google.com/youtube/v3/docs/commentThreads/list',
  confidence: 'copy',
  version: '2026',
  seenAt: '2026-11-23',
}

// 256 GB is from videos.insert. The maximum is 12 hours for verified channels and 15 minutes for others: facts.ts.
const video: VideoRule = {
  mimeTypes: ['video/mp4', 'video/quicktime', 'video/webm'],
  bytesMax: 274_877_906_944,
  durationMaxSeconds: 43_200,
  source: longVideos,
}

const oneVideo: PostTypeRule = {
  ...ONE_VIDEO,
  hasCaption: true,
  video,
  source: insert,
}

export const youtube: Platform = {
  id: 'youtube',
  name: 'YouTube',
  // The caption is the video's description. YouTube ignores all hashtags of a video that has more than 60 (its help
  // pages, from memory).
  caption: {
    lengthMax: 5000,
    unit: 'bytes',
    forbiddenCharacters: ['<', '>'],
    required: 'never',
    hashtagsMax: 60,
    source: videos,
  },
  title: {
    field: 'title',
    lengthMax: 100,
    unit: 'code points',
    forbiddenCharacters: ['<', '>'],
    required: true,
    source: videos,
  },
  firstComment: {
    lengthMax: 10_000,
    unit: 'UTF-16 units',
    refused: { when: 'madeForKids is true', test: ({ madeForKids }) => madeForKids === true },
    source: {
      url: 'https://marketplace.gohighlevel.com/docs/ghl/social-planner/comments',
      confidence: 'cross-checked',
      version: '2026',
      seenAt: '2026-11-21',
    },
  },
  altTexts: {},
  postTypes: {
    post: oneVideo,
    video: oneVideo,
    // Shorts have no flag: YouTube treats every square or upright video of up to 3 minutes as a Short.
    short: {
      ...oneVideo,
      video: { ...video, aspectRatioMax: 1, durationMaxSeconds: 180, source: shorts },
      source: shorts,
    },
  },
  fields: {
    title: { type: 'string', param: 'snippet.title', source: videos },
    privacyStatus: {
      type: 'enum',
      values: ['public', 'private', 'unlisted'],
      default: 'public',
      param: 'status.privacyStatus',
      source: videos,
    },
    tags: {
      type: 'string[]',
      item: {
        pattern: {
          regex: /^[^,<>]*$/,
          expected: 'a tag without a comma, which YouTube reads as the end of a tag, < and >',
        },
      },
      joinedLengthMax: 500,
      param: 'snippet.tags',
      source: videos,
    },
    categoryId: {
      type: 'string',
      pattern: { regex: /^\d+$/, expected: 'digits only' },
      default: '22',
      param: 'snippet.categoryId',
      source: videos,
    },
    madeForKids: { type: 'boolean', default: false, param: 'status.selfDeclaredMadeForKids', source: videos },
    containsSyntheticMedia: { type: 'boolean', param: 'status.containsSyntheticMedia', source: videos },
    thumbnailUrl: {
      type: 'url',
      param: 'thumbnails.set',
      act: 'thumbnail',
      description:
        'a JPEG or PNG of at most 50 MB, set when the video is processed; the channel has to be verified by phone',
      source: thumbnails,
    },
    defaultLanguage: { type: 'string', pattern: LANGUAGE_TAG, param: 'snippet.defaultLanguage', source: videos },
    embeddable: { type: 'boolean', default: true, param: 'status.embeddable', source: videos },
    license: {
      type: 'enum',
      values: ['youtube', 'creativeCommon'],
      default: 'youtube',
      param: 'status.license',
      source: videos,
    },
    notifySubscribers: { type: 'boolean', default: true, param: 'notifySubscribers', source: insert },
    playlistId: {
      type: 'string',
      param: 'playlistItems.insert',
      act: 'playlist',
      description: 'the video is added when it is processed',
      source: playlistItems,
    },
  },
  rateLimits: [
    { resource: 'uploads', limit: 100, windowSeconds: 86_400, scope: 'Google Cloud project', source: quota },
    { resource: 'quota units', limit: 10_000, windowSeconds: 86_400, scope: 'Google Cloud project', source: quota },
    { resource: 'quota units of one comment, thumbnail or playlist', limit: 50, scope: 'call', source: quota },
  ],
  guarantees: [
    // The address of the upload session is stored before its first byte, and one session makes at most one video.
    {
      act: 'files',
      guarantee: 'exactly-once',
      byUpload: true,
      description:
        'The upload session is asked how far it has come, and goes on from there: one session makes at most one video. If YouTube no longer knows it after the last byte, the video is searched among those of the channel, and is otherwise `unconfirmed`.',
      source: resumable,
    },
    // No page says how soon a comment is listed.
    {
      guarantee: 'reconcilable',
      ifAbsent: 'unconfirmed',
      description: `A missing first comment or playlist item is looked for ${SEARCH.words}. Then the delivery is \`unconfirmed\`.`,
      source: comments,
    },
  ],
}

import { filesOf, ONE_VIDEO } from '../contract/files-of.ts'
import type { Condition, ImageRule, Platform, VideoRule } from '../contract/limits.ts'
import type { Source } from '../contract/source.ts'

const page = (name: string, seenAt: string): Source => ({
  url: `https://developers.tiktok.com/doc/${name}`,
  confidence: 'copy',
  version: '2026-09-11',
  seenAt,
})

const transfer = page('content-posting-api-media-transfer-guide', '2026-11-21')
const directPost = page('content-posting-api-reference-direct-post', '2026-11-21')
const photoPost = page('content-posting-api-reference-photo-post', '2026-11-21')
const guidelines = page('content-sharing-guidelines', '2026-11-21')
const inbox = page('content-posting-api-reference-upload-video', '2026-11-23')
const status = page('content-posting-api-reference-get-video-status', '2026-11-23')

/** TikTok takes no settings for a draft: its user chooses them in the app. */
const isDraft = ({ postMode }: Record<string, unknown>) => postMode === 'MEDIA_UPLOAD'

export const inDraft: Condition = { when: 'postMode is MEDIA_UPLOAD', test: isDraft }
const inPhotosOrDraft: Condition = {
  when: 'the post has images, or postMode is MEDIA_UPLOAD',
  test: (fields, { hasImage }) => hasImage || isDraft(fields),
}
const inVideosOrDraft: Condition = {
  when: 'the post has a video, or postMode is MEDIA_UPLOAD',
  test: (fields, { hasVideo }) => hasVideo || isDraft(fields),
}
const inVideos: Condition = { when: 'the post has a video', test: (_, { hasVideo }) => hasVideo }

// "Maximum 1080p" on the page is the short side, which was found by posting:
// https://github.com/gitroomhq/postiz-app/pull/1875
const image: ImageRule = {
  mimeTypes: ['image/jpeg', 'image/webp'],
  bytesMax: 20_971_520,
  shortSideMax: 1080,
  source: transfer,
}

// The creator's own maximum can be shorter: facts.ts.
const video: VideoRule = {
  mimeTypes: ['video/mp4', 'video/quicktime', 'video/webm'],
  bytesMax: 4_294_967_296,
  widthMin: 360,
  widthMax: 4096,
  heightMin: 360,
  heightMax: 4096,
  durationMaxSeconds: 600,
  fpsMin: 23,
  fpsMax: 60,
  videoCodecs: ['avc', 'hevc', 'vp8', 'vp9'],
  source: transfer,
}

export const tiktok: Platform = {
  id: 'tiktok',
  name: 'TikTok',
  // The caption is the title of a video or the description of a photo post. A description may be longer (photo-post
  // reference).
  caption: {
    lengthMax: 2200,
    lengthMaxWithImages: 4000,
    unit: 'UTF-16 units',
    required: 'never',
    unused: {
      when: 'the post is a draft of a video (postMode MEDIA_UPLOAD)',
      test: (fields, { hasVideo }) => hasVideo && isDraft(fields),
    },
    source: directPost,
  },
  title: { field: 'title', lengthMax: 90, unit: 'UTF-16 units', required: false, source: photoPost },
  altTexts: {},
  postTypes: {
    post: {
      ...filesOf({ min: 1, max: 35, videos: 1 }),
      hasCaption: true,
      image,
      video,
      source: photoPost,
    },
    carousel: {
      ...filesOf({ min: 2, max: 35 }),
      hasCaption: true,
      image,
      source: photoPost,
    },
    video: {
      ...ONE_VIDEO,
      hasCaption: true,
      video,
      source: directPost,
    },
  },
  fields: {
    // The creator has to choose: TikTok's guidelines forbid a default.
    privacyLevel: {
      type: 'enum',
      values: ['PUBLIC_TO_EVERYONE', 'MUTUAL_FOLLOW_FRIENDS', 'FOLLOWER_OF_CREATOR', 'SELF_ONLY'],
      required: { when: 'postMode is not MEDIA_UPLOAD', test: (fields) => !isDraft(fields) },
      param: 'post_info.privacy_level',
      description: 'a level that TikTok offers to the creator',
      unused: inDraft,
      source: directPost,
    },
    title: { type: 'string', param: 'post_info.title', unused: inVideos, source: photoPost },
    disableComment: {
      type: 'boolean',
      default: false,
      param: 'post_info.disable_comment',
      unused: inDraft,
      source: directPost,
    },
    disableDuet: {
      type: 'boolean',
      default: false,
      param: 'post_info.disable_duet',
      unused: inPhotosOrDraft,
      source: directPost,
    },
    disableStitch: {
      type: 'boolean',
      default: false,
      param: 'post_info.disable_stitch',
      unused: inPhotosOrDraft,
      source: directPost,
    },
    brandContentToggle: {
      type: 'boolean',
      default: false,
      param: 'post_info.brand_content_toggle',
      refused: {
        when: 'privacyLevel is SELF_ONLY',
        test: ({ brandContentToggle, privacyLevel }) => brandContentToggle === true && privacyLevel === 'SELF_ONLY',
      },
      unused: inDraft,
      source: guidelines,
    },
    brandOrganicToggle: {
      type: 'boolean',
      default: false,
      param: 'post_info.brand_organic_toggle',
      unused: inDraft,
      source: directPost,
    },
    isAigc: {
      type: 'boolean',
      default: false,
      param: 'post_info.is_aigc',
      description: 'in photo posts, the parameter is is_aigc',
      unused: inDraft,
      source: directPost,
    },
    autoAddMusic: {
      type: 'boolean',
      default: true,
      param: 'post_info.auto_add_music',
      unused: inVideosOrDraft,
      source: photoPost,
    },
    videoCoverTimestampMs: {
      type: 'integer',
      min: 0,
      param: 'post_info.video_cover_timestamp_ms',
      description: 'milliseconds',
      momentOfVideo: 'milliseconds',
      unused: inPhotosOrDraft,
      source: directPost,
    },
    photoCoverIndex: {
      type: 'integer',
      min: 0,
      max: 34,
      default: 0,
      param: 'source_info.photo_cover_index',
      refused: {
        when: 'the post has no image with this index',
        test: ({ photoCoverIndex }, { hasImage, count }) =>
          hasImage && typeof photoCoverIndex === 'number' && photoCoverIndex >= count,
      },
      unused: inVideos,
      source: photoPost,
    },
    postMode: {
      type: 'enum',
      values: ['DIRECT_POST', 'MEDIA_UPLOAD'],
      default: 'DIRECT_POST',
      param: 'post_mode',
      description:
        'MEDIA_UPLOAD sends a draft to the inbox of the account, where its user finishes it; the draft of a video has no caption',
      source: inbox,
    },
  },
  rateLimits: [
    {
      resource: 'requests that start a post',
      limit: 6,
      windowSeconds: 60,
      scope: 'user token',
      perAct: 1,
      source: directPost,
    },
    { resource: 'creator info requests', limit: 20, windowSeconds: 60, scope: 'user token', source: directPost },
    { resource: 'status requests', limit: 30, windowSeconds: 60, scope: 'user token', source: status },
    // The page says "typically around 15". The limit varies by creator, and all apps of a creator share it.
    {
      resource: 'direct posts',
      limit: 15,
      windowSeconds: 86_400,
      scope: 'creator',
      countsPosts: 'all',
      source: guidelines,
    },
    { resource: 'pending uploads', limit: 5, windowSeconds: 86_400, scope: 'creator', source: guidelines },
    { resource: 'users of an unaudited app', limit: 5, windowSeconds: 86_400, scope: 'app', source: guidelines },
  ],
  guarantees: [
    // The id of the task is stored before the last chunk is sent, and its status can be read.
    {
      files: 'videos',
      guarantee: 'exactly-once',
      byUpload: true,
      description:
        'The id of the upload is stored before its first byte. Its status tells whether the last part, which publishes it, is there. If not, the same part is sent to the same upload again.',
      source: status,
    },
    // The id of the task is in the response alone.
    {
      guarantee: 'at-most-once',
      description:
        'The id of the post is in the response alone. The delivery is `unconfirmed`: check the network, then call `resolveDelivery`.',
      source: photoPost,
    },
  ],
}

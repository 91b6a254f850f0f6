import { filesOf, ONE_VIDEO } from '../contract/files-of.ts'
import type { AltTextRule, Condition, ImageRule, Platform, PostTypeRule, VideoRule } from '../contract/limits.ts'
import type { Source } from '../contract/source.ts'
import { CONTAINER_DESCRIPTION, PUBLISHED } from '../families/meta/containers.ts'

const page = (path: string, seenAt: string): Source => ({
  url: `https://developers.facebook.com/docs/instagram-platform/${path}`,
  confidence: 'copy',
  version: 'Graph API v25.0, 2026-09-11',
  seenAt,
})
const mediaReference = page('instagram-graph-api/reference/ig-user/media', '2026-11-21')
const publishing = page('content-publishing', '2026-11-21')
const changelog = page('changelog', '2026-11-21')

// Instagram scales images to a width of 320 to 1440 pixels, so only the ratio can fail.
const image: ImageRule = {
  mimeTypes: ['image/jpeg'],
  bytesMax: 8_388_608,
  aspectRatioMin: 0.8,
  aspectRatioMax: 1.91,
  source: mediaReference,
}

const storyImage: ImageRule = { mimeTypes: ['image/jpeg'], bytesMax: 8_388_608, source: mediaReference }

const reelVideo: VideoRule = {
  mimeTypes: ['video/mp4', 'video/quicktime'],
  bytesMax: 314_572_800,
  widthMax: 1920,
  aspectRatioMin: 0.01,
  aspectRatioMax: 10,
  durationMinSeconds: 3,
  durationMaxSeconds: 900,
  fpsMin: 23,
  fpsMax: 60,
  videoCodecs: ['avc', 'hevc'],
  chromaSubsamplings: ['4:2:0'],
  scans: ['progressive'],
  closedGop: true,
  audioCodecs: ['aac'],
  audioChannelsMax: 2,
  audioSampleRateMax: 48_000,
  source: mediaReference,
}

const storyVideo: VideoRule = {
  ...reelVideo,
  bytesMax: 104_857_600,
  aspectRatioMin: 0.1,
  durationMaxSeconds: 60,
}

// The app allows 20 items, the API 10. The current pages give no limits for videos in a carousel, so those of reels are
// used.
const carousel: PostTypeRule = {
  ...filesOf({ min: 2, max: 10, videos: 10, mixed: true }),
  hasCaption: true,
  image,
  video: reelVideo,
  source: publishing,
}

const inStory: Condition = {
  when: 'the post is a story',
  test: (_fields, _media, { postType }) => postType === 'story',
}

/** A single video is a reel. */
const outsideReel: Condition = {
  when: 'the post is not a reel',
  test: (_, { hasVideo, count }, { postType }) => postType === 'story' || !hasVideo || count > 1,
}

/** Instagram's announcement: "gradually update the number of hashtags that you can include in a caption". */
const fewerHashtags: Source = {
  url: 'https://www.socialsamosa.com/news-2/instagram-hashtags-five-per-post-10923075',
  confidence: 'cross-checked',
  version: '2025-12-19',
  seenAt: '2026-11-26',
}

/** Instagram's form of a name: https://help.instagram.com/182492381886913. */
const username = {
  regex: /^[A-Za-z\d._]{1,30}$/,
  expected: 'a username without @: at most 30 letters, digits, full stops and underscores',
}

const altText: AltTextRule = { lengthMax: 1000, unit: 'code points', source: mediaReference }

const ofImage: Condition = {
  when: 'the post has images only, and is not a story',
  test: (_, { hasImage, hasVideo }, { postType }) => postType !== 'story' && hasImage && !hasVideo,
}

export const instagram: Platform = {
  id: 'instagram',
  name: 'Instagram (professional accounts)',
  // Meta does not define a character. UTF-16 units count no less than code points or graphemes.
  // The page of the API says 30 hashtags.
  caption: {
    lengthMax: 2200,
    unit: 'UTF-16 units',
    required: 'never',
    hashtagsMax: 30,
    uncertainHashtagsMax: { max: 5, source: fewerHashtags },
    mentionsMax: 20,
    source: mediaReference,
  },
  firstComment: {
    lengthMax: 2200,
    unit: 'UTF-16 units',
    postTypes: ['post', 'carousel', 'reel'],
    // As in captions: https://qainsta.com/qa/view/how-much-can-i-write-on-instagram
    hashtagsMax: 30,
    source: {
      url: 'https://marketplace.gohighlevel.com/docs/ghl/social-planner/comments',
      confidence: 'cross-checked',
      version: '2026',
      seenAt: '2026-11-21',
    },
  },
  altTexts: { image: altText, gif: altText },
  postTypes: {
    post: { ...carousel, mediaMin: 1 },
    carousel,
    reel: {
      ...ONE_VIDEO,
      hasCaption: true,
      video: reelVideo,
      source: mediaReference,
    },
    story: {
      ...filesOf({ min: 1, max: 1, videos: 1 }),
      hasCaption: false,
      hasAltTexts: false,
      image: storyImage,
      video: storyVideo,
      source: mediaReference,
    },
  },
  fields: {
    collaborators: {
      type: 'string[]',
      itemsMax: 3,
      item: { pattern: username },
      param: 'collaborators',
      unused: inStory,
      source: mediaReference,
    },
    locationId: {
      type: 'string',
      pattern: { regex: /^\d+$/, expected: 'digits only' },
      param: 'location_id',
      description: 'id of a Facebook Page with a location',
      unused: inStory,
      source: mediaReference,
    },
    shareToFeed: {
      type: 'boolean',
      default: true,
      param: 'share_to_feed',
      unused: outsideReel,
      source: mediaReference,
    },
    coverUrl: {
      type: 'url',
      param: 'cover_url',
      description: 'a JPEG of at most 8 MB',
      unused: outsideReel,
      source: mediaReference,
    },
    thumbOffset: {
      type: 'integer',
      min: 0,
      param: 'thumb_offset',
      description: 'milliseconds',
      momentOfVideo: 'milliseconds',
      unused: {
        when: `coverUrl is set, or ${outsideReel.when}`,
        test: (fields, ...post) => Boolean(fields.coverUrl) || outsideReel.test(fields, ...post),
      },
      source: mediaReference,
    },
    audioName: { type: 'string', param: 'audio_name', unused: outsideReel, source: mediaReference },
    userTags: {
      type: 'object[]',
      itemsMax: 20,
      properties: {
        username: { type: 'string', pattern: username, required: true },
        x: { type: 'number', min: 0, max: 1, required: ofImage },
        y: { type: 'number', min: 0, max: 1, required: ofImage },
      },
      param: 'user_tags',
      description: 'on the first file; x and y are required on an image, and have no effect on a video outside a story',
      source: mediaReference,
    },
    altText: {
      type: 'string',
      lengthMax: altText.lengthMax,
      param: 'alt_text',
      unused: {
        when: `the post has no image, or is a story`,
        test: (_, { hasImage }, { postType }) => !hasImage || postType === 'story',
      },
      source: mediaReference,
    },
    trialReel: {
      type: 'enum',
      values: ['MANUAL', 'SS_PERFORMANCE'],
      param: 'trial_params.graduation_strategy',
      unused: outsideReel,
      source: changelog,
    },
    isAiGenerated: { type: 'boolean', param: 'is_ai_generated', unused: inStory, source: changelog },
    isPaidPartnership: { type: 'boolean', param: 'is_paid_partnership', unused: inStory, source: mediaReference },
  },
  rateLimits: [
    // The page gives both 100 and 50. The account's quota_total decides at run time.
    {
      resource: 'published posts',
      limit: 100,
      windowSeconds: 86_400,
      scope: 'account',
      countsPosts: 'all',
      source: publishing,
    },
    { resource: 'media containers', limit: 400, windowSeconds: 86_400, scope: 'account', source: mediaReference },
  ],
  guarantees: [
    {
      act: 'comment',
      guarantee: 'reconcilable',
      ifAbsent: 'sent again',
      description: `The comments of the post are read ${PUBLISHED.words}. One with the same author and text is not sent again. A missing one is sent again.`,
      source: page('comment-moderation', '2026-11-22'),
    },
    // The container's status tells whether the post is live.
    {
      guarantee: 'reconcilable',
      ifAbsent: 'sent again',
      description: CONTAINER_DESCRIPTION,
      source: page('instagram-graph-api/reference/ig-container', '2026-11-22'),
    },
  ],
}

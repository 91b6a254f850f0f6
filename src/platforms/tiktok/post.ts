import type { Act } from '../contract/adapter.ts'
import { impossible } from '../contract/publish-error.ts'
import { publicUrlOf } from '../wire/request-body.ts'
import { isDraft, tiktokContent } from './content.ts'

/**
 * `post_info` of a video: https://developers.tiktok.com/doc/content-posting-api-reference-direct-post. A draft has
 * none.
 */
export function videoInfoOf(act: Act): object {
  const { fields } = act
  const { text } = tiktokContent(act)
  const { disableDuet, disableStitch, videoCoverTimestampMs, isAigc } = fields
  return {
    ...(text && { title: text }),
    ...commonInfoOf(fields),
    ...(disableDuet !== undefined && { disable_duet: disableDuet }),
    ...(disableStitch !== undefined && { disable_stitch: disableStitch }),
    ...(videoCoverTimestampMs !== undefined && { video_cover_timestamp_ms: videoCoverTimestampMs }),
    ...(isAigc !== undefined && { is_aigc: isAigc }),
  }
}

/**
 * TikTok would show the first frame without a word:
 * https://developers.tiktok.com/doc/content-posting-api-reference-direct-post
 */
export function checkCover({ media, fields: { videoCoverTimestampMs } }: Act): void {
  const seconds = media.find(({ kind }) => kind === 'video')?.durationSeconds ?? Infinity
  if (typeof videoCoverTimestampMs === 'number' && videoCoverTimestampMs > seconds * 1000) {
    throw impossible(`videoCoverTimestampMs is ${videoCoverTimestampMs}: the video lasts only ${seconds} seconds`)
  }
}

/** The body that posts photos: https://developers.tiktok.com/doc/content-posting-api-reference-photo-post */
export function photoPostOf(act: Act): object {
  const { media, fields } = act
  const { text, title } = tiktokContent(act)
  const { autoAddMusic, isAigc, photoCoverIndex = 0 } = fields
  return {
    media_type: 'PHOTO',
    post_mode: isDraft(act) ? 'MEDIA_UPLOAD' : 'DIRECT_POST',
    post_info: {
      ...(title !== undefined && { title }),
      ...(text && { description: text }),
      ...(!isDraft(act) && {
        ...commonInfoOf(fields),
        ...(autoAddMusic !== undefined && { auto_add_music: autoAddMusic }),
      }),
    },
    source_info: {
      source: 'PULL_FROM_URL',
      photo_images: media.map((file) => publicUrlOf(file, 'TikTok')),
      photo_cover_index: photoCoverIndex,
    },
    ...(!isDraft(act) && isAigc !== undefined && { is_aigc: isAigc }),
  }
}

const commonInfoOf = ({ privacyLevel, disableComment, brandContentToggle, brandOrganicToggle }: Act['fields']) => ({
  privacy_level: privacyLevel,
  ...(disableComment !== undefined && { disable_comment: disableComment }),
  // Required, according to both pages.
  brand_content_toggle: brandContentToggle ?? false,
  brand_organic_toggle: brandOrganicToggle ?? false,
})

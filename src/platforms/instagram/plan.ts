import type { Act, PublishedFile } from '../contract/adapter.ts'
import { impossible } from '../contract/publish-error.ts'
import type { ContainerPlan, Parameters } from '../families/meta/containers.ts'
import { at, textAt } from '../wire/json.ts'
import { publicUrlOf } from '../wire/request-body.ts'
import { instagramContent } from './content.ts'

/**
 * The parameters of https://developers.facebook.com/docs/instagram-platform/instagram-graph-api/reference/ig-user/media
 * (2026-03-01). A single video is a reel: Instagram refuses other videos since 2023-11-09.
 */
export function planContainers(act: Act): ContainerPlan {
  const { media, postType } = act
  const { altTexts } = instagramContent(act)
  const [file, ...others] = media
  if (!file) throw impossible('Instagram has no posts without an image or a video')
  if (postType === 'story') {
    const parameters = { media_type: 'STORIES', ...urlOf(file), ...userTagsOf(file, act) }
    return { children: [], parent: () => parameters }
  }
  if (others.length === 0) {
    const kind = file.kind === 'video' ? reelOf(file, act) : imageOf(file, altTexts[0])
    const parameters = { ...kind, ...userTagsOf(file, act), ...captionOf(act) }
    return { children: [], parent: () => parameters }
  }
  return {
    children: media.map((each, index) => ({
      is_carousel_item: 'true',
      ...(each.kind === 'video' ? { media_type: 'VIDEO', ...urlOf(each) } : imageOf(each, altTexts[index])),
      ...(each === file && userTagsOf(file, act)),
    })),
    parent: (ids) => ({ media_type: 'CAROUSEL', children: ids.join(','), ...captionOf(act) }),
  }
}

function captionOf(act: Act): Parameters {
  const { fields } = act
  const { text } = instagramContent(act)
  const collaborators = fields.collaborators as string[] | undefined
  return {
    ...(text && { caption: text }),
    ...(collaborators && collaborators.length > 0 && { collaborators: JSON.stringify(collaborators) }),
    ...optional('location_id', textAt(fields, 'locationId')),
    ...flag('is_ai_generated', fields.isAiGenerated),
    ...flag('is_paid_partnership', fields.isPaidPartnership),
  }
}

const imageOf = (file: PublishedFile, altText: string | undefined): Parameters => ({
  ...urlOf(file),
  ...optional('alt_text', altText),
})

function reelOf(file: PublishedFile, { fields }: Act): Parameters {
  const strategy = textAt(fields, 'trialReel')
  const cover = textAt(fields, 'coverUrl')
  return {
    media_type: 'REELS',
    ...urlOf(file),
    ...flag('share_to_feed', fields.shareToFeed),
    // 0 is an offset.
    ...(cover ? { cover_url: cover } : optional('thumb_offset', textAt(fields, 'thumbOffset'))),
    ...optional('audio_name', textAt(fields, 'audioName')),
    ...(strategy && { trial_params: JSON.stringify({ graduation_strategy: strategy }) }),
  }
}

function urlOf(file: PublishedFile): Parameters {
  const url = publicUrlOf(file, 'Instagram')
  return file.kind === 'video' ? { video_url: url } : { image_url: url }
}

/** People in an image have a position, people in a video have none. In a story, it is optional. */
function userTagsOf({ kind }: PublishedFile, { fields, postType }: Act): Parameters {
  const tags = fields.userTags
  if (!Array.isArray(tags) || tags.length === 0) return {}
  const people = tags.map((tag) => {
    const username = textAt(tag, 'username')
    const x = at(tag, 'x')
    const y = at(tag, 'y')
    const isPlaced = typeof x === 'number' && typeof y === 'number'
    if (postType === 'story') return { username, ...(isPlaced && { x, y }) }
    if (kind === 'video') return { username }
    if (!isPlaced) throw impossible('Each of userTags needs x and y on an image')
    return { username, x, y }
  })
  return { user_tags: JSON.stringify(people) }
}

const optional = (name: string, value: string | undefined): Parameters => (value ? { [name]: value } : {})

const flag = (name: string, value: unknown): Parameters => (typeof value === 'boolean' ? { [name]: String(value) } : {})

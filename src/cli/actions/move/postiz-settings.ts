import type { PlatformId } from '../../../../schemas/platform.ts'

type Settings = Record<string, unknown>

/** Reads a setting into a field of the network; undefined if it says what is published without the field. */
type Reader = (value: unknown) => Settings | undefined

const as =
  (field: string): Reader =>
  (value) => ({ [field]: value })

/** A value of Postiz that is the default of the network. */
const unless =
  (byDefault: unknown, read: Reader): Reader =>
  (value) =>
    value === byDefault ? undefined : read(value)

const whenTrue = (field: string): Reader => unless(false, as(field))

const negated = (field: string): Reader => unless(true, (value) => ({ [field]: !value }))

const labels = (value: unknown) => (Array.isArray(value) ? value.map((item) => item?.label) : undefined)

/**
 * The fields that settings become, by their names in Postiz:
 * https://github.com/gitroomhq/postiz-app/tree/main/libraries/nestjs-libraries/src/dtos/posts/providers-settings
 */
const READERS: Partial<Record<PlatformId, Record<string, Reader>>> = {
  x: {
    who_can_reply_post: unless('everyone', as('replySettings')),
    community: (value) => ({ communityId: String(value).split('/').pop() }),
    made_with_ai: whenTrue('madeWithAi'),
    paid_partnership: whenTrue('paidPartnership'),
  },
  youtube: {
    title: as('title'),
    type: as('privacyStatus'),
    selfDeclaredMadeForKids: unless('no', () => ({ madeForKids: true })),
    tags: (value) => ({ tags: labels(value) }),
  },
  pinterest: { board: as('boardId'), title: as('title'), link: as('link'), dominant_color: as('dominantColor') },
  facebook: { url: as('link'), text_format_preset_id: as('textFormatPresetId') },
  instagram: { collaborators: (value) => ({ collaborators: labels(value) }) },
  tiktok: {
    title: as('title'),
    privacy_level: as('privacyLevel'),
    duet: negated('disableDuet'),
    stitch: negated('disableStitch'),
    comment: negated('disableComment'),
    autoAddMusic: (value) => ({ autoAddMusic: value === 'yes' }),
    brand_content_toggle: whenTrue('brandContentToggle'),
    brand_organic_toggle: whenTrue('brandOrganicToggle'),
    video_made_with_ai: whenTrue('isAigc'),
    content_posting_method: unless('DIRECT_POST', () => ({ postMode: 'MEDIA_UPLOAD' })),
  },
}

/** Names that say nothing of the post, or that are read elsewhere. */
const IGNORED = ['__type', 'thread_finisher']

const TYPES: unknown[] = ['post', 'story', '', null, undefined]

const isEmpty = (value: unknown) =>
  [undefined, null, '', false].includes(value as null) || (Array.isArray(value) && value.length === 0)

/** Reads the settings of a post into its type and its fields. `missing` are those without an equal. */
export function readSettings(platform: PlatformId | undefined, { subreddit, post_type: type, ...settings }: Settings) {
  const readers = (platform && READERS[platform]) ?? {}
  const fields: Settings = {}
  const missing: string[] = []
  for (const [name, value] of Object.entries(settings)) {
    const read = Object.hasOwn(readers, name) ? readers[name] : undefined
    if (read) Object.assign(fields, isEmpty(value) && value !== false ? undefined : read(value))
    else if (!isEmpty(value) && !IGNORED.includes(name)) missing.push(`the setting ${name}`)
  }
  if (platform === 'reddit') Object.assign(fields, readSubreddits(subreddit, missing))
  if (!TYPES.includes(type)) missing.push(`the type ${type}`)
  return { postType: type === 'story' ? ('story' as const) : undefined, fields, missing }
}

/** A post of Postiz may go to several subreddits. */
function readSubreddits(list: unknown, missing: string[]): Settings {
  const [first, ...others] = (Array.isArray(list) ? list : []).map((item) => item?.value ?? {})
  missing.push(...others.map(({ subreddit }) => `the subreddit ${subreddit}`))
  if (!first) return {}
  const { subreddit, title, type, url, flair } = first
  return {
    subreddit,
    title,
    ...(type === 'link' && { link: url }),
    ...(flair?.id && { flairId: flair.id }),
  }
}

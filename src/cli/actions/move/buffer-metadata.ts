import type { PlatformId, PostType } from '../../../../schemas/platform.ts'
import { platforms } from '../../../platforms/limits.ts'
import type { BufferPost } from './buffer-api.ts'

type Fields = Record<string, unknown>

/** The types that are more than a post with files. Threads have parts. */
const TYPES: Partial<Record<string, PostType>> = { reel: 'reel', story: 'story', short: 'short' }
const PLAIN_TYPES = ['post', 'carousel', 'thread', 'whats_new']

/** The fields that metadata becomes, by its name in Buffer. */
const FIELDS: Partial<Record<PlatformId, Record<string, string>>> = {
  facebook: { title: 'title' },
  instagram: { shouldShareToFeed: 'shareToFeed' },
  mastodon: { spoilerText: 'spoilerText' },
  pinterest: { title: 'title', url: 'link' },
  threads: { topic: 'topicTag' },
  tiktok: { title: 'title', isAiGenerated: 'isAigc' },
  x: { isAiGenerated: 'madeWithAi' },
  youtube: {
    title: 'title',
    privacy: 'privacyStatus',
    license: 'license',
    notifySubscribers: 'notifySubscribers',
    embeddable: 'embeddable',
    madeForKids: 'madeForKids',
    isAiGenerated: 'containsSyntheticMedia',
  },
}

/** The fields of a link preview, which a post with files has not. */
const LINK_FIELDS: Partial<Record<PlatformId, Record<string, string>>> = {
  bluesky: { url: 'linkCard', title: 'linkCardTitle', thumbnail: 'linkCardImageUrl' },
  facebook: { url: 'link' },
  linkedin: { url: 'link', title: 'linkTitle', thumbnail: 'linkImageUrl' },
  threads: { url: 'linkAttachment' },
}

const BUTTONS: Record<string, string> = { signup: 'SIGN_UP' }

/** Reads what a post has on its network alone. `missing` are the parts without an equal. */
export function readMetadata(platform: PlatformId | undefined, { metadata, assets }: BufferPost) {
  const { type = 'post', thread: _, firstComment: __, annotations = [], ...special } = metadata ?? {}
  const { linkAttachment, details, board, category, retweet, geolocation, ...others } = special
  const { fields, missing } = readOthers(platform, others)
  if (board) fields.boardId = board.serviceId
  if (category) fields.categoryId = category.categoryId
  if (retweet) fields.quotePostId = retweet.id
  if (linkAttachment && assets.length === 0)
    Object.assign(fields, rename(platform && LINK_FIELDS[platform], linkAttachment))
  if (details?.button && details.button !== 'none') {
    fields.callToActionType = BUTTONS[details.button] ?? details.button.toUpperCase()
    if (details.link) fields.callToActionUrl = details.link
  }
  if (!TYPES[type] && !PLAIN_TYPES.includes(type)) missing.push(`the type ${type}`)
  if (geolocation?.text) missing.push(`the place ${geolocation.text}`)
  const people = assets.flatMap(({ image }) => image?.userTags ?? []).map(({ handle }) => handle)
  if (people.length > 0) missing.push(`the tags of ${people.join(', ')}`)
  const mentions = annotations.filter(({ type }) => type === 'annotation' || type === 'mention')
  const lost = mentions.map(({ text }) => `the link of the mention ${text}`)
  return { postType: TYPES[type], fields, lost, missing }
}

function readOthers(platform: PlatformId | undefined, metadata: Fields) {
  const names = (platform && FIELDS[platform]) ?? {}
  const defaults = platform ? platforms[platform].fields : {}
  const fields: Fields = {}
  const missing: string[] = []
  for (const [name, value] of Object.entries(metadata)) {
    if (value === null || value === undefined || value === '') continue
    const field = Object.hasOwn(names, name) ? names[name]! : undefined
    if (field === undefined) {
      if (value !== false) missing.push(`${name} ${value}`)
    } else if (value !== (defaults[field]?.default ?? false)) fields[field] = value
  }
  return { fields, missing }
}

const rename = (names: Record<string, string> = {}, values: Fields): Fields =>
  Object.fromEntries(Object.entries(names).flatMap(([from, to]) => (values[from] ? [[to, values[from]]] : [])))

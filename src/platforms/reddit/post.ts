import type { Act } from '../contract/adapter.ts'
import { impossible } from '../contract/publish-error.ts'
import { textAt } from '../wire/json.ts'
import { redditContent } from './content.ts'

/** The kinds of `POST /api/submit`. A gallery has a call of its own. */
type Kind = 'self' | 'link' | 'image' | 'video' | 'videogif' | 'gallery'

/** A file on Reddit. */
export type Asset = {
  /** The same in the addresses of the post. */
  id: string
  url: string
}

/** The kind of the post, by its files and its link. Throws if `fields.kind` differs. */
export function kindOf({ media, fields }: Pick<Act, 'media' | 'fields'>): Kind {
  const kinds = kindsFor(media, fields)
  const { kind = kinds[0] } = fields
  if (!kinds.includes(kind as Kind)) {
    throw impossible(`fields.kind is ${kind}, but the files and the link of the post make it ${kinds.join(' or ')}`)
  }
  return kind as Kind
}

/** The default comes first. */
function kindsFor([file, ...others]: Act['media'], { link }: Act['fields']): [Kind, ...Kind[]] {
  if (others.length > 0) return ['gallery']
  if (file) return file.kind === 'video' ? ['video', 'videogif'] : ['image']
  return [link ? 'link' : 'self']
}

/** The parameters of all kinds: https://www.reddit.com/dev/api#POST_api_submit */
function commonOf(act: Act) {
  const { fields } = act
  const { title = '', text } = redditContent(act)
  const flairs = { flair_id: textAt(fields, 'flairId'), flair_text: textAt(fields, 'flairText') }
  return {
    api_type: 'json',
    sr: textAt(fields, 'subreddit')!,
    title,
    ...(text && { text }),
    ...(flairs.flair_id && { flair_id: flairs.flair_id }),
    ...(flairs.flair_text && { flair_text: flairs.flair_text }),
    nsfw: fields.nsfw === true,
    spoiler: fields.spoiler === true,
    sendreplies: fields.sendReplies !== false,
    // Otherwise Reddit says nothing about the rules of the subreddit before the post is removed.
    validate_on_submit: true,
  }
}

/** The call that makes the post visible. The last asset of a video is its poster. */
export function requestOf(act: Act, assets: readonly Asset[]): { path: string; body: object } {
  const kind = kindOf(act)
  const common = commonOf(act)
  if (kind === 'gallery') {
    const items = assets.map(({ id }) => ({ caption: '', outbound_url: '', media_id: id }))
    return { path: '/api/submit_gallery_post.json', body: { ...common, show_error_list: true, items } }
  }
  const [asset, poster] = assets
  const url = asset?.url ?? redditContent(act).link?.url
  const form = {
    ...common,
    kind,
    // Otherwise Reddit refuses a link that somebody has posted there before.
    resubmit: true,
    ...(url !== undefined && { url }),
    ...(poster && { video_poster_url: poster.url }),
  }
  const entries = Object.entries(form).map(([name, value]): [string, string] => [name, String(value)])
  return { path: '/api/submit', body: new URLSearchParams(entries) }
}

import type { Act, Sent } from '../adapter.ts'
import { at, textAt } from '../json.ts'
import { unexpected } from '../publish-error.ts'
import { type Client, itemsOf, permalinkOf } from './client.ts'
import { type Asset, kindOf, textsOf } from './post.ts'

/** How far Reddit's clock may differ from ours when times of creation are compared. */
const CLOCK_SKEW_MAX_MS = 60_000

/** The most of one page. */
const ITEMS_MAX = 100

/** What the list of the author says about an act. */
export type Found = Sent | 'absent' | 'unknown'

/**
 * The post that an act made, among the newest ones of its author. The ids of uploaded files are in its address or its
 * gallery, and in no other post. A text or a link is known by its subreddit, title and content.
 */
export async function findPost(client: Client, act: Act, assets: readonly Asset[]): Promise<Found> {
  const posts = await newest(client, 'submitted', act)
  if (posts === 'unknown') return 'unknown'
  if (assets.length > 0) return only(posts.filter((post) => hasAssets(post, assets)))
  const { title } = textsOf(act)
  const similar = posts.filter(
    (post) =>
      textAt(post, 'subreddit')?.toLowerCase() === textAt(act.fields, 'subreddit')?.toLowerCase() &&
      comparable(textAt(post, 'title')) === comparable(title),
  )
  const same = similar.filter((post) => hasContent(post, act))
  // Reddit may have changed the content: nothing is sent again.
  return same.length === 0 && similar.length > 0 ? 'unknown' : only(same)
}

/** The comment that an act made, among the newest ones of its author. */
export async function findComment(client: Client, act: Act): Promise<Found> {
  const comments = await newest(client, 'comments', act)
  if (comments === 'unknown') return 'unknown'
  return only(
    comments.filter(
      (comment) =>
        textAt(comment, 'parent_id') === act.parent!.id && comparable(textAt(comment, 'body')) === comparable(act.text),
    ),
  )
}

/**
 * What the author made since the act began, also what a filter has removed: https://www.reddit.com/dev/api#GET_user_{username}_{where}.
 * Unknown where it fills more than a page.
 */
async function newest(client: Client, where: 'submitted' | 'comments', act: Act): Promise<unknown[] | 'unknown'> {
  const response = await client.call(`/user/${client.username}/${where}?sort=new&limit=${ITEMS_MAX}`)
  const items = itemsOf(response)
  if (!items) throw unexpected(client.host, false)
  const since = act.startedAt.getTime() - CLOCK_SKEW_MAX_MS
  const recent = items.filter((item) => Number(textAt(item, 'created_utc')) * 1000 >= since)
  return recent.length === ITEMS_MAX ? 'unknown' : recent
}

/** One of two equal things may belong to another act. */
function only(things: readonly unknown[]): Found {
  const [thing, ...others] = things
  if (others.length > 0) return 'unknown'
  const id = textAt(thing, 'name')
  return id ? { id, url: permalinkOf(thing) } : 'absent'
}

/** `https://i.redd.it/ID.png`, `https://v.redd.it/ID`, or the items of a gallery. The poster of a video is in neither. */
function hasAssets(post: unknown, assets: readonly Asset[]): boolean {
  const items = at(post, 'gallery_data', 'items')
  const shown = Array.isArray(items)
    ? items.map((item) => textAt(item, 'media_id'))
    : [/^https:\/\/[iv]\.redd\.it\/(\w+)/.exec(textAt(post, 'url') ?? '')?.[1]]
  return shown[0] === assets[0]!.id
}

function hasContent(post: unknown, act: Act): boolean {
  const isText = at(post, 'is_self') === true
  if (kindOf(act) === 'self') return isText && comparable(textAt(post, 'selftext')) === comparable(textsOf(act).body)
  const [shown, sent] = [textAt(post, 'url') ?? '', textAt(act.fields, 'link') ?? '']
  return !isText && URL.parse(shown)?.href === URL.parse(sent)?.href
}

/** Reddit turns each run of white space in a title into one space: https://github.com/reddit-archive/reddit/blob/master/r2/r2/controllers/api.py (POST_submit). */
const comparable = (text = '') => text.normalize('NFC').replaceAll(/\s+/g, ' ').trim()

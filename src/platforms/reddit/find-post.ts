import type { Act, Sent } from '../contract/adapter.ts'
import { normalizeText } from '../rules/normal-form.ts'
import { list, NUMBER, object, optional, TEXT } from '../wire/answer.ts'
import type { NetworkResponse } from '../wire/call-network.ts'
import { at, textAt } from '../wire/json.ts'
import { earliestCreation } from '../wire/lost-response.ts'
import { type Client, itemsOf, listing, sentOf } from './client.ts'
import { redditContent } from './content.ts'
import { type Asset, kindOf } from './post.ts'

/** The most of one page. */
const ITEMS_MAX = 100

/** The result of looking for an act in the author's list. `unknown`: a post in it may be the act or another post. */
type Found = Sent | 'absent' | 'unknown'

/**
 * The post that an act made, among the newest ones of its author. The ids of uploaded files are in its address or its
 * gallery, and in no other post. A text or a link is known by its subreddit, title and content.
 */
export async function findPost(client: Client, act: Act, assets: readonly Asset[]): Promise<Found> {
  const { items, recent, isComplete } = await readNewest(client, 'submitted', act)
  if (assets.length > 0) {
    const found = onlyOne(items.filter((post) => hasAssets(post, assets)))
    return found === 'absent' && !(isComplete && recent.every(showsFiles)) ? 'unknown' : found
  }
  const { title } = redditContent(act)
  const similar = recent.filter(
    (post) =>
      textAt(post, 'subreddit')?.toLowerCase() === textAt(act.fields, 'subreddit')?.toLowerCase() &&
      comparable(textAt(post, 'title')) === comparable(title),
  )
  return isComplete ? choose(similar, (post) => hasContent(post, act)) : 'unknown'
}

/** The comment that an act made, among the newest ones of its author. */
export async function findComment(client: Client, act: Act): Promise<Found> {
  const { recent, isComplete } = await readNewest(client, 'comments', act)
  const siblings = recent.filter((comment) => textAt(comment, 'parent_id') === act.parent!.id)
  const hasText = (comment: unknown) => comparable(textAt(comment, 'body')) === comparable(act.text)
  return isComplete ? choose(siblings, hasText) : 'unknown'
}

interface Newest {
  /** One page, newest first. Posts that a filter has removed are there too. */
  items: unknown[]
  /** Those that were created since the act began. */
  recent: unknown[]
  /** False if the next page may have more of them. */
  isComplete: boolean
}

/** A post or a comment as far as it is compared. */
const ITEM = {
  name: TEXT,
  created_utc: NUMBER,
  subreddit: optional(TEXT),
  title: optional(TEXT),
  selftext: optional(TEXT),
  url: optional(TEXT),
  parent_id: optional(TEXT),
  body: optional(TEXT),
  gallery_data: optional(object({ items: optional(list(object({ media_id: TEXT }))) })),
}

/** The newest posts or comments of the author: https://www.reddit.com/dev/api#GET_user_{username}_{where} */
async function readNewest(client: Client, where: 'submitted' | 'comments', act: Act): Promise<Newest> {
  const response = await client.call(`/user/${client.username}/${where}?sort=new&limit=${ITEMS_MAX}`, {
    answer: listing(ITEM),
  })
  const items = itemsOf(response)
  const since = earliestCreation(act) + clockOffset(response)
  // A page may be shorter than its maximum, and more follow all the same:
  // https://github.com/Pyprohly/reddit-api-doc-notes/blob/main/docs/api-reference/listings.rst (limit)
  const isLast = textAt(response.body, 'data', 'after') === undefined
  return {
    items,
    recent: items.filter((item) => createdAt(item) >= since),
    isComplete: isLast || (items.length > 0 && createdAt(items.at(-1)) < since),
  }
}

/** In milliseconds since 1970, on Reddit's clock. */
const createdAt = (item: unknown) => Number(textAt(item, 'created_utc')) * 1000

/**
 * How far Reddit's clock is ahead of ours, in milliseconds: by our own, a lost post could seem to be older than its
 * act.
 */
function clockOffset({ headers }: NetworkResponse): number {
  const offset = Date.parse(headers.get('date') ?? '') - Date.now()
  return Number.isFinite(offset) ? offset : 0
}

/** The one that is the same as the act. */
function choose(similar: readonly unknown[], isSame: (thing: unknown) => boolean): Found {
  const same = similar.filter(isSame)
  // Reddit may have changed the content: nothing is sent again.
  return same.length === 0 && similar.length > 0 ? 'unknown' : onlyOne(same)
}

/** One of two equal things may belong to another act. */
const onlyOne = (things: readonly unknown[]): Found =>
  things.length === 0 ? 'absent' : (things.length === 1 && sentOf(things[0])) || 'unknown'

/**
 * `https://i.redd.it/ID.png`, `https://v.redd.it/ID`, or the items of a gallery. The poster of a video is in neither.
 */
function hasAssets(post: unknown, assets: readonly Asset[]): boolean {
  const items = at(post, 'gallery_data', 'items')
  const shown = Array.isArray(items)
    ? items.map((item) => textAt(item, 'media_id'))
    : [/^https:\/\/[iv]\.redd\.it\/(\w+)/.exec(textAt(post, 'url') ?? '')?.[1]]
  return shown[0] === assets[0]!.id
}

/**
 * Galleries may have no items:
 * https://github.com/Pyprohly/reddit-api-doc-notes/blob/main/docs/api-reference/submission.rst (gallery_data)
 */
const showsFiles = (post: unknown) =>
  at(post, 'is_gallery') !== true || Array.isArray(at(post, 'gallery_data', 'items'))

function hasContent(post: unknown, act: Act): boolean {
  const isText = at(post, 'is_self') === true
  if (kindOf(act) === 'self')
    return isText && comparable(textAt(post, 'selftext')) === comparable(redditContent(act).text)
  const shown = textAt(post, 'url') ?? ''
  const sent = textAt(act.fields, 'link') ?? ''
  return !isText && URL.parse(shown)?.href === URL.parse(sent)?.href
}

/**
 * Reddit turns each run of white space in a title into one space. Some control characters are white space in Python:
 * https://github.com/reddit-archive/reddit/blob/master/r2/r2/controllers/api.py (POST_submit)
 */
export const comparable = (text = '') =>
  normalizeText(text, 'NFC')
    .replaceAll(/[\s\p{Cc}]+/gu, ' ')
    .trim()

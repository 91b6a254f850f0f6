import type { Act } from '../contract/adapter.ts'
import type { Io } from '../contract/io.ts'
import { normalizeText } from '../rules/normal-form.ts'
import { object, optional, TEXT } from '../wire/answer.ts'
import { at, textAt } from '../wire/json.ts'
import { isSinceStart } from '../wire/lost-response.ts'
import { list, postsOf } from './client.ts'
import type { LocalPost } from './post.ts'

/** A post as far as it is compared. */
const LISTED = object({
  name: TEXT,
  createTime: TEXT,
  topicType: optional(TEXT),
  summary: optional(TEXT),
  callToAction: optional(object()),
  event: optional(object()),
  offer: optional(object()),
})

/**
 * The posts of the location that were made since the act began, by anybody and in any state. `isComplete` is false if
 * there are more posts than are read: Google does not say in which order it lists them.
 * https://developers.google.com/my-business/reference/rest/v4/accounts.locations.localPosts/list
 */
export async function listPosts(io: Io, act: Act): Promise<{ posts: unknown[]; isComplete: boolean }> {
  const { items, isComplete } = await list(io, postsOf(io.credentials), 'localPosts', LISTED, { pageSize: '100' })
  return { posts: items.filter((post) => isSinceStart(textAt(post, 'createTime'), act)), isComplete }
}

/**
 * Whether a post has the content of the act. The photo is not compared: Google returns addresses of its own
 * (https://developers.google.com/my-business/reference/rest/v4/accounts.locations.media).
 */
export function hasContent(post: unknown, { summary, topicType, callToAction, event, offer }: LocalPost): boolean {
  return (
    textAt(post, 'topicType') === topicType &&
    folded(textAt(post, 'summary')) === folded(summary) &&
    (topicType === 'OFFER' || textAt(post, 'callToAction', 'actionType') === callToAction?.actionType) &&
    (topicType === 'OFFER' || addressOf(textAt(post, 'callToAction', 'url')) === addressOf(callToAction?.url)) &&
    folded(textAt(post, 'event', 'title')) === folded(event?.title) &&
    isSame(at(post, 'event', 'schedule'), event?.schedule) &&
    folded(textAt(post, 'offer', 'couponCode')) === folded(offer?.couponCode)
  )
}

/** Drops differences that Google may introduce: white space and the form of characters. */
const folded = (text = '') => normalizeText(text, 'NFC').replaceAll(/\s+/g, ' ').trim()

const addressOf = (text = '') => URL.parse(text)?.href ?? text

/** Numbers that are 0 may be absent. */
function isSame(shown: unknown, sent: NonNullable<LocalPost['event']>['schedule'] | undefined): boolean {
  if (!sent) return shown === undefined
  return Object.entries(sent).every(([part, numbers]) =>
    Object.entries(numbers).every(([name, number]) => (at(shown, part, name) ?? 0) === number),
  )
}

import type { Act, Sent } from '../contract/adapter.ts'
import { normalizeText } from '../rules/normal-form.ts'
import { either, list, literal, object, optional, TEXT } from '../wire/answer.ts'
import { at, textAt } from '../wire/json.ts'
import { isSinceStart, readSince } from '../wire/lost-response.ts'
import { type Client, ID, sentOf } from './client.ts'

/** One page: X charges for every post that it returns. */
const POSTS_MAX = '100'

/**
 * The newer names of https://docs.x.com/openapi.json, such as `note_post`, are read but not requested: the guides at
 * https://docs.x.com/x-api/posts/timelines/integrate and X's own clients use these.
 */
export const FIELDS = 'attachments,conversation_id,created_at,entities,note_tweet,referenced_tweets'

/** A post as far as it is compared. */
export const POST = {
  id: TEXT,
  text: TEXT,
  created_at: TEXT,
  conversation_id: TEXT,
  attachments: optional(object({ media_keys: optional(list(TEXT)), poll_ids: optional(list(TEXT)) })),
  entities: optional(object({ urls: optional(list(object({ url: TEXT, expanded_url: optional(TEXT) }))) })),
  note_tweet: optional(object()),
  referenced_tweets: optional(list(object({ type: TEXT, id: TEXT }))),
}

/** X leaves `data` out if no post matches: https://docs.x.com/x-api/users/get-posts */
const TIMELINE = either(
  object({ data: list(object(POST)), meta: object() }),
  object({ meta: object({ result_count: literal(0) }) }),
)

/**
 * The post that an act made, or all that look like it, among the account's own posts since the act began: the same
 * text, parent and files. `mediaKeys` are those of the files that were uploaded for the act, if they are known.
 */
export async function findPosts(client: Client, act: Act, mediaKeys: readonly (string | null)[]): Promise<Sent[]> {
  const query = new URLSearchParams({
    start_time: `${readSince(act).toISOString().slice(0, 19)}Z`,
    max_results: POSTS_MAX,
    exclude: act.parent ? 'retweets' : 'retweets,replies',
    'tweet.fields': FIELDS,
  })
  const { body } = await client.call(`/2/users/${client.userId}/tweets?${query}`, { answer: TIMELINE })
  return ((at(body, 'data') ?? []) as unknown[])
    .filter((post) => ID.test(textAt(post, 'id') ?? ''))
    .filter(
      (post) =>
        isSinceStart(textAt(post, 'created_at'), act) &&
        hasParent(post, act) &&
        hasFiles(post, act, mediaKeys) &&
        hasText(post, act),
    )
    .map((post) => sentOf(textAt(post, 'id')!, client))
}

/** A post without a parent begins a conversation with its own id. */
function hasParent(post: unknown, { parent, root }: Act): boolean {
  if (textAt(post, 'conversation_id') !== (root?.id ?? textAt(post, 'id'))) return false
  const references = listAt(post, 'referenced_tweets') ?? listAt(post, 'referenced_posts') ?? []
  const replied = references.find((reference) => textAt(reference, 'type') === 'replied_to')
  return !replied || textAt(replied, 'id') === parent?.id
}

function hasFiles(post: unknown, { text, media, fields, parent }: Act, mediaKeys: readonly (string | null)[]): boolean {
  const shown = listAt(post, 'attachments', 'media_keys') ?? []
  const hasPoll = (listAt(post, 'attachments', 'poll_ids') ?? []).length > 0
  if (shown.length !== media.length || hasPoll !== (fields.poll !== undefined && parent === null)) return false
  const known = mediaKeys.filter((key) => key !== null)
  if (known.length === media.length) return known.every((key) => shown.includes(key))
  // Only a text identifies the post.
  return text.trim() !== ''
}

/** Whether a post shows the text of the act, although X has replaced its links and special characters. */
export function hasText(post: unknown, { text, fields }: Act): boolean {
  const note = at(post, 'note_tweet') ?? at(post, 'note_post')
  const links = listAt(note, 'entities', 'urls') ?? listAt(post, 'entities', 'urls') ?? []
  // https://docs.x.com/x-api/fundamentals/data-dictionary: long texts are cut in `text`.
  let shown = decode(textAt(note, 'text') ?? textAt(post, 'text') ?? '')
  for (const link of links) {
    const short = textAt(link, 'url')
    const expanded = textAt(link, 'expanded_url') ?? ''
    if (short) shown = shown.replace(short, () => (isAppended(expanded, post, fields) ? '' : expanded))
  }
  return comparable(shown) === comparable(text)
}

/** X appends a link to the post's own files, and one to the post that it quotes. */
function isAppended(link: string, post: unknown, { quotePostId }: Act['fields']): boolean {
  const [, id, isFile] = /\/status\/(\d+)(\/(?:photo|video)\/\d+)?$/.exec(link) ?? []
  return id !== undefined && (isFile ? id === textAt(post, 'id') : id === quotePostId)
}

/** https://docs.x.com/x-api/fundamentals/data-dictionary: `&`, `<` and `>` come as entities. */
const decode = (text: string) => text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&')

/**
 * Drops differences that X may introduce: the form of characters, white space, and the scheme and final slash of links.
 */
const comparable = (text: string) =>
  normalizeText(text, 'NFC')
    .replaceAll(/https?:\/\//gi, '')
    .replaceAll(/\/(?=\s|$)/g, '')
    .replaceAll(/\s+/g, ' ')
    .trim()

const listAt = (value: unknown, ...path: string[]): unknown[] | undefined => {
  const list = at(value, ...path)
  return Array.isArray(list) ? list : undefined
}

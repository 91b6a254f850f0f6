import type { TSchema } from '@sinclair/typebox'
import type { Act, Sent } from '../contract/adapter.ts'
import type { Io } from '../contract/io.ts'
import { list, NUMBER, object, optional, TEXT } from '../wire/answer.ts'
import { at, textAt } from '../wire/json.ts'
import { earliestCreation } from '../wire/lost-response.ts'
import { type Client, call } from './client.ts'
import { littleText, plainText } from './little-text.ts'
import { commentSentOf, sentOf } from './sent.ts'

const ELEMENTS_PER_PAGE = 50
const PAGES_MAX = 5

/** A post as far as it is compared. */
const POST = object({
  id: TEXT,
  author: TEXT,
  createdAt: NUMBER,
  lastModifiedAt: optional(NUMBER),
  commentary: optional(TEXT),
  content: optional(
    object({
      media: optional(object({ id: optional(TEXT) })),
      multiImage: optional(object({ images: list(object({ id: TEXT })) })),
    }),
  ),
})

const COMMENT = object({ actor: TEXT, message: object({ text: TEXT }) })

/**
 * The post of an organization that an act made: the one with its files, or with its text and link. Files are proof,
 * because each upload has a URN of its own. Unknown if several could be it.
 */
export async function findPost(
  act: Act,
  client: Client,
  io: Io,
  urns: readonly string[],
): Promise<Sent | 'absent' | 'unknown'> {
  const since = earliestCreation(act)
  const query = { q: 'author', author: client.author, sortBy: 'LAST_MODIFIED' }
  const found = await readPages('/rest/posts', query, { 'x-restli-method': 'FINDER' }, POST, client, io, (post) => {
    // Newest change first. A post that was made since then was changed since then too.
    return Number(at(post, 'lastModifiedAt') ?? at(post, 'createdAt')) < since
  })
  if (found === 'unknown') return 'unknown'
  const isSame = (post: unknown) =>
    at(post, 'author') === client.author &&
    Number(at(post, 'createdAt')) >= since &&
    (act.media.length > 0 ? equal(urnsOf(post), urns) : hasSameText(post, act))
  const matches = found.filter(isSame).map((post) => textAt(post, 'id') ?? '')
  if (matches.length === 0) return 'absent'
  return (matches.length === 1 && sentOf(matches[0]!)) || 'unknown'
}

const equal = (some: readonly unknown[], others: readonly unknown[]) =>
  some.length === others.length && some.every((item, index) => item === others[index])

function urnsOf(post: unknown): unknown[] {
  const images = at(post, 'content', 'multiImage', 'images')
  if (Array.isArray(images)) return images.map((image) => at(image, 'id'))
  return [at(post, 'content', 'media', 'id')].filter((urn) => urn !== undefined)
}

const hasSameText = (post: unknown, { text, fields }: Act) =>
  plainText(textAt(post, 'commentary') ?? '') === plainText(littleText(text)) &&
  urnsOf(post).length === 0 &&
  textAt(post, 'content', 'article', 'source') === textAt(fields, 'link') &&
  textAt(post, 'content', 'poll', 'question') === textAt(fields, 'poll', 'question')

/**
 * https://learn.microsoft.com/en-us/linkedin/marketing/community-management/shares/comments-api#get-comments-on-shares
 */
export async function findComment(act: Act, client: Client, io: Io): Promise<Sent | 'absent' | 'unknown'> {
  const parent = act.parent!
  const path = `/rest/socialActions/${encodeURIComponent(parent.id)}/comments`
  const found = await readPages(path, {}, {}, COMMENT, client, io, () => false)
  if (found === 'unknown') return 'unknown'
  const matches = found.filter(
    (comment) =>
      at(comment, 'actor') === client.author && textAt(comment, 'message', 'text')?.trim() === act.text.trim(),
  )
  if (matches.length === 0) return 'absent'
  return (matches.length === 1 && commentSentOf(matches[0], parent)) || 'unknown'
}

/** The elements of a list, until one `isOlder`; unknown if they fill more pages than are read, or may not be read. */
async function readPages(
  path: string,
  query: Record<string, string>,
  headers: Record<string, string>,
  element: TSchema,
  client: Client,
  io: Io,
  isOlder: (element: unknown) => boolean,
): Promise<unknown[] | 'unknown'> {
  const answer = object({ elements: list(element) })
  const found: unknown[] = []
  for (let page = 0; page < PAGES_MAX; page++) {
    const start = String(page * ELEMENTS_PER_PAGE)
    const search = new URLSearchParams({ ...query, start, count: String(ELEMENTS_PER_PAGE) })
    // 403 for a role or a scope that ended. It says nothing about the right to post.
    const { status, body } = await call(client, io, `${path}?${search}`, { headers, accept: [403], answer })
    if (status === 403) return 'unknown'
    const elements = at(body, 'elements') as unknown[]
    found.push(...elements)
    if (elements.length < ELEMENTS_PER_PAGE || elements.some(isOlder)) return found
  }
  return 'unknown'
}

import type { Act, Sent } from '../contract/adapter.ts'
import type { Io } from '../contract/io.ts'
import { unexpected } from '../contract/publish-error.ts'
import { ID, list, object, optional, TEXT } from '../wire/answer.ts'
import { at, textAt } from '../wire/json.ts'
import { isSinceStart, readSince } from '../wire/lost-response.ts'
import { facebookContent } from './content.ts'
import { callGraph, isId, type Page, permalinkOf } from './graph.ts'

/** https://developers.facebook.com/docs/graph-api/reference/page/feed: 100 at most. */
const POSTS_MAX = 100

const POST_FIELDS =
  'id,message,created_time,is_published,application,permalink_url,attachments{target,unshimmed_url,subattachments{target}}'

const TARGET = { target: optional(object({ id: optional(ID) })) }

const FEED = object({
  data: list(
    object({
      id: ID,
      message: optional(TEXT),
      created_time: TEXT,
      attachments: optional(
        object({ data: list(object({ ...TARGET, subattachments: optional(object({ data: list(object(TARGET)) })) })) }),
      ),
    }),
  ),
})

/**
 * Publishes a text, a link or uploaded photos: https://developers.facebook.com/docs/graph-api/reference/page/feed. That
 * edge supports read-after-write, so the response has the permalink.
 */
export async function publishPost(page: Page, act: Act, photoIds: readonly string[], io: Io): Promise<Sent> {
  const { textFormatPresetId } = act.fields
  const { text, link } = facebookContent(act)
  const form: Record<string, string> = {
    ...(text && { message: text }),
    ...(link && { link: link.url }),
    ...(typeof textFormatPresetId === 'string' && { text_format_preset_id: textFormatPresetId }),
  }
  for (const [index, id] of photoIds.entries()) form[`attached_media[${index}]`] = JSON.stringify({ media_fbid: id })
  const query = { fields: 'id,permalink_url' }
  const sent = sentOf(
    await callGraph(page, io, `${page.id}/feed`, { query, form, visible: true, answer: object({ id: ID }) }),
  )
  if (!sent) throw unexpected(page.host, true)
  return sent
}

/**
 * Finds the post of an act in the Page's feed: by its photos, or else by its text, time and app. Unknown if several
 * posts, or one whose photos have other ids, could be it.
 */
export async function findPost(
  page: Page,
  act: Act,
  photoIds: readonly string[],
  io: Io,
): Promise<Sent | 'absent' | 'unknown'> {
  const since = String(readSince(act).getTime() / 1000)
  const query = { fields: POST_FIELDS, since, limit: String(POSTS_MAX) }
  const data = at(await callGraph(page, io, `${page.id}/feed`, { query, answer: FEED }), 'data') as unknown[]
  // The feed also has posts that nobody sees.
  const posts = data.filter((post) => at(post, 'is_published') !== false)
  const byPhoto = posts.find((post) => targetsOf(post).some((id) => photoIds.includes(id)))
  if (byPhoto) return sentOf(byPhoto) ?? 'unknown'
  const [match, ...others] = posts.filter((post) => isLike(post, act, page))
  if (match && (others.length > 0 || photoIds.length > 0)) return 'unknown'
  if (match) return sentOf(match) ?? 'unknown'
  return data.length < POSTS_MAX ? 'absent' : 'unknown'
}

function isLike(post: unknown, act: Act, page: Page): boolean {
  const { text, fields } = act
  const appId = textAt(post, 'application', 'id')
  const isOther =
    tidy(textAt(post, 'message') ?? '') !== tidy(text) ||
    !isSinceStart(textAt(post, 'created_time'), act) ||
    (appId !== undefined && page.appId !== undefined && appId !== page.appId)
  if (isOther) return false
  // If the post has no text, only the link tells posts apart.
  const link = text || typeof fields.link !== 'string' ? undefined : URL.parse(fields.link)?.href
  return link === undefined || URL.parse(textAt(post, 'attachments', 'data', 0, 'unshimmed_url') ?? '')?.href === link
}

const tidy = (text: string) => text.replaceAll('\r\n', '\n').trim()

/** The ids of the photos of a post. */
function targetsOf(post: unknown): string[] {
  const attachments = listAt(post, 'attachments')
  return [...attachments, ...attachments.flatMap((attachment) => listAt(attachment, 'subattachments'))]
    .map((attachment) => textAt(attachment, 'target', 'id'))
    .filter((id) => id !== undefined)
}

const listAt = (json: unknown, key: string): unknown[] => {
  const list = at(json, key, 'data')
  return Array.isArray(list) ? list : []
}

/** The comment of an act under its post: https://developers.facebook.com/docs/graph-api/reference/object/comments */
export async function publishComment(page: Page, act: Act, io: Io): Promise<Sent> {
  const form = { message: facebookContent(act).text }
  const sent = sentOf(
    await callGraph(page, io, `${parentId(act.parent)}/comments`, { form, visible: true, answer: object({ id: ID }) }),
  )
  if (!sent) throw unexpected(page.host, true)
  return sent
}

export async function findComment(page: Page, act: Act, io: Io): Promise<Sent | 'absent' | 'unknown'> {
  const query = { fields: 'id,message,from', filter: 'stream', order: 'reverse_chronological', limit: '100' }
  const answer = object({ data: list(object({ id: ID, message: optional(TEXT), from: optional(object({ id: ID })) })) })
  const data = at(await callGraph(page, io, `${parentId(act.parent)}/comments`, { query, answer }), 'data') as unknown[]
  const [match, ...others] = data.filter(
    (comment) => textAt(comment, 'from', 'id') === page.id && tidy(textAt(comment, 'message') ?? '') === tidy(act.text),
  )
  if (match) return others.length === 0 ? (sentOf(match) ?? 'unknown') : 'unknown'
  return data.length < 100 ? 'absent' : 'unknown'
}

/** Comments on a video belong to its post, if that is known. */
function parentId(parent: Act['parent']): string {
  const id = parent?.ref ?? parent?.id
  if (!isId(id)) throw new Error('a comment has no post')
  return id
}

function sentOf(body: unknown): Sent | undefined {
  const id = textAt(body, 'id')
  return isId(id) ? { id, url: permalinkOf(textAt(body, 'permalink_url')) } : undefined
}

import type { Act, OnNetwork, Sent } from '../contract/adapter.ts'
import { addressOf } from '../contract/changes.ts'
import type { Io } from '../contract/io.ts'
import { postGone, unexpected } from '../contract/publish-error.ts'
import { list, object, optional, TEXT } from '../wire/answer.ts'
import { at, textAt } from '../wire/json.ts'
import { orNotFound, requireSettled } from '../wire/not-found.ts'
import { type Client, call, clientFor, HOST, itemsOf, listOf } from './client.ts'
import { youtubeContent } from './content.ts'
import { VIDEO_UNKNOWN } from './errors.ts'
import { snippetOf } from './resource.ts'

/** A video that is not found is not on its way, as it is while its upload is processed. */
const rulesOf = (client: Client): Client => ({
  ...client,
  errors: [
    {
      ...VIDEO_UNKNOWN,
      means: 'content refused',
      note: 'The video is gone.',
      source: 'https://developers.google.com/youtube/v3/docs/videos/delete#errors',
    },
    ...client.errors,
  ],
})

/**
 * https://developers.google.com/youtube/v3/docs/videos/delete,
 * https://developers.google.com/youtube/v3/docs/comments/delete
 */
export async function remove(published: OnNetwork, io: Io): Promise<void> {
  const { kind, id } = published
  // They go with their video.
  if (kind === 'thumbnail' || kind === 'playlist') return
  const client = rulesOf(clientFor(io))
  const path = kind === 'comment' ? 'comments' : 'videos'
  const options = { method: 'DELETE', query: { id }, visible: true, answer: 'status' } as const
  const response = await orNotFound(() => call(client, io, path, options))
  if (!response) requireSettled(HOST, published)
  else if (response.status !== 204) throw unexpected(HOST, true)
}

/** Videos or comments, with the texts that an update replaces. */
const ITEMS = listOf({
  id: TEXT,
  snippet: object({
    title: optional(TEXT),
    description: optional(TEXT),
    textOriginal: optional(TEXT),
    categoryId: optional(TEXT),
    tags: optional(list(TEXT)),
  }),
})

/** Each update replaces the whole snippet, and so sends what it has. */
export async function edit(act: Act, published: OnNetwork, io: Io): Promise<Sent> {
  const client = rulesOf(clientFor(io))
  const path = act.kind === 'comment' ? 'comments' : 'videos'
  const { id } = published
  const [item] = itemsOf((await call(client, io, path, { query: { part: 'snippet', id }, answer: ITEMS })).body)
  if (item === undefined) {
    requireSettled(HOST, published)
    throw postGone(HOST)
  }
  const before = at(item, 'snippet')
  const snippet =
    act.kind === 'comment' ? { textOriginal: youtubeContent(act).text } : mergeSnippet(before, act, published)
  const isSame = Object.entries(snippet).every(([key, value]) => isEqual(value, at(before, key)))
  if (isSame) return addressOf(published)
  const { body } = await call(client, io, path, {
    method: 'PUT',
    query: { part: 'snippet' },
    body: { id, snippet },
    visible: true,
    answer: object({ id: TEXT }),
  })
  if (textAt(body, 'id') !== id) throw unexpected(HOST, true)
  return addressOf(published)
}

/** The properties that an update would clear: https://developers.google.com/youtube/v3/docs/videos/update#properties */
const KEPT = ['categoryId', 'tags', 'defaultLanguage', 'defaultAudioLanguage'] as const

function mergeSnippet(before: unknown, act: Act, { fields }: OnNetwork): Record<string, unknown> {
  const kept = KEPT.map((key) => [key, at(before, key)] as const).filter(([, value]) => value !== undefined)
  const { title, description, categoryId, tags } = snippetOf(act)
  return {
    ...Object.fromEntries(kept),
    title,
    description,
    ...(act.fields.categoryId !== undefined && { categoryId }),
    // Tags that the post no longer has are removed.
    ...(tags ? { tags } : fields.tags !== undefined && { tags: [] }),
  }
}

/** YouTube removes white space around texts, and empty lists. */
const isEqual = (sent: unknown, shown: unknown) =>
  Array.isArray(sent)
    ? JSON.stringify(sent) === JSON.stringify(shown ?? [])
    : typeof sent === 'string' && sent.trim() === ((shown as string | undefined) ?? '').trim()

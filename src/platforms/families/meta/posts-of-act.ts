import type { Act, Sent } from '../../contract/adapter.ts'
import { ID, list, object, optional, TEXT } from '../../wire/answer.ts'
import { at, textAt } from '../../wire/json.ts'
import { isSinceStart, readSince } from '../../wire/lost-response.ts'
import { permalinkOf } from './api.ts'

/** Whether a post was made after an act began. */
export const isSince = (post: unknown, act: Act) => isSinceStart(textAt(post, 'timestamp'), act)

export const sinceOf = (act: Act) => String(readSince(act).getTime() / 1000)

/** Whether a post has the text of an act. No page says whether white space stays as it was sent. */
export const hasText = (post: unknown, field: 'caption' | 'text', { text }: Act) =>
  tidy(textAt(post, field) ?? '') === tidy(text)

const tidy = (text: string) => text.replaceAll(/\s+/g, ' ').trim()

/** Posts as far as they are compared. */
export const POSTS = object({
  data: list(
    object({
      id: ID,
      timestamp: TEXT,
      media_type: TEXT,
      caption: optional(TEXT),
      text: optional(TEXT),
      children: optional(object({ data: list(object({ id: ID })) })),
      replied_to: optional(object({ id: ID })),
    }),
  ),
})

/** The one post with these children; else the only one of them all, if there is one. */
export function pickOne(candidates: readonly unknown[], childIds: readonly string[]): Sent | 'several' | undefined {
  const own = [...childIds].sort().join()
  const same = candidates.filter((post) => childIds.length > 0 && childrenOf(post) === own)
  const [found, ...others] = same.length > 0 ? same : candidates
  if (others.length > 0) return 'several'
  const id = textAt(found, 'id')
  return id === undefined || !/^\d{1,32}$/.test(id) ? undefined : { id, url: permalinkOf(found) }
}

function childrenOf(post: unknown): string {
  const children = at(post, 'children', 'data')
  return Array.isArray(children)
    ? children
        .map((child) => textAt(child, 'id'))
        .sort()
        .join()
    : ''
}

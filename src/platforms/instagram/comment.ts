import type { Act, Sent, Wait } from '../contract/adapter.ts'
import type { Io } from '../contract/io.ts'
import { notFinishedInTime } from '../contract/publish-error.ts'
import { get, idAt, isNotFound, post } from '../families/meta/api.ts'
import { type Containers, PUBLISHED } from '../families/meta/containers.ts'
import { isSince } from '../families/meta/posts-of-act.ts'
import { ID, list, object, optional, TEXT } from '../wire/answer.ts'
import { at, textAt } from '../wire/json.ts'
import { lookAgain } from '../wire/lost-response.ts'
import { clientOf } from './client.ts'
import { instagramContent } from './content.ts'

/**
 * Posts a first comment: https://developers.facebook.com/docs/instagram-platform/comment-moderation. `fields` must not
 * be sent: with them, the comment is made, and the response is error 20.
 */
export async function postComment(act: Act, io: Io): Promise<Sent> {
  try {
    const id = await post(clientOf(io), io, `${act.parent!.id}/comments`, { message: instagramContent(act).text }, true)
    return { id, url: null }
  } catch (error) {
    if (isNotFound(error)) throw notFinishedInTime(error.message)
    throw error
  }
}

const COMMENTS = object({
  data: list(object({ id: ID, text: optional(TEXT), username: optional(TEXT), timestamp: TEXT })),
})

/** The account's own comment with the text of the act. A comment that is not shown for minutes is not there. */
export async function findComment(
  act: Act,
  io: Io,
  state: Containers,
): Promise<Sent | 'absent' | 'unknown' | { processing: Wait<Containers> }> {
  const api = clientOf(io)
  const username = textAt(await get(api, io, 'me', { fields: 'username' }, object({ username: TEXT })), 'username')
  const parameters = { fields: 'id,text,username,timestamp', limit: '50' }
  const body = await get(api, io, `${act.parent!.id}/comments`, parameters, COMMENTS)
  const own = (at(body, 'data') as unknown[]).filter(
    (comment) =>
      isSince(comment, act) &&
      textAt(comment, 'text')?.trim() === act.text.trim() &&
      textAt(comment, 'username') === username,
  )
  const [found, ...others] = own
  const id = idAt(found, 'id')
  if (id !== undefined) return others.length > 0 ? 'unknown' : { id, url: null }
  return lookAgain(state, 'absent', PUBLISHED)
}

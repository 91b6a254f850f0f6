import type { Act, Sent } from '../contract/adapter.ts'
import type { Io } from '../contract/io.ts'
import { get } from '../families/meta/api.ts'
import { hasText, isSince, POSTS, pickOne, sinceOf } from '../families/meta/posts-of-act.ts'
import { at, textAt } from '../wire/json.ts'
import { clientOf } from './client.ts'

/** A page has at most 100: https://developers.facebook.com/docs/threads/threads-media */
const POSTS_MAX = 100

/**
 * The post of an act that is known to be live: the only one since the act began with its text, its kind of media and
 * its parent. No page maps the id of a container to that of its post.
 */
export async function findPost(act: Act, io: Io, childIds: readonly string[]): Promise<Sent | 'several' | undefined> {
  const { parent } = act
  const parameters = {
    fields: `id,text,timestamp,permalink,media_type,children${parent ? ',replied_to' : ''}`,
    since: sinceOf(act),
    limit: String(POSTS_MAX),
  }
  const body = await get(clientOf(io), io, parent ? 'me/replies' : 'me/threads', parameters, POSTS)
  const candidates = (at(body, 'data') as unknown[]).filter(
    (post) =>
      isSince(post, act) &&
      textAt(post, 'media_type') === mediaTypeOf(act) &&
      hasText(post, 'text', act) &&
      (!parent || textAt(post, 'replied_to', 'id') === parent.id),
  )
  return pickOne(candidates, childIds)
}

function mediaTypeOf({ media: [file, ...others] }: Act): string {
  if (!file) return 'TEXT_POST'
  if (others.length > 0) return 'CAROUSEL_ALBUM'
  return file.kind === 'video' ? 'VIDEO' : 'IMAGE'
}

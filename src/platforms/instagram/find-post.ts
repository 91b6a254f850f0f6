import type { Act, Sent } from '../contract/adapter.ts'
import type { Io } from '../contract/io.ts'
import { get } from '../families/meta/api.ts'
import { hasText, isSince, POSTS, pickOne, sinceOf } from '../families/meta/posts-of-act.ts'
import { at, textAt } from '../wire/json.ts'
import { clientOf, userIdOf } from './client.ts'

const POSTS_MAX = '50'

/**
 * The post of an act that is known to be live: the only one since the act began with its caption and its kind of media.
 * No page maps the id of a container to that of its post. A story has no caption, so only its time tells.
 */
export async function findPost(act: Act, io: Io, childIds: readonly string[]): Promise<Sent | 'several' | undefined> {
  const isStory = act.postType === 'story'
  const parameters = {
    fields: `id,timestamp,permalink,media_type${isStory ? '' : ',media_product_type,caption,children'}`,
    ...(!isStory && { since: sinceOf(act), limit: POSTS_MAX }),
  }
  const path = `${userIdOf(io)}/${isStory ? 'stories' : 'media'}`
  const body = await get(clientOf(io), io, path, parameters, POSTS)
  const candidates = (at(body, 'data') as unknown[]).filter(
    (post) =>
      isSince(post, act) &&
      textAt(post, 'media_type') === mediaTypeOf(act) &&
      (isStory || hasText(post, 'caption', act)),
  )
  return pickOne(candidates, childIds)
}

/** A reel reads as a video. */
function mediaTypeOf({ media: [file, ...others] }: Act): string {
  if (others.length > 0) return 'CAROUSEL_ALBUM'
  return file?.kind === 'video' ? 'VIDEO' : 'IMAGE'
}

import { pickCounts, type ReadMetrics } from '../contract/metrics.ts'
import { list, object, TEXT } from '../wire/answer.ts'
import { at, textAt } from '../wire/json.ts'
import { PUBLIC_API } from './identity.ts'
import { xrpc } from './xrpc.ts'

/**
 * https://docs.bsky.app/docs/api/app-bsky-feed-get-posts, without an account: the counts are public. Posts that do not
 * exist are left out of the response.
 */
export const readMetrics: ReadMetrics = async (posts, names, io) => {
  const response = await xrpc(io, PUBLIC_API, 'app.bsky.feed.getPosts', {
    params: { uris: posts.map(({ id }) => id) },
    answer: object({ posts: list(object({ uri: TEXT })) }),
  })
  const views = at(response, 'posts') as unknown[]
  const byUri = new Map(views.map((view) => [textAt(view, 'uri'), view]))
  return posts.map(({ id }) =>
    byUri.has(id) ? { counts: pickCounts(names, (name) => at(byUri.get(id), name)) } : 'gone',
  )
}

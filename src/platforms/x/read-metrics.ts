import { pickCounts, type ReadMetrics } from '../contract/metrics.ts'
import { unexpected } from '../contract/publish-error.ts'
import { at, textAt } from '../wire/json.ts'
import { clientFor } from './client.ts'

/**
 * https://docs.x.com/x-api/posts/get-posts-by-ids: posts that do not exist are in `errors`. Without any post, `data` is
 * absent.
 */
export const readMetrics: ReadMetrics = async (posts, names, io) => {
  const client = clientFor(io)
  const query = new URLSearchParams({ ids: posts.map(({ id }) => id).join(','), 'tweet.fields': 'public_metrics' })
  const { body } = await client.call(`/2/tweets?${query}`)
  const data = at(body, 'data') ?? (at(body, 'errors') === undefined ? undefined : [])
  if (!Array.isArray(data)) throw unexpected(client.host, false)
  const found = new Map(data.map((post) => [textAt(post, 'id'), post]))
  return posts.map(({ id }) => {
    const post = found.get(id)
    return post === undefined ? 'gone' : { counts: pickCounts(names, (name) => at(post, 'public_metrics', name)) }
  })
}

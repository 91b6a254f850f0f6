import { type PostReading, pickCounts, type ReadMetrics } from '../contract/metrics.ts'
import { impossible, unexpected } from '../contract/publish-error.ts'
import { list, object, optional, TEXT } from '../wire/answer.ts'
import { at, textAt } from '../wire/json.ts'
import { failureOf } from '../wire/read-each.ts'
import { clientFor } from './client.ts'
import { problemOf } from './errors.ts'

const POSTS = object({
  data: optional(list(object({ id: TEXT, public_metrics: optional(object()) }))),
  errors: optional(list()),
})

/**
 * https://docs.x.com/x-api/posts/get-posts-by-ids: `errors` has the posts that are not shown. Without any post, `data`
 * is absent.
 */
export const readMetrics: ReadMetrics = async (posts, names, io) => {
  const client = clientFor(io)
  const query = new URLSearchParams({ ids: posts.map(({ id }) => id).join(','), 'tweet.fields': 'public_metrics' })
  const { body } = await client.call(`/2/tweets?${query}`, { answer: POSTS })
  const errors = at(body, 'errors')
  const data = at(body, 'data') ?? (errors === undefined ? undefined : [])
  if (!Array.isArray(data)) throw unexpected(client.host, false)
  const found = new Map(data.map((post) => [textAt(post, 'id'), post]))
  const problems = new Map((Array.isArray(errors) ? errors : []).map((error) => [textAt(error, 'resource_id'), error]))
  return posts.map(({ id }) => {
    const post = found.get(id)
    if (post === undefined) return describeAbsence(client.host, problems.get(id))
    return { counts: pickCounts(names, (name) => at(post, 'public_metrics', name)) }
  })
}

/**
 * https://docs.x.com/x-api/fundamentals/response-codes-and-errors: a post may also be withheld, or not be shown to this
 * account.
 */
function describeAbsence(host: string, problem: unknown): PostReading {
  if (problemOf(problem) === 'resource-not-found') return 'gone'
  const words = textAt(problem, 'detail') ?? textAt(problem, 'title')
  if (words === undefined) return failureOf(unexpected(host, false))
  return failureOf(impossible(`${host}: ${words}`))
}

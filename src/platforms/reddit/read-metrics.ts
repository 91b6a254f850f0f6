import { pickCounts, type ReadMetrics } from '../contract/metrics.ts'
import { unexpected } from '../contract/publish-error.ts'
import { at, textAt } from '../wire/json.ts'
import { clientFor } from './client.ts'

/** https://www.reddit.com/dev/api#GET_api_info: posts that do not exist are left out. */
export const readMetrics: ReadMetrics = async (posts, names, io) => {
  const client = clientFor(io)
  const { body } = await client.call(`/api/info?${new URLSearchParams({ id: posts.map(({ id }) => id).join(',') })}`)
  const children = at(body, 'data', 'children')
  if (!Array.isArray(children)) throw unexpected(client.host, false)
  const found = new Map(children.map((child) => [textAt(child, 'data', 'name'), at(child, 'data')]))
  return posts.map(({ id }) => {
    const post = found.get(id)
    const isGone = post === undefined || isRemoved(post)
    return isGone ? 'gone' : { counts: pickCounts([...names, 'upvote_ratio'], (name) => at(post, name)) }
  })
}

/** A post that its author or a moderator removed stays readable, without its author or with the kind of remover. */
const isRemoved = (post: unknown) =>
  textAt(post, 'author') === '[deleted]' || textAt(post, 'removed_by_category') !== undefined

import { pickCounts, type ReadMetrics } from '../contract/metrics.ts'
import { at, textAt } from '../wire/json.ts'
import { clientFor, isDeleted, readThings } from './client.ts'

export const readMetrics: ReadMetrics = async (posts, names, io) => {
  const things = await readThings(
    clientFor(io),
    posts.map(({ id }) => id),
  )
  return posts.map(({ id }) => {
    const post = things.get(id)
    const isGone = post === undefined || isRemoved(post)
    return isGone ? 'gone' : { counts: pickCounts([...names, 'upvote_ratio'], (name) => at(post, name)) }
  })
}

/** A post that a moderator removed stays readable, with the kind of remover. */
const isRemoved = (post: unknown) => isDeleted(post) || textAt(post, 'removed_by_category') !== undefined

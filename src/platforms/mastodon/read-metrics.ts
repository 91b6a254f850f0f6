import type { Io } from '../contract/io.ts'
import { type MeasuredPost, pickCounts, type ReadMetrics } from '../contract/metrics.ts'
import { unexpected } from '../contract/publish-error.ts'
import { callNetwork, Refused } from '../wire/call-network.ts'
import { at, textAt } from '../wire/json.ts'
import { clientFor, type Instance, readStatus } from './instance.ts'

/** https://docs.joinmastodon.org/methods/statuses/#index: statuses that do not exist are left out. */
export const readMetrics: ReadMetrics = async (posts, names, io) => {
  const instance = clientFor(io)
  const statuses = await listStatuses(instance, posts, io)
  return posts.map(({ id }) => {
    const status = statuses.get(id)
    return status === undefined ? 'gone' : { counts: pickCounts(names, (name) => at(status, name)) }
  })
}

async function listStatuses(instance: Instance, posts: readonly MeasuredPost[], io: Io): Promise<Map<string, unknown>> {
  const query = new URLSearchParams(posts.map(({ id }): [string, string] => ['id[]', id]))
  const { origin, host, headers } = instance
  try {
    const { body } = await callNetwork(instance, io, `${origin}/api/v1/statuses?${query}`, { headers })
    if (!Array.isArray(body)) throw unexpected(host, false)
    return new Map(body.map((status) => [textAt(status, 'id') ?? '', status]))
  } catch (error) {
    // Servers before Mastodon 4.3 read one status at a time.
    if (!isMissing(error)) throw error
  }
  const found = new Map<string, unknown>()
  for (const { id } of posts) {
    const status = await readStatus(instance, id, io)
    if (status !== undefined) found.set(id, status)
  }
  return found
}

const isMissing = (error: unknown) => error instanceof Refused && [404, 405].includes(error.refusal.status)

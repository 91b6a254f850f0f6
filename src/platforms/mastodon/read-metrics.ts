import type { Io } from '../contract/io.ts'
import { type MeasuredPost, type PostReading, pickCounts, type ReadMetrics } from '../contract/metrics.ts'
import { unexpected } from '../contract/publish-error.ts'
import { callNetwork, Refused } from '../wire/call-network.ts'
import { at, textAt } from '../wire/json.ts'
import { readEach } from '../wire/read-each.ts'
import { clientFor, type Instance, readStatus } from './instance.ts'

/** https://docs.joinmastodon.org/methods/statuses/#index: statuses that do not exist are left out. */
export const readMetrics: ReadMetrics = async (posts, names, io) => {
  const instance = clientFor(io)
  const toReading = (status: unknown): PostReading =>
    status === undefined ? 'gone' : { counts: pickCounts(names, (name) => at(status, name)) }
  const statuses = await listStatuses(instance, posts, io)
  if (statuses) return posts.map(({ id }) => toReading(statuses.get(id)))
  return readEach(posts, async ({ id }) => toReading(await readStatus(instance, id, io)))
}

/** Undefined for servers before Mastodon 4.3, which read one status at a time. */
async function listStatuses(instance: Instance, posts: readonly MeasuredPost[], io: Io) {
  const query = new URLSearchParams(posts.map(({ id }): [string, string] => ['id[]', id]))
  const { origin, host, headers } = instance
  try {
    const { body } = await callNetwork(instance, io, `${origin}/api/v1/statuses?${query}`, { headers })
    if (!Array.isArray(body)) throw unexpected(host, false)
    return new Map(body.map((status) => [textAt(status, 'id') ?? '', status]))
  } catch (error) {
    if (!isMissing(error)) throw error
    return undefined
  }
}

const isMissing = (error: unknown) => error instanceof Refused && [404, 405].includes(error.refusal.status)

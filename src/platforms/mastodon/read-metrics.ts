import type { Io } from '../contract/io.ts'
import { type MeasuredPost, type PostReading, pickCounts, type ReadMetrics } from '../contract/metrics.ts'
import { ID, list, object } from '../wire/answer.ts'
import { Refused } from '../wire/call-network.ts'
import { at, textAt } from '../wire/json.ts'
import { orMissing } from '../wire/not-found.ts'
import { readEach } from '../wire/read-each.ts'
import { callInstance, clientFor, type Instance, isNoRoute, readStatus } from './instance.ts'

/**
 * https://docs.joinmastodon.org/methods/statuses/#index: statuses that do not exist are left out. An empty list may be
 * that of software which does not know the parameter.
 */
export const readMetrics: ReadMetrics = async (posts, names, io) => {
  const instance = clientFor(io)
  const toReading = (status: unknown): PostReading =>
    status === undefined ? 'gone' : { counts: pickCounts(names, (name) => at(status, name)) }
  const statuses = await listStatuses(instance, posts, io)
  if (statuses && statuses.size > 0) return posts.map(({ id }) => toReading(statuses.get(id)))
  return readEach(posts, async ({ id }) => toReading(await readStatus(instance, id, io)))
}

/**
 * Undefined for software that reads one status at a time, as Mastodon before 4.3. Akkoma has `ids` in place of `id`
 * (lib/pleroma/web/mastodon_api/controllers/status_controller.ex).
 */
async function listStatuses(instance: Instance, posts: readonly MeasuredPost[], io: Io) {
  for (const parameter of ['id[]', 'ids[]']) {
    const query = new URLSearchParams(posts.map(({ id }): [string, string] => [parameter, id]))
    const read = () =>
      callInstance(instance, io, `${instance.origin}/api/v1/statuses?${query}`, { answer: list(object({ id: ID })) })
    const response = await orMissing(isUnknown, read)
    if (!response) continue
    const statuses = response.body as unknown[]
    return new Map(statuses.map((status) => [textAt(status, 'id'), status]))
  }
  return undefined
}

const isUnknown = (error: unknown) => isNoRoute(error) || (error instanceof Refused && error.refusal.status === 422)

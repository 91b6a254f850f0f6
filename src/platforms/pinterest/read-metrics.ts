import { type MeasuredPost, type PostReading, pickCounts, type ReadMetrics } from '../contract/metrics.ts'
import { object, optional } from '../wire/answer.ts'
import { at } from '../wire/json.ts'
import { orNotFound } from '../wire/not-found.ts'
import { readEach } from '../wire/read-each.ts'
import { readNames } from '../wire/read-names.ts'
import { type Client, clientFor } from './client.ts'

const DAY_MS = 86_400_000

/** A native number that no name of ours stands for. */
const OUTBOUND_CLICK = 'OUTBOUND_CLICK'

const ANALYTICS = object({
  all: object({ summary_metrics: optional(object()), lifetime_metrics: optional(object()) }),
})

export const readMetrics: ReadMetrics = async (posts, names, io) => {
  const client = clientFor(io)
  return readEach(posts, (post) => readPin(client, post, [...names, OUTBOUND_CLICK]))
}

/**
 * https://developers.pinterest.com/docs/api/v5/pins-analytics: of the last 90 days, which is longer than pins are read.
 * `lifetime_metrics` has comments and reactions, `summary_metrics` the sums of the days.
 */
async function readPin(client: Client, { id, ageMs }: MeasuredPost, names: readonly string[]): Promise<PostReading> {
  const now = Date.now()
  const dayOf = (time: number) => new Date(time).toISOString().slice(0, 10)
  const read = async (names: readonly string[]) => {
    const query = new URLSearchParams({
      start_date: dayOf(now - ageMs - DAY_MS),
      end_date: dayOf(now),
      metric_types: names.join(','),
    })
    const { body } = await client.call(`/pins/${id}/analytics?${query}`, { answer: ANALYTICS })
    const sums = at(body, 'all', 'summary_metrics')
    const totals = at(body, 'all', 'lifetime_metrics')
    return pickCounts(names, (name) => at(totals, name) ?? at(sums, name))
  }
  return (await orNotFound(() => readNames(names, read, ({ refusal }) => refusal.status === 400))) ?? 'gone'
}

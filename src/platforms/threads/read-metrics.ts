import type { Io } from '../contract/io.ts'
import type { MeasuredPost, PostReading } from '../contract/metrics.ts'
import { orGone, readInsights } from '../families/meta/insights.ts'
import { clientOf } from './client.ts'

/** https://developers.facebook.com/docs/threads/insights */
export async function readMetrics(
  posts: readonly MeasuredPost[],
  names: ReadonlySet<string>,
  io: Io,
): Promise<PostReading[]> {
  const api = clientOf(io)
  const readings: PostReading[] = []
  for (const { id } of posts) readings.push(await orGone(() => readInsights(api, id, [...names], io)))
  return readings
}

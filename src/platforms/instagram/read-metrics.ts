import type { Io } from '../contract/io.ts'
import { type MeasuredPost, type PostReading, pickCounts } from '../contract/metrics.ts'
import { get, type MetaApi } from '../families/meta/api.ts'
import { orGone, readInsights } from '../families/meta/insights.ts'
import { at } from '../wire/json.ts'
import { clientOf } from './client.ts'

/** The fields of the post itself: https://developers.facebook.com/docs/instagram-platform/reference/instagram-media */
const FIELDS = ['like_count', 'comments_count']

/** https://developers.facebook.com/docs/instagram-platform/reference/instagram-media/insights */
const STORY_MS = 86_400_000

export async function readMetrics(
  posts: readonly MeasuredPost[],
  names: ReadonlySet<string>,
  io: Io,
): Promise<PostReading[]> {
  const api = clientOf(io)
  const readings: PostReading[] = []
  for (const { id, postType, ageMs } of posts) {
    const isOver = postType === 'story' && ageMs >= STORY_MS
    readings.push(isOver ? 'too_old' : await orGone(() => readPost(api, id, [...names], io)))
  }
  return readings
}

async function readPost(api: MetaApi, id: string, names: readonly string[], io: Io): Promise<PostReading> {
  const fields = names.filter((name) => FIELDS.includes(name))
  const post = await get(api, io, id, { fields: ['id', ...fields].join(',') })
  const insights = names.filter((name) => !FIELDS.includes(name))
  const { counts, missing } = await readInsights(api, id, insights, io)
  return { counts: { ...pickCounts(fields, (name) => at(post, name)), ...counts }, missing }
}

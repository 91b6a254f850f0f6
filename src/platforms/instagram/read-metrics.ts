import type { Io } from '../contract/io.ts'
import { type PostReading, pickCounts, type ReadMetrics } from '../contract/metrics.ts'
import { unexpected } from '../contract/publish-error.ts'
import { get, isShown, type MetaApi } from '../families/meta/api.ts'
import { orGone, readInsights } from '../families/meta/insights.ts'
import { at, textAt } from '../wire/json.ts'
import { readEach } from '../wire/read-each.ts'
import { clientOf } from './client.ts'

/** The fields of the post itself: https://developers.facebook.com/docs/instagram-platform/reference/instagram-media */
const FIELDS = ['like_count', 'comments_count']

/** https://developers.facebook.com/docs/instagram-platform/reference/instagram-media/insights */
const STORY_MS = 86_400_000

export const readMetrics: ReadMetrics = async (posts, names, io) => {
  const api = clientOf(io)
  return readEach(posts, async ({ id, postType, ageMs }) => {
    const isOver = postType === 'story' && ageMs >= STORY_MS
    if (isOver) return 'too_old'
    return orGone(
      () => isShown(api, id, io),
      () => readPost(api, id, [...names], io),
    )
  })
}

async function readPost(api: MetaApi, id: string, names: readonly string[], io: Io): Promise<PostReading> {
  const fields = names.filter((name) => FIELDS.includes(name))
  const post = await get(api, io, id, { fields: ['id', ...fields].join(',') })
  if (textAt(post, 'id') === undefined) throw unexpected(api.host, false)
  const insights = names.filter((name) => !FIELDS.includes(name))
  const { counts, missing } = await readInsights(api, id, insights, io)
  return { counts: { ...pickCounts(fields, (name) => at(post, name)), ...counts }, missing }
}

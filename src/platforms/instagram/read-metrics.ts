import type { Io } from '../contract/io.ts'
import { type PostReading, pickCounts, type ReadMetrics } from '../contract/metrics.ts'
import { get, hasFewViewers, isShown, type MetaApi } from '../families/meta/api.ts'
import { orGone, readInsights } from '../families/meta/insights.ts'
import { ID, object } from '../wire/answer.ts'
import { Refused } from '../wire/call-network.ts'
import { at } from '../wire/json.ts'
import { readEach } from '../wire/read-each.ts'
import { clientOf } from './client.ts'

/** The fields of the post itself: https://developers.facebook.com/docs/instagram-platform/reference/instagram-media */
const FIELDS = ['like_count', 'comments_count']

/** https://developers.facebook.com/docs/instagram-platform/reference/instagram-media/insights */
const STORY_MS = 86_400_000
/** The same page: of posts and reels alone. */
const NOT_OF_STORIES = ['saved']

export const readMetrics: ReadMetrics = async (posts, names, io) => {
  const api = clientOf(io)
  return readEach(posts, async ({ id, postType, ageMs }) => {
    const isStory = postType === 'story'
    if (isStory && ageMs >= STORY_MS) return 'too_old'
    return orGone(
      () => isShown(api, id, io),
      () => readPost(api, id, isStory, [...names], io),
    )
  })
}

async function readPost(
  api: MetaApi,
  id: string,
  isStory: boolean,
  names: readonly string[],
  io: Io,
): Promise<PostReading> {
  const fields = names.filter((name) => FIELDS.includes(name))
  const post = await get(api, io, id, { fields: ['id', ...fields].join(',') }, object({ id: ID }))
  const insights = names.filter((name) => !FIELDS.includes(name))
  const isOffered = (name: string) => !(isStory && NOT_OF_STORIES.includes(name))
  const { counts, missing } = await readInsights(api, id, insights.filter(isOffered), io).catch(orFewViewers)
  return { counts: { ...pickCounts(fields, (name) => at(post, name)), ...counts }, missing }
}

function orFewViewers(error: unknown): Awaited<ReturnType<typeof readInsights>> {
  if (error instanceof Refused && hasFewViewers(error.refusal.body)) return { counts: {}, missing: {} }
  throw error
}

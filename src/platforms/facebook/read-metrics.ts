import type { MetricReason } from '../../../schemas/metric-names.ts'
import type { Io } from '../contract/io.ts'
import { type MeasuredPost, type PostReading, pickCounts, type ReadMetrics } from '../contract/metrics.ts'
import { INSIGHTS, isAboutName, orGone, pickInsights } from '../families/meta/insights.ts'
import { ID, object, optional } from '../wire/answer.ts'
import { at } from '../wire/json.ts'
import { readEach } from '../wire/read-each.ts'
import { readNames } from '../wire/read-names.ts'
import { callGraph, isShown, type Page, pageOf, readingPage } from './graph.ts'
import { postIdOf } from './video-status.ts'

/** Counts of https://developers.facebook.com/docs/graph-api/reference/page-post/, and where they are in a response. */
const FIELDS: Readonly<Record<string, { field: string; path: string[] }>> = {
  reactions: { field: 'reactions.limit(0).summary(total_count)', path: ['reactions', 'summary', 'total_count'] },
  comments: { field: 'comments.limit(0).summary(total_count)', path: ['comments', 'summary', 'total_count'] },
  shares: { field: 'shares', path: ['shares', 'count'] },
}

export const readMetrics: ReadMetrics = async (posts, names, io) => {
  const page = readingPage(pageOf(io))
  return readEach(posts, (post) =>
    orGone(
      () => isShown(page, post.id, io),
      () => readPost(page, post, [...names], io),
    ),
  )
}

/**
 * A video or a reel has an id of its own, and its numbers are those of the post that shows it. Undefined if Facebook
 * does not name that post yet: https://developers.facebook.com/docs/graph-api/reference/video/
 */
async function findPostId(page: Page, { id, ref, postType }: MeasuredPost, io: Io): Promise<string | undefined> {
  if (id.includes('_') || postType === 'story') return id
  return (
    ref ??
    postIdOf(
      page,
      await callGraph(page, io, id, { query: { fields: 'post_id' }, answer: object({ post_id: optional(ID) }) }),
    )
  )
}

async function readPost(page: Page, post: MeasuredPost, names: readonly string[], io: Io): Promise<PostReading> {
  const id = await findPostId(page, post, io)
  if (id === undefined) return { counts: {} }
  // A story or a video may lack a number that posts have.
  const refused: MetricReason = id === post.id && post.postType !== 'story' ? 'retired' : 'not_offered'
  const isField = (name: string) => Object.hasOwn(FIELDS, name)
  const readFields = async (names: readonly string[]) => {
    const query = { fields: names.map((name) => FIELDS[name]!.field).join(',') }
    const body = await callGraph(page, io, id, { query, answer: object({ id: ID }) })
    return pickCounts(names, (name) => at(body, ...FIELDS[name]!.path))
  }
  // https://developers.facebook.com/docs/graph-api/reference/insights/
  const readInsights = async (names: readonly string[]) =>
    pickInsights(
      names,
      await callGraph(page, io, `${id}/insights`, { query: { metric: names.join(',') }, answer: INSIGHTS }),
    )
  const fields = await readNames(names.filter(isField), readFields, isAboutName, refused)
  const insights = await readNames(
    names.filter((name) => !isField(name)),
    readInsights,
    isAboutName,
    refused,
  )
  return { counts: { ...fields.counts, ...insights.counts }, missing: { ...fields.missing, ...insights.missing } }
}

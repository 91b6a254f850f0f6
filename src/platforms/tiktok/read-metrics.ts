import type { MetricReason } from '../../../schemas/metric-names.ts'
import { pickCounts, type ReadMetrics } from '../contract/metrics.ts'
import { ID, list, object } from '../wire/answer.ts'
import type { Refused } from '../wire/call-network.ts'
import { at, textAt } from '../wire/json.ts'
import { readNames } from '../wire/read-names.ts'
import { call, clientFor } from './client.ts'
import { codeOf } from './errors.ts'

/**
 * https://developers.tiktok.com/doc/tiktok-api-v2-video-query: posts that are not public, or do not exist, are left
 * out. Nothing tells which.
 */
export const readMetrics: ReadMetrics = async (posts, names, io) => {
  const found = new Map<string, Record<string, number>>()
  const read = async (names: readonly string[]) => {
    const fields = new URLSearchParams({ fields: ['id', ...names].join(',') })
    const body = { filters: { video_ids: posts.map(({ id }) => id) } }
    const data = object({ videos: list(object({ id: ID })) })
    const videos = at(await call(clientFor(io), io, `/v2/video/query/?${fields}`, { body, data }), 'videos')
    for (const video of videos as unknown[]) {
      const id = textAt(video, 'id')!
      found.set(id, { ...found.get(id), ...pickCounts(names, (name) => at(video, name)) })
    }
    return {}
  }
  const { missing } = await readNames([...names], read, isAboutName)
  const notPublic = Object.fromEntries([...names].map((name): [string, MetricReason] => [name, 'not_public']))
  return posts.map(({ id }) => {
    const counts = found.get(id)
    return counts ? { counts, missing } : { counts: {}, missing: { ...notPublic, ...missing } }
  })
}

/** https://developers.tiktok.com/doc/tiktok-api-v2-error-handling */
const isAboutName = ({ refusal }: Refused) => codeOf(refusal.body) === 'invalid_params'

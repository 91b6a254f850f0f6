import type { MetricReason } from '../../../schemas/metric-names.ts'
import { pickCounts, type ReadMetrics } from '../contract/metrics.ts'
import { unexpected } from '../contract/publish-error.ts'
import { at, textAt } from '../wire/json.ts'
import { call, clientFor, HOST } from './client.ts'

/**
 * https://developers.tiktok.com/doc/tiktok-api-v2-video-query: posts that are not public, or do not exist, are left
 * out. Nothing tells which.
 */
export const readMetrics: ReadMetrics = async (posts, names, io) => {
  const fields = new URLSearchParams({ fields: ['id', ...names].join(',') })
  const body = { filters: { video_ids: posts.map(({ id }) => id) } }
  const videos = at(await call(clientFor(io), io, `/v2/video/query/?${fields}`, { body }), 'videos')
  if (!Array.isArray(videos)) throw unexpected(HOST, false)
  const found = new Map(videos.map((video) => [textAt(video, 'id'), video]))
  return posts.map(({ id }) => {
    const video = found.get(id)
    if (video !== undefined) return { counts: pickCounts(names, (name) => at(video, name)) }
    const missing = Object.fromEntries([...names].map((name): [string, MetricReason] => [name, 'not_public']))
    return { counts: {}, missing }
  })
}

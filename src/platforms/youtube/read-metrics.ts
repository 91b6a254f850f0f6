import { pickCounts, type ReadMetrics } from '../contract/metrics.ts'
import { object, TEXT } from '../wire/answer.ts'
import { at, textAt } from '../wire/json.ts'
import { call, clientFor, itemsOf, listOf } from './client.ts'

const VIDEOS = listOf({ id: TEXT, statistics: object() })

/** https://developers.google.com/youtube/v3/docs/videos/list: videos that do not exist are left out. */
export const readMetrics: ReadMetrics = async (posts, names, io) => {
  const query = { part: 'statistics', id: posts.map(({ id }) => id).join(',') }
  const { body } = await call(clientFor(io), io, 'videos', { query, answer: VIDEOS })
  const videos = new Map(itemsOf(body).map((video) => [textAt(video, 'id'), video]))
  return posts.map(({ id }) => {
    const video = videos.get(id)
    return video === undefined ? 'gone' : { counts: pickCounts(names, (name) => at(video, 'statistics', name)) }
  })
}

import type { ReadMetrics } from '../contract/metrics.ts'
import { isShown } from '../families/meta/api.ts'
import { orGone, readInsights } from '../families/meta/insights.ts'
import { readEach } from '../wire/read-each.ts'
import { clientOf } from './client.ts'

/** https://developers.facebook.com/docs/threads/insights */
export const readMetrics: ReadMetrics = async (posts, names, io) => {
  const api = clientOf(io)
  return readEach(posts, async ({ id }) => {
    const isThere = () => isShown(api, id, io)
    if (names.size > 0) return orGone(isThere, () => readInsights(api, id, [...names], io))
    return (await isThere()) ? 'shown' : 'gone'
  })
}

import type { PlatformId } from '../../../schemas/platform.ts'
import type { PlatformMetrics } from '../../../schemas/platform-detail.ts'
import { NETWORKS } from '../../platforms/networks.ts'
import { tellsGone } from '../../platforms/offered-metrics.ts'

/** The numbers that a network tells about published posts. */
export function describeMetrics(id: PlatformId): PlatformMetrics {
  const { metrics } = NETWORKS[id]
  const { offered, postsPerCall, price, noHistory, note, source } = metrics
  return {
    offered: [...offered],
    postsPerCall,
    ...(price && { usdMicrosPerPostAndDay: price.usdMicros }),
    tellsGone: tellsGone(metrics),
    keepsHistory: offered.length > 0 && (!noHistory || noHistory.accounts !== undefined),
    ...(note !== undefined && { note }),
    ...(source && { source }),
  }
}

import type { PlatformId } from '../../schemas/platform.ts'
import type { PlatformMetrics } from '../../schemas/platform-detail.ts'
import { NETWORKS } from '../platforms/networks.ts'

/** The numbers that a network tells about published posts. */
export function describeMetrics(id: PlatformId): PlatformMetrics {
  const { offered, postsPerCall, price, hidesGone = false, noHistory, note, source } = NETWORKS[id].metrics
  return {
    offered: [...offered],
    postsPerCall,
    ...(price && { usdMicrosPerPostAndDay: price.usdMicros }),
    tellsGone: offered.length > 0 && !hidesGone,
    keepsHistory: offered.length > 0 && (!noHistory || noHistory.accounts !== undefined),
    ...(note !== undefined && { note }),
    ...(source && { source }),
  }
}

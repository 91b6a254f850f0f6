import { collectDefaultMetrics } from 'prom-client'
import type { Db } from '../../db/client.ts'
import { createMetrics, type Metrics } from './metrics.ts'
import type { PoolName } from './pools.ts'

/** Several scrapers, or scrapes in quick succession, make the database count once in this time. */
const FRESH_MS = 10_000

/** The metrics of this process, with those of Node.js: https://github.com/siimon/prom-client#default-metrics */
export function createProcessMetrics(db: Db, pool: PoolName): Metrics {
  const metrics = createMetrics({ db, pool, freshMs: FRESH_MS })
  collectDefaultMetrics({ register: metrics.registry })
  return metrics
}

import { setTimeout as pause } from 'node:timers/promises'
import { collectDefaultMetrics } from 'prom-client'
import type { Db } from '../../../db/client.ts'
import { createMetrics, type Metrics } from './metrics.ts'
import type { PoolName } from './pools.ts'

/** Several scrapers, or scrapes in quick succession, make the database count once in this time. */
const FRESH_MS = 10_000
/** The lag of the event loop is sampled every 10 ms, and without a sample it would be infinite. */
const FIRST_SAMPLE_MS = 25

/**
 * The metrics of this process, from the first scrape on with those of Node.js:
 * https://github.com/siimon/prom-client#default-metrics. Sampling the event loop takes 0.4 % of a core, which an idle
 * process without a scraper is spared.
 */
export function createProcessMetrics(db: Db, pool: PoolName): Metrics {
  const metrics = createMetrics({ db, pool, freshMs: FRESH_MS })
  let sampled: Promise<void> | undefined
  function sample(): Promise<void> {
    collectDefaultMetrics({ register: metrics.registry })
    return pause(FIRST_SAMPLE_MS)
  }
  return {
    ...metrics,
    async render() {
      sampled ??= sample()
      await sampled
      return metrics.render()
    },
  }
}

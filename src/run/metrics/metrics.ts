import { Gauge, Registry } from 'prom-client'
import type { Db } from '../../../db/client.ts'
import { shareRun } from '../../base/share-run.ts'
import { VERSION } from '../../base/version.ts'
import { createDatabaseMetrics } from './database.ts'
import { createInstruments, type Instruments } from './instruments.ts'
import { createPoolMetrics, type PoolName } from './pools.ts'

/** The metrics of one process. */
export interface Metrics extends Instruments {
  registry: Registry
  /** Adds the connections of another database client of this process. */
  addPool(name: PoolName, db: Db): void
  /**
   * All metrics in the text format of Prometheus. What is stored is counted again if it was counted over `freshMs` ago.
   * Concurrent callers share one text, which takes 10 times the CPU time of a small request.
   */
  render(): Promise<string>
}

interface Options {
  db: Db
  pool: PoolName
  freshMs: number
}

/** Creates the metrics of a process on the database `db`. */
export function createMetrics({ db, pool, freshMs }: Options): Metrics {
  const registry = new Registry()
  const instruments = createInstruments(registry)
  const database = createDatabaseMetrics(registry, db, freshMs)
  const pools = createPoolMetrics(registry)
  pools.add(pool, db)
  new Gauge({
    name: 'postroom_info',
    help: 'Always 1. The label is the version of this process.',
    labelNames: ['version'],
    registers: [registry],
  }).set({ version: VERSION }, 1)
  return {
    ...instruments,
    registry,
    addPool: pools.add,
    render: shareRun(async () => {
      await database.refresh()
      return registry.metrics()
    }),
  }
}

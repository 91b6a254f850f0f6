import { Counter, Gauge, type Registry } from 'prom-client'
import { type Db, type PoolState, readPool } from '../../../db/client.ts'

/** The purpose of the connections of a pool. */
export type PoolName = 'api' | 'worker' | 'webhooks'

/** Metrics of the connections to the database. They are read from the pools at each scrape. */
export function createPoolMetrics(registry: Registry): { add(name: PoolName, db: Db): void } {
  const pools = new Map<PoolName, Db>()
  const gauge = (name: string, help: string, read: (pool: PoolState) => number) =>
    new Gauge({
      name,
      help,
      labelNames: ['pool'],
      registers: [registry],
      collect() {
        for (const [pool, db] of pools) this.set({ pool }, read(readPool(db)))
      },
    })
  gauge('postroom_pool_connections_max', 'Connections to the database that the pool may open.', ({ max }) => max)
  gauge('postroom_pool_in_use', 'Connections to the database that run a statement.', ({ inUse }) => inUse)
  gauge('postroom_pool_idle', 'Connections to the database that are open and free.', ({ idle }) => idle)
  gauge('postroom_pool_waiting', 'Requests that wait for a free connection.', ({ waiting }) => waiting)
  new Counter({
    name: 'postroom_pool_refused_total',
    help: 'Requests for a connection that got none in time: all were in use, or the database was away.',
    labelNames: ['pool'],
    registers: [registry],
    collect() {
      this.reset()
      for (const [pool, db] of pools) this.inc({ pool }, readPool(db).refused)
    },
  })
  return { add: (name, db) => pools.set(name, db) }
}

import { postgresPids } from '../helpers/processes.ts'
import type { Person } from './data.ts'
import { type Load, percentile, runLoad } from './load.ts'
import { cpuSeconds, type Running } from './processes.ts'
import type { Workload } from './workloads.ts'

const CONNECTIONS = 32
const WARM_UP_MS = 1_000

export interface Contest {
  service: Running
  limit: Running
  people: Person[]
  /** Where Postgres keeps its data. */
  dataDir: string
}

export interface Figures {
  perSecond: number
  p50Ms: number
  p99Ms: number
  /** Processor time for each request, in microseconds. */
  serverUs: number
  postgresUs: number
}

export interface Result {
  service: Figures
  limit: Figures
  /** Service to limit: medians of the rounds' ratios. */
  throughputRatio: number
  p99Ratio: number
}

/** Lets both work by turns, and so changes of the machine's mood fall on both. */
export async function compare(
  { service, limit, people, dataDir }: Contest,
  workload: Workload,
  { rounds, ms }: { rounds: number; ms: number },
): Promise<Result> {
  const measure = async ({ port, pid }: Running, duration: number): Promise<Figures> => {
    const next = Array.from({ length: CONNECTIONS }, (_, number) => workload(people[number % people.length]!))
    const before = cpuOf(pid)
    const load = await runLoad(port, CONNECTIONS, (number) => next[number]!(), { ms: duration })
    const after = cpuOf(pid)
    return figuresOf(load, after.server - before.server, after.postgres - before.postgres)
  }
  const cpuOf = (pid: number) => ({
    server: cpuSeconds([pid]) ?? Number.NaN,
    postgres: cpuSeconds(postgresPids(dataDir)) ?? Number.NaN,
  })
  const turns: { service: Figures; limit: Figures }[] = []
  await measure(service, WARM_UP_MS)
  await measure(limit, WARM_UP_MS)
  for (let round = 0; round < rounds; round++) {
    // Whoever comes second finds more rows: that, too, by turns.
    if (round % 2 === 0) turns.push({ service: await measure(service, ms), limit: await measure(limit, ms) })
    else {
      const first = await measure(limit, ms)
      turns.push({ limit: first, service: await measure(service, ms) })
    }
  }
  return {
    service: medians(turns.map(({ service }) => service)),
    limit: medians(turns.map(({ limit }) => limit)),
    throughputRatio: median(turns.map(({ service, limit }) => service.perSecond / limit.perSecond)),
    p99Ratio: median(turns.map(({ service, limit }) => service.p99Ms / limit.p99Ms)),
  }
}

const figuresOf = (load: Load, server: number, postgres: number): Figures => ({
  perSecond: load.requests / load.seconds,
  p50Ms: percentile(load, 0.5),
  p99Ms: percentile(load, 0.99),
  serverUs: (server / load.requests) * 1e6,
  postgresUs: (postgres / load.requests) * 1e6,
})

export function median(values: number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  const middle = sorted.length >> 1
  return sorted.length % 2 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2
}

const medians = (all: Figures[]): Figures => ({
  perSecond: median(all.map(({ perSecond }) => perSecond)),
  p50Ms: median(all.map(({ p50Ms }) => p50Ms)),
  p99Ms: median(all.map(({ p99Ms }) => p99Ms)),
  serverUs: median(all.map(({ serverUs }) => serverUs)),
  postgresUs: median(all.map(({ postgresUs }) => postgresUs)),
})

/** For a table: the ratios first, for they are what holds on other machines. */
export const rowOf = (name: string, { service, limit, throughputRatio, p99Ratio }: Result) => ({
  work: name,
  'of the limit': Number(throughputRatio.toFixed(2)),
  'p99 ratio': Number(p99Ratio.toFixed(2)),
  'requests/s': Math.round(service.perSecond),
  'limit: requests/s': Math.round(limit.perSecond),
  'p50 ms': Number(service.p50Ms.toFixed(1)),
  'p99 ms': Number(service.p99Ms.toFixed(1)),
  'server µs': Math.round(service.serverUs),
  'limit: server µs': Math.round(limit.serverUs),
  'Postgres µs': Math.round(service.postgresUs),
  'limit: Postgres µs': Math.round(limit.postgresUs),
})

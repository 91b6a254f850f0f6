import { postgresPids } from '../helpers/processes.ts'
import type { Person } from './data.ts'
import { type Load, percentile, runLoad } from './load.ts'
import { cpuSeconds, type Running } from './processes.ts'
import type { Workload } from './workloads.ts'

const CONNECTIONS = 32
const WARM_UP_MS = 1_000

export interface Comparison {
  service: Running
  baseline: Running
  people: Person[]
  /** Data directory of Postgres. */
  dataDir: string
}

interface Figures {
  perSecond: number
  p50Ms: number
  p99Ms: number
  /** CPU time of one request, in microseconds. */
  serverUs: number
  postgresUs: number
}

interface Result {
  service: Figures
  baseline: Figures
  /** Service divided by baseline: the medians of all rounds. */
  throughputRatio: number
  p99Ratio: number
}

/** Measures the service and the baseline in turns, so that other load on the machine affects both. */
export function compare(
  { service, baseline, people, dataDir }: Comparison,
  workload: Workload,
  rounds: Rounds,
): Promise<Result> {
  const measure = (running: Running) => (ms: number) => measureLoad(running, { people, dataDir }, workload, ms)
  return takeTurns(measure(service), measure(baseline), rounds)
}

/** Measures two workloads of the service in turns. The second one takes the place of the baseline in the result. */
export function compareWorkloads(
  { service, people, dataDir }: Comparison,
  [workload, other]: readonly [Workload, Workload],
  rounds: Rounds,
): Promise<Result> {
  const measure = (workload: Workload) => (ms: number) => measureLoad(service, { people, dataDir }, workload, ms)
  return takeTurns(measure(workload), measure(other), rounds)
}

interface Rounds {
  rounds: number
  ms: number
}

async function measureLoad(
  { port, pid }: Running,
  { people, dataDir }: Pick<Comparison, 'people' | 'dataDir'>,
  workload: Workload,
  ms: number,
): Promise<Figures> {
  const readCpu = () => ({
    server: cpuSeconds([pid]) ?? Number.NaN,
    postgres: cpuSeconds(postgresPids(dataDir)) ?? Number.NaN,
  })
  const next = Array.from({ length: CONNECTIONS }, (_, number) => workload(people[number % people.length]!))
  const before = readCpu()
  const load = await runLoad(port, CONNECTIONS, (number) => next[number]!(), { ms })
  const after = readCpu()
  return figuresOf(load, after.server - before.server, after.postgres - before.postgres)
}

type Measure = (ms: number) => Promise<Figures>

async function takeTurns(first: Measure, second: Measure, { rounds, ms }: Rounds): Promise<Result> {
  const turns: { service: Figures; baseline: Figures }[] = []
  await first(WARM_UP_MS)
  await second(WARM_UP_MS)
  for (let round = 0; round < rounds; round++) {
    // The second of a round finds more rows, so the order alternates.
    if (round % 2 === 0) turns.push({ service: await first(ms), baseline: await second(ms) })
    else {
      const baseline = await second(ms)
      turns.push({ baseline, service: await first(ms) })
    }
  }
  return {
    service: medians(turns.map(({ service }) => service)),
    baseline: medians(turns.map(({ baseline }) => baseline)),
    throughputRatio: median(turns.map(({ service, baseline }) => service.perSecond / baseline.perSecond)),
    p99Ratio: median(turns.map(({ service, baseline }) => service.p99Ms / baseline.p99Ms)),
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

/** A row of the printed table. Ratios come first: they also hold on other machines. */
export const rowOf = (name: string, { service, baseline, throughputRatio, p99Ratio }: Result) => ({
  workload: name,
  'ratio to baseline': Number(throughputRatio.toFixed(2)),
  'p99 ratio': Number(p99Ratio.toFixed(2)),
  'requests/s': Math.round(service.perSecond),
  'baseline: requests/s': Math.round(baseline.perSecond),
  'p50 ms': Number(service.p50Ms.toFixed(1)),
  'p99 ms': Number(service.p99Ms.toFixed(1)),
  'server µs': Math.round(service.serverUs),
  'baseline: server µs': Math.round(baseline.serverUs),
  'Postgres µs': Math.round(service.postgresUs),
  'baseline: Postgres µs': Math.round(baseline.postgresUs),
})

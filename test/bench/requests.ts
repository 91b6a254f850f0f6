import { report } from '../helpers/report.ts'
import { withComparison } from './comparison.ts'
import { createPeople, loadPosts, vacuumDatabase } from './data.ts'
import { type Comparison, compare, compareWorkloads, rowOf } from './rounds.ts'
import { WORKLOADS } from './workloads.ts'

const PEOPLE = 32
const POSTS_PER_PERSON = 2_000

/**
 * Compares the service with the baseline on one database, in turns: `node test/bench/requests.ts [ROUNDS] [SECONDS]`.
 */
const [rounds = 9, seconds = 3] = process.argv.slice(2).map(Number)

await withComparison(async (databaseUrl, start) => {
  const people = await createPeople(databaseUrl, PEOPLE)
  for (const person of people) await loadPosts(databaseUrl, person, POSTS_PER_PERSON)
  const comparison = await start(people)
  const rows = []
  for (const [name, workload] of Object.entries(WORKLOADS)) {
    // Otherwise autovacuum would do this work during the next measurement.
    await vacuumDatabase(databaseUrl)
    rows.push(rowOf(name, await compare(comparison, workload, { rounds, ms: seconds * 1000 })))
  }
  report('requests', rows, { rounds, seconds })
  report('keys', await compareKeys(databaseUrl, comparison), { rounds, seconds })
})

/** Compares creates with a key with the same creates without, for each kind of post. */
async function compareKeys(databaseUrl: string, comparison: Comparison) {
  const kinds = {
    plain: {},
    'with a file': { hasFile: true },
    'with an account that is not ready': { isUnready: true },
  }
  const rows = []
  for (const [post, kind] of Object.entries(kinds)) {
    const people = await createPeople(databaseUrl, PEOPLE, kind)
    await vacuumDatabase(databaseUrl)
    const workloads = [WORKLOADS['create with a key'], WORKLOADS.create] as const
    const { service, baseline, throughputRatio } = await compareWorkloads({ ...comparison, people }, workloads, {
      rounds,
      ms: seconds * 1000,
    })
    rows.push({
      post,
      'ratio to the same without a key': Number(throughputRatio.toFixed(2)),
      'requests/s': Math.round(service.perSecond),
      'server µs': Math.round(service.serverUs),
      'without a key: server µs': Math.round(baseline.serverUs),
      'Postgres µs': Math.round(service.postgresUs),
      'without a key: Postgres µs': Math.round(baseline.postgresUs),
    })
  }
  return rows
}

import { report } from '../helpers/report.ts'
import { withComparison } from './comparison.ts'
import { createPeople, loadPosts, vacuumDatabase } from './data.ts'
import { compare, rowOf } from './rounds.ts'
import { WORKLOADS } from './workloads.ts'

const PEOPLE = 32
const POSTS_PER_PERSON = 2_000

/** Compares the service with the baseline on one database, in turns: `node test/bench/requests.ts [ROUNDS] [SECONDS]`. */
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
})

import { report } from '../helpers/report.ts'
import { withContest } from './comparison.ts'
import { createPeople, loadPosts, settle } from './data.ts'
import { type Contest, compare, rowOf } from './rounds.ts'
import { WORKLOADS } from './workloads.ts'

const PEOPLE = 32
const POSTS_EACH = 2_000

/** The service beside the yardstick, on one database, by turns: `node test/bench/requests.ts [ROUNDS] [SECONDS]`. */
const [rounds = 9, seconds = 3] = process.argv.slice(2).map(Number)

await withContest(async (databaseUrl, start) => {
  const people = await createPeople(databaseUrl, PEOPLE)
  for (const person of people) await loadPosts(databaseUrl, person, POSTS_EACH)
  const contest: Contest = await start(people)
  const rows = []
  for (const [name, workload] of Object.entries(WORKLOADS)) {
    // What one leaves to autovacuum would fall on the next.
    await settle(databaseUrl)
    rows.push(rowOf(name, await compare(contest, workload, { rounds, ms: seconds * 1000 })))
  }
  report('requests', rows, { rounds, seconds })
})

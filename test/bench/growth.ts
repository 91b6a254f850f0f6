import pg from 'pg'
import { report } from '../helpers/report.ts'
import { withContest } from './comparison.ts'
import { createPeople, idAt, loadPosts, settle } from './data.ts'
import { compare, median, rowOf } from './rounds.ts'
import { listAfter, listAt, WORKLOADS } from './workloads.ts'

/**
 * The same work where one user has ten thousand posts, and ten, a hundred and a thousand times as many:
 * `node test/bench/growth.ts [POSTS…]`.
 */
const [...given] = process.argv.slice(2).map(Number)
const SIZES = given.length > 0 ? given : [1e4, 1e5, 1e6, 1e7]
const DEPTHS = [1e3, 1e5]
const ROUNDS = { rounds: 3, ms: 2_000 }

/** How long Postgres takes to count so many entries of the primary key, in milliseconds: what an offset cannot go below. */
async function measureSkip(databaseUrl: string, userId: string, offset: number): Promise<number> {
  const client = new pg.Client(databaseUrl)
  await client.connect()
  const skip = { name: 'skip', text: 'select id from posts where user_id = $1 order by id desc offset $2 limit 1' }
  const times: number[] = []
  while (times.length < 21) {
    const begun = performance.now()
    await client.query({ ...skip, values: [userId, offset] })
    times.push(performance.now() - begun)
  }
  await client.end()
  return median(times)
}

await withContest(async (databaseUrl, start) => {
  const people = await createPeople(databaseUrl, 1)
  const [ada] = people as [(typeof people)[0]]
  const contest = await start(people)
  const rows: Record<string, string | number>[] = []
  let loaded = 0
  for (const size of SIZES) {
    await loadPosts(databaseUrl, ada, size, loaded)
    await settle(databaseUrl)
    loaded = size
    const depths = DEPTHS.filter((depth) => depth < size)
    const works = {
      ...WORKLOADS,
      ...Object.fromEntries(depths.map((depth) => [`list 25 at offset ${depth}`, listAt(depth)])),
      ...Object.fromEntries(depths.map((depth) => [`list 25 by cursor ${depth} down`, listAfter(idAt(depth - 1))])),
    }
    for (const [name, workload] of Object.entries(works)) {
      const offset = /offset (\d+)/.exec(name)?.[1]
      const skipMs = offset ? await measureSkip(databaseUrl, ada.userId, Number(offset)) : undefined
      const row = rowOf(name, await compare(contest, workload, ROUNDS))
      rows.push({ posts: size, ...row, ...(skipMs && { 'skip alone ms': Number(skipMs.toFixed(2)) }) })
    }
  }
  report('growth', rows, ROUNDS)
})

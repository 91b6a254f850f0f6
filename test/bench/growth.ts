import { parseArgs } from 'node:util'
import pg from 'pg'
import { report } from '../helpers/report.ts'
import { withComparison } from './comparison.ts'
import { createPeople, idAt, loadPosts, vacuumDatabase } from './data.ts'
import { compare, compareWorkloads, median, rowOf } from './rounds.ts'
import { COUNTS, FINDS, listAfter, listAt, WORKLOADS } from './workloads.ts'

/**
 * Repeats the comparison while one user's posts grow from 10,000 to 10,000,000, and compares each way to find posts with the
 * plain page: `node test/bench/growth.ts [--only-finds] [POSTS…]`.
 */
const { values, positionals } = parseArgs({ allowPositionals: true, options: { 'only-finds': { type: 'boolean' } } })
const given = positionals.map(Number)
const SIZES = given.length > 0 ? given : [1e4, 1e5, 1e6, 1e7]
const DEPTHS = [1e3, 1e5]
const ROUNDS = { rounds: 3, ms: 2_000 }
const FIND_ROUNDS = { rounds: 3, ms: 1_000 }

/** Milliseconds that Postgres needs to skip `offset` entries of the primary key: the lower bound of a page at that offset. */
async function measureSkip(databaseUrl: string, userId: string, offset: number): Promise<number> {
  const client = new pg.Client(databaseUrl)
  await client.connect()
  const skip = { name: 'skip', text: 'select id from posts where user_id = $1 order by id desc offset $2 limit 1' }
  const times: number[] = []
  for (let run = 0; run < 21; run++) {
    const begun = performance.now()
    await client.query({ ...skip, values: [userId, offset] })
    times.push(performance.now() - begun)
  }
  await client.end()
  return median(times)
}

await withComparison(async (databaseUrl, start) => {
  const people = await createPeople(databaseUrl, 1)
  const [ada] = people as [(typeof people)[0]]
  const comparison = await start(people)
  const rows: Record<string, string | number>[] = []
  const finds: Record<string, string | number>[] = []
  let loaded = 0
  for (const size of SIZES) {
    await loadPosts(databaseUrl, ada, size, loaded)
    await vacuumDatabase(databaseUrl)
    loaded = size
    const depths = DEPTHS.filter((depth) => depth < size)
    const workloads = {
      ...WORKLOADS,
      ...Object.fromEntries(depths.map((depth) => [`list 25 at offset ${depth}`, listAt(depth)])),
      ...Object.fromEntries(depths.map((depth) => [`list 25 by cursor after ${depth}`, listAfter(idAt(depth - 1))])),
    }
    for (const [name, workload] of values['only-finds'] ? [] : Object.entries(workloads)) {
      const offset = /offset (\d+)/.exec(name)?.[1]
      const skipMs = offset ? await measureSkip(databaseUrl, ada.userId, Number(offset)) : undefined
      const row = rowOf(name, await compare(comparison, workload, ROUNDS))
      rows.push({ posts: size, ...row, ...(skipMs && { 'skip alone ms': Number(skipMs.toFixed(2)) }) })
    }
    const isEnd = size === SIZES[0] || size === SIZES.at(-1)
    for (const [name, workload] of isEnd ? Object.entries({ ...FINDS, ...COUNTS }) : []) {
      const { service, baseline, throughputRatio } = await compareWorkloads(
        comparison,
        [workload, WORKLOADS['list 25']],
        FIND_ROUNDS,
      )
      finds.push({
        posts: size,
        find: name,
        'time, in plain pages': Number((1 / throughputRatio).toFixed(2)),
        'p50 ms': Number(service.p50Ms.toFixed(1)),
        'plain page: p50 ms': Number(baseline.p50Ms.toFixed(1)),
        'server µs': Math.round(service.serverUs),
        'Postgres µs': Math.round(service.postgresUs),
      })
    }
  }
  if (!values['only-finds']) report('growth', rows, ROUNDS)
  report('finds', finds, FIND_ROUNDS)
})

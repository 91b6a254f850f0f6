import { parseArgs } from 'node:util'
import pg from 'pg'
import { report } from '../helpers/report.ts'
import { withComparison } from './comparison.ts'
import { createMembers, createOrganization, idAt, loadPosts, vacuumDatabase } from './data.ts'
import { type Comparison, compare, compareWorkloads, median, rowOf } from './rounds.ts'
import {
  COUNTS,
  DELIVERY_FINDS,
  FINDS,
  listAfter,
  listAt,
  ORGANIZATION_DELIVERY_FINDS,
  ORGANIZATION_FINDS,
  WORKLOADS,
  type Workload,
} from './workloads.ts'

/**
 * Repeats the comparison while one user's posts grow from 10,000 to 10,000,000. It compares each way to find posts and
 * deliveries with the plain page of the same list: `node test/bench/growth.ts [--only-finds | --only-organization]
 * [POSTS…]`.
 */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { 'only-finds': { type: 'boolean' }, 'only-organization': { type: 'boolean' } },
})
const hasGrowth = !values['only-finds'] && !values['only-organization']
const given = positionals.map(Number)
const SIZES = given.length > 0 ? given : [1e4, 1e5, 1e6, 1e7]
const DEPTHS = [1e3, 1e5]
const ROUNDS = { rounds: 3, ms: 2_000 }
const FIND_ROUNDS = { rounds: 3, ms: 1_000 }

/**
 * Milliseconds that Postgres needs to skip `offset` entries of the primary key: the lower bound of a page at that
 * offset.
 */
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

/** The members that the organisation of the user gets, with 1,000 posts each. */
const MEMBERS = [10, 100]
const POSTS_OF_MEMBER = 1_000

type Row = Record<string, string | number>

async function compareFinds(
  comparison: Comparison,
  plain: Workload,
  finds: Record<string, Workload>,
  facts: Row,
): Promise<Row[]> {
  const rows: Row[] = []
  for (const [name, workload] of Object.entries(finds)) {
    const { service, baseline, throughputRatio } = await compareWorkloads(comparison, [workload, plain], FIND_ROUNDS)
    rows.push({
      ...facts,
      find: name,
      'time, in plain pages': Number((1 / throughputRatio).toFixed(2)),
      'p50 ms': Number(service.p50Ms.toFixed(1)),
      'plain page: p50 ms': Number(baseline.p50Ms.toFixed(1)),
      'server µs': Math.round(service.serverUs),
      'Postgres µs': Math.round(service.postgresUs),
    })
  }
  return rows
}

await withComparison(async (databaseUrl, start) => {
  const organizationId = await createOrganization(databaseUrl)
  const people = await createMembers(databaseUrl, organizationId, 1)
  const [ada] = people as [(typeof people)[0]]
  const comparison = await start(people)
  const compareAll = async (posts: Record<string, Workload>, deliveries: Record<string, Workload>, facts: Row) => [
    ...(await compareFinds(comparison, WORKLOADS['list 25'], posts, facts)),
    ...(await compareFinds(comparison, FINDS.deliveries!, deliveries, facts)),
  ]
  const rows: Row[] = []
  const finds: Row[] = []
  let loaded = 0
  let members = 1
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
    for (const [name, workload] of hasGrowth ? Object.entries(workloads) : []) {
      const offset = /offset (\d+)/.exec(name)?.[1]
      const skipMs = offset ? await measureSkip(databaseUrl, ada.userId, Number(offset)) : undefined
      const row = rowOf(name, await compare(comparison, workload, ROUNDS))
      rows.push({ posts: size, ...row, ...(skipMs && { 'skip alone ms': Number(skipMs.toFixed(2)) }) })
    }
    if (size !== SIZES[0] && size !== SIZES.at(-1)) continue
    if (!values['only-organization']) {
      finds.push(...(await compareAll({ ...FINDS, ...COUNTS }, DELIVERY_FINDS, { posts: size, members })))
    }
    for (const count of MEMBERS) {
      for (const member of await createMembers(databaseUrl, organizationId, Math.max(count - members, 0))) {
        await loadPosts(databaseUrl, member, POSTS_OF_MEMBER)
        members += 1
      }
      if (members > count) continue
      await vacuumDatabase(databaseUrl)
      finds.push(...(await compareAll(ORGANIZATION_FINDS, ORGANIZATION_DELIVERY_FINDS, { posts: size, members })))
    }
  }
  if (hasGrowth) report('growth', rows, ROUNDS)
  report('finds', finds, FIND_ROUNDS)
})

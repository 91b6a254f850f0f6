import { report } from '../helpers/report.ts'
import { withComparison } from './comparison.ts'
import { createPeople } from './data.ts'
import { startBaseline } from './processes.ts'
import { compare, rowOf } from './rounds.ts'
import { WORKLOADS } from './workloads.ts'

/**
 * Measures Fastify's share of the time for a list of accounts: compares the baseline behind Fastify with the baseline
 * and with the service. `node test/bench/framework.ts [ROUNDS] [SECONDS]`.
 */
const [rounds = 7, seconds = 2] = process.argv.slice(2).map(Number)

await withComparison(async (databaseUrl, start) => {
  const comparison = await start(await createPeople(databaseUrl, 32))
  const { service, baseline } = comparison
  const fastify = await startBaseline(databaseUrl, '--fastify')
  const pairs = {
    'baseline behind Fastify, to baseline': { service: fastify, baseline },
    'service, to baseline': { service, baseline },
    'service, to baseline behind Fastify': { service, baseline: fastify },
  }
  const rows = []
  for (const [name, pair] of Object.entries(pairs)) {
    const result = await compare({ ...comparison, ...pair }, WORKLOADS.accounts, { rounds, ms: seconds * 1000 })
    rows.push(rowOf(name, result))
  }
  await fastify.stop()
  report('framework', rows, { rounds, seconds })
})

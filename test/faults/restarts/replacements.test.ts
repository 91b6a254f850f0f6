import { writeFileSync } from 'node:fs'
import t from 'tap'
import { runReplacements } from './replacements.ts'

/** The soak sets them. */
const { REPLACEMENTS = '1', RATE = '50', SOAK_REPORT } = process.env

t.test(
  'a process that is replaced without a load balancer breaks no kept connection with a request on it',
  async (t) => {
    const result = await runReplacements(t, { count: Number(REPLACEMENTS), rate: Number(RATE) })
    if (SOAK_REPORT) writeFileSync(SOAK_REPORT, JSON.stringify(result))
    t.ok(result.responses[201])
    t.strictSame(result.breaches, [])
  },
)

import { writeFileSync } from 'node:fs'
import t from 'tap'
import { nginx } from '../cluster/programs.ts'
import { runRestarts } from './run.ts'

/** The soak sets both. */
const { RESTARTS = '6', SOAK_REPORT } = process.env

t.test(
  'behind nginx, no client notices that the processes restart in turn',
  { skip: !nginx && 'needs nginx' },
  async (t) => {
    const result = await runRestarts(t, Number(RESTARTS))
    if (SOAK_REPORT) writeFileSync(SOAK_REPORT, JSON.stringify(result))
    t.strictSame(result.breaches, [])
  },
)

import { writeFileSync } from 'node:fs'
import t from 'tap'
import { pgbouncer } from '../cluster/programs.ts'
import { runKills } from './run.ts'

/** The soak sets both. */
const { KILLS = '4', SOAK_REPORT } = process.env

t.test(
  'behind PgBouncer, followers see every event once and in order while workers and Postgres are killed',
  { skip: !pgbouncer && 'needs pgbouncer' },
  async (t) => {
    const result = await runKills(t, Number(KILLS), { isPooled: true })
    if (SOAK_REPORT) writeFileSync(SOAK_REPORT, JSON.stringify(result))
    t.strictSame(result.breaches, [], JSON.stringify(result.row))
  },
)

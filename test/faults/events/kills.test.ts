import { writeFileSync } from 'node:fs'
import t from 'tap'
import { runKills } from './run.ts'

/** The soak sets both. */
const { KILLS = '6', SOAK_REPORT } = process.env

t.test('followers see every event once and in order while workers and Postgres are killed', async (t) => {
  const result = await runKills(t, Number(KILLS), { isPooled: false })
  if (SOAK_REPORT) writeFileSync(SOAK_REPORT, JSON.stringify(result))
  t.strictSame(result.breaches, [], JSON.stringify(result.row))
})

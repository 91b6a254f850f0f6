import { writeFileSync } from 'node:fs'
import t from 'tap'
import { pgbouncer } from '../cluster/programs.ts'
import { type Result, runKills } from './run.ts'

/** The soak sets both. */
const { KILLS = '6', SOAK_REPORT } = process.env
const results: Result[] = []

for (const isPooled of [false, true]) {
  const place = isPooled ? 'behind PgBouncer' : 'on Postgres'
  t.test(
    `${place}, followers see every event once and in order while workers and Postgres are killed`,
    { skip: isPooled && !pgbouncer && 'needs pgbouncer' },
    async (t) => {
      const { row, breaches } = await runKills(t, Number(KILLS), { isPooled })
      results.push({ row: { place, kills: KILLS, ...row }, breaches })
      if (SOAK_REPORT) writeFileSync(SOAK_REPORT, JSON.stringify(results))
      t.comment(JSON.stringify(row))
      t.strictSame(breaches, [])
    },
  )
}

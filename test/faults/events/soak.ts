import { report } from '../../helpers/report.ts'
import { soakTest } from '../../helpers/soak-test.ts'
import { pgbouncer } from '../cluster/programs.ts'
import type { Result } from './run.ts'

/**
 * Runs kills.test.ts and pooled.test.ts with more kills, and exits with 1 if one fails: `node
 * test/faults/events/soak.ts [KILLS]`.
 */
const [kills = '100'] = process.argv.slice(2)

const { log } = console
if (!pgbouncer) log('The half behind PgBouncer is skipped: it needs pgbouncer')

const rows: Result['row'][] = []
const breaches: string[] = []
let hasFailed = false
for (const test of pgbouncer ? ['kills', 'pooled'] : ['kills']) {
  const result = soakTest<Result>(`events/${test}`, { KILLS: kills })
  // Each call sets it to the status of its own test.
  hasFailed ||= process.exitCode !== 0
  rows.push({ place: test === 'kills' ? 'Postgres' : 'PgBouncer', kills, ...result.row })
  breaches.push(...result.breaches)
}
report('events', rows, { breaches })
process.exitCode = hasFailed ? 1 : 0

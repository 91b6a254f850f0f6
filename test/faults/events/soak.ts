import { report } from '../../helpers/report.ts'
import { soakTest } from '../../helpers/soak-test.ts'
import type { Result } from './run.ts'

/** Runs kills.test.ts with more kills, and exits with its status: `node test/faults/events/soak.ts [KILLS]`. */
const [kills = '100'] = process.argv.slice(2)

const results = soakTest<Result[]>('events/kills', { KILLS: kills })
report(
  'events',
  results.map(({ row }) => row),
  { breaches: results.flatMap(({ breaches }) => breaches) },
)

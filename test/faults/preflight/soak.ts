import { report } from '../../helpers/report.ts'
import { soakTest } from '../../helpers/soak-test.ts'

/** Runs preflight.test.ts with more bodies, and exits with its status: `node test/faults/preflight/soak.ts [BODIES]`. */
const [bodies = '100000'] = process.argv.slice(2)

interface Run {
  seed: number
  statuses: Record<string, number>
  rules: number
}
const { seed, statuses, rules } = soakTest<Run>('preflight/preflight', { BODIES: bodies })
report('preflight', [{ bodies: Number(bodies), ...statuses, rules }], { seed })

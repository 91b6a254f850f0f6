import { report } from '../../helpers/report.ts'
import { soakTest } from '../../helpers/soak-test.ts'

/**
 * Runs the tests of this folder with all bodies, or with one of EVERY, and exits with the status of one that failed:
 * `node test/faults/bodies/soak.ts [EVERY]`.
 */
const [every = '1'] = process.argv.slice(2)

interface Run {
  seed: number
  limitMs: number
  results: { name: string; status: number; turnMs: number; totalMs: number }[]
}
const { seed, limitMs, results } = soakTest<Run>('bodies/bodies', { EVERY: every })
const rows = results.slice(0, 20).map(({ name, status, turnMs, totalMs }) => ({
  name,
  status,
  'longest turn, ms': Math.round(turnMs),
  'total, ms': Math.round(totalMs),
}))
report('bodies', rows, { seed, limitMs, bodies: results.length })

soakTest<object>('bodies/routes', { EVERY: every })

interface MemoryRun {
  seed: number
  isLimited: boolean
  rows: { name: string; statuses: Record<string, number>; peakMB: number }[]
}
const memory = soakTest<MemoryRun>('bodies/memory', { EVERY: every })
const peaks = memory.rows.map(({ statuses, ...row }) => ({ ...row, statuses: JSON.stringify(statuses) }))
report('bodies-memory', peaks, { seed: memory.seed, isLimited: String(memory.isLimited), bodies: memory.rows.length })

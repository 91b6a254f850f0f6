import { report } from '../../helpers/report.ts'
import { soakTest } from '../../helpers/soak-test.ts'

type Row = Record<string, string | number>

/**
 * Runs the tests of this folder with every kind of post: `kills`, each of whose posts that is not simply published is
 * printed, `changes`, with every fault, `readings`, and `late`. `node test/faults/networks/soak.ts [NAME]` runs one.
 * Exits with 1 if a test fails.
 */
const [name] = process.argv.slice(2)
const { table } = console
let isBroken = false

if (name === undefined || name === 'kills') {
  const results = soakTest<({ cases: Row[] } & Row)[]>('networks/kills')
  isBroken ||= process.exitCode !== 0
  const rows = results.map(({ cases: _, ...row }) => row)
  const cases = results.flatMap((result) => result.cases)
  table(cases)
  report('networks', rows, { cases })
}
for (const test of ['changes', 'readings', 'late']) {
  if (name !== undefined && name !== test) continue
  report(`network-${test}`, soakTest<Row[]>(`networks/${test}`))
  isBroken ||= process.exitCode !== 0
}
process.exitCode = isBroken ? 1 : 0

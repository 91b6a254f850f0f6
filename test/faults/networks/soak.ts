import { report } from '../../helpers/report.ts'
import { soakTest } from '../../helpers/soak-test.ts'

type Row = Record<string, string | number>

/**
 * Runs the tests of this folder with every kind of post: `kills`, each of whose posts that is not simply published is
 * printed, and `changes`, with every fault. `node test/faults/networks/soak.ts [kills|changes]` runs one. Exits with 1
 * if a test fails.
 */
const [name] = process.argv.slice(2)
const { table } = console
let isBroken = false

if (name !== 'changes') {
  const results = soakTest<({ cases: Row[] } & Row)[]>('networks/kills')
  isBroken ||= process.exitCode !== 0
  const rows = results.map(({ cases: _, ...row }) => row)
  const cases = results.flatMap((result) => result.cases)
  table(cases)
  report('networks', rows, { cases })
}
if (name !== 'kills') {
  report('network-changes', soakTest<Row[]>('networks/changes'))
  isBroken ||= process.exitCode !== 0
}
process.exitCode = isBroken ? 1 : 0

import { report } from '../../helpers/report.ts'
import { soakTest } from '../../helpers/soak-test.ts'

type Row = Record<string, string | number>

/**
 * Runs kills.test.ts with every kind of post. Prints the results and each post that is not simply published. Exits with
 * the status of the test.
 */
const results = soakTest<({ cases: Row[] } & Row)[]>('networks/kills')
const rows = results.map(({ cases: _, ...row }) => row)
const cases = results.flatMap((result) => result.cases)
const { table } = console
table(cases)
report('networks', rows, { cases })

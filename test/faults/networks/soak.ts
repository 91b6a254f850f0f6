import { report } from '../../helpers/report.ts'
import { soakTest } from '../../helpers/soak-test.ts'

/** Runs kills.test.ts with every kind of post, prints what became of them, and exits with the status of the test. */
report('networks', soakTest('networks/kills'))

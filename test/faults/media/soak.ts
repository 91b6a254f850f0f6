import { report } from '../../helpers/report.ts'
import { soakTest } from '../../helpers/soak-test.ts'

/**
 * Runs hostile.test.ts with large files, eight at a time, and exits with its status:
 * `node test/faults/media/soak.ts [MEGABYTES] [AT_ONCE] [ONLY]`. ONLY is a part of a file's name.
 */
const [megabytes = '60', atOnce = '8', only = ''] = process.argv.slice(2)

interface Run {
  rows: Record<string, string | number>[]
  isLimited: boolean
}
const { rows, isLimited } = soakTest<Run>('media/hostile', { MEGABYTES: megabytes, AT_ONCE: atOnce, ONLY: only })
report('media', rows, { megabytes, atOnce, isLimited })

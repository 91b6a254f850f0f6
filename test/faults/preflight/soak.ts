import { report } from '../../helpers/report.ts'
import { soakTest } from '../../helpers/soak-test.ts'

/**
 * Runs both tests of this folder in their long form, and exits with their status:
 * `node test/faults/preflight/soak.ts [BODIES [POSTS]]`.
 */
const [bodies = '100000', posts = '100000'] = process.argv.slice(2)

interface Bodies {
  seed: number
  statuses: Record<string, number>
  rules: number
}
interface Posts {
  seed: number
  posts: number
  publishable: number
  refusals: number
}
const { seed, statuses, rules } = soakTest<Bodies>('preflight/preflight', { BODIES: bodies })
const status = process.exitCode
const published = soakTest<Posts>('preflight/publishable', { POSTS: posts })
process.exitCode ||= status
report('preflight', [{ bodies: Number(bodies), ...statuses, rules }], { seed })
const { seed: publishedSeed, ...counts } = published
report('publishable', [counts], { seed: publishedSeed })

import { report } from '../../helpers/report.ts'
import { soakTest } from '../../helpers/soak-test.ts'
import type { Restarts } from './run.ts'
import type { Taken } from './slots.ts'

/**
 * Runs the tests of this folder with more restarts, and exits with the status of the last one that fails:
 * `node test/faults/restarts/soak.ts [RESTARTS] [REPLACEMENTS] [RATE] [KILLS]`.
 */
const [restarts = '50', replacements = '10', rate = '300', kills = '40'] = process.argv.slice(2)

const behindNginx = soakTest<Restarts>('restarts/restarts', { RESTARTS: restarts })
const { exitCode } = process
const direct = soakTest<Restarts>('restarts/replacements', { REPLACEMENTS: replacements, RATE: rate })
process.exitCode ||= exitCode
const { exitCode: failed } = process
const queue = soakTest<Taken>('restarts/slots', { KILLS: kills })
process.exitCode ||= failed
report(
  'restarts',
  [
    { restarts, ...behindNginx.responses, breaches: behindNginx.breaches.length },
    { 'replacements without nginx': replacements, ...direct.responses, breaches: direct.breaches.length },
    { kills: queue.kills, ...queue.responses, breaches: queue.breaches.length },
  ],
  { breaches: [...behindNginx.breaches, ...direct.breaches, ...queue.breaches] },
)

import { randomInt } from 'node:crypto'
import { report } from '../helpers/report.ts'
import { PLANTED } from './planted.ts'
import { live } from './run.ts'

/**
 * Lives days from a random seed on, or from SEED. Then lives days with each of the planted faults, which have to be
 * found: `node test/simulation/soak.ts [DAYS [SEED]]`. Exits with 1 if a promise is broken, or a fault is not found.
 */
const [days = 1_000, seed = randomInt(1_000_000_000)] = process.argv.slice(2).map(Number)

const { log } = console
const { broken, output } = await live(seed, days)
if (broken !== null) log(output)
const rows = [{ fault: 'none', seed, days: broken === null ? days : broken - seed + 1, found: String(broken !== null) }]
for (const fault of Object.keys(PLANTED)) {
  const { broken } = await live(seed, days, fault)
  rows.push({ fault, seed, days: broken === null ? days : broken - seed + 1, found: String(broken !== null) })
}
report('simulation', rows)
if (rows.some(({ fault, found }) => (fault === 'none') === (found === 'true'))) process.exitCode = 1

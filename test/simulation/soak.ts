import { randomInt } from 'node:crypto'
import { report } from '../helpers/report.ts'
import { PLANTED } from './planted.ts'
import { isBroken, type LivedDay, liveDays } from './run.ts'

/**
 * Lives days from a random seed on, or from SEED. Then lives days with each of the planted faults, which have to be
 * found: `node test/simulation/soak.ts [DAYS [SEED]]`. Exits with 1 if a promise is broken, or a fault is not found.
 */
const [count = 1_000, seed = randomInt(1_000_000_000)] = process.argv.slice(2).map(Number)

const rows = []
for (const planted of [undefined, ...Object.keys(PLANTED)]) {
  const startedAt = performance.now()
  const before = process.cpuUsage()
  const days = await liveDays(seed, count, planted)
  const { user, system } = process.cpuUsage(before)
  const broken = days.find(isBroken)
  if (broken && !planted) print(broken)
  if (!broken === (planted !== undefined)) process.exitCode = 1
  rows.push({
    fault: planted ?? 'none',
    seed,
    days: days.length,
    found: String(broken !== undefined),
    'CPU seconds a day': round((user + system) / 1e6 / days.length),
    'days an hour': Math.round((days.length / (performance.now() - startedAt)) * 3_600_000),
  })
}
report('simulation', rows)

function print({ seed, breaches }: LivedDay): void {
  const { log } = console
  for (const breach of breaches) log(`seed ${seed}: ${breach}`)
  log(`make simulate SEED=${seed} prints its history with as few faults as break it.`)
}

function round(seconds: number): number {
  return Math.round(seconds * 10) / 10
}

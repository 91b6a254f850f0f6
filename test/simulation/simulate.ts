import { createHash } from 'node:crypto'
import { PLANTED } from './planted.ts'
import { isBroken, type LivedDay, liveDay } from './run.ts'
import { shrink } from './shrink.ts'

/**
 * Lives the day of a seed and prints its history: `node test/simulation/simulate.ts SEED [PLANTED]`. If it breaks a
 * promise, prints the history with as few faults as break it, and exits with 1.
 */
const [seed = '1', planted] = process.argv.slice(2)
if (planted !== undefined && !(planted in PLANTED)) throw new Error(`"${planted}" is none of ${Object.keys(PLANTED)}`)

const day = await liveDay({ seed: Number(seed), planted })
print(isBroken(day) ? await shrink(day, planted) : day)
if (isBroken(day)) process.exitCode = 1

function print({ history, breaches, faults }: LivedDay): void {
  const { log } = console
  log(history.join('\n'))
  for (const breach of breaches) log(`  ${breach}`)
  const digest = createHash('sha256').update(history.join('\n')).digest('hex').slice(0, 16)
  const end = breaches.length > 0 ? 'breaks a promise' : 'keeps all promises'
  log(`seed ${seed} ${end}: ${history.length} lines, ${faults.length} faults, ${digest}`)
}

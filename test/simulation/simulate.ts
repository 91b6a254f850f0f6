import { createHash } from 'node:crypto'
import { simulate } from './day.ts'
import { shrink } from './shrink.ts'

/**
 * Lives the day of a seed and prints its history, or of several seeds until one breaks a promise, whose history it
 * prints with as few faults as break it. Exits with 1 then: `node test/simulation/simulate.ts SEED [DAYS]`.
 */
const [seed = 1, days = 1] = process.argv.slice(2).map(Number)
const { log } = console

for (let each = seed; each < seed + days; each++) {
  const day = await simulate({ seed: each })
  const isBroken = day.breaches.length > 0
  const { history, breaches } = isBroken ? await shrink(each, day) : day
  const digest = createHash('sha256').update(history.join('\n')).digest('hex').slice(0, 16)
  if (isBroken || days === 1) log(history.join('\n'))
  for (const breach of breaches) log(`  ${breach}`)
  log(`seed ${each} ${isBroken ? 'breaks a promise' : 'keeps all promises'}: ${history.length} lines, ${digest}`)
  if (!isBroken) continue
  process.exitCode = 1
  break
}

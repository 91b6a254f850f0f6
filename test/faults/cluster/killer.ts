import { rmSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { postgresPids, readProcStat, sendSignal } from '../../helpers/processes.ts'

/** What is to be killed: a whole Postgres, by its data folder, or one process. */
export type Victim = { dataDir: string } | { pid: number }
/** When the first signal was sent, in milliseconds of the epoch. */
export interface Killed {
  at: number
}

/**
 * A process of its own: it has nothing in common with what it kills. When the one that has started it is gone, however that
 * came, it clears away the folder of the cluster, and ends.
 */
const [folder] = process.argv.slice(2) as [string]
// From a terminal, all of us get this one.
process.on('SIGINT', () => {})
process.on('disconnect', () => {
  rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 })
  process.exit()
})
process.on('message', async (victim: Victim) => {
  const pids = 'pid' in victim ? [victim.pid] : postgresPids(victim.dataDir)
  if (!(pids[0]! > 1)) throw new Error('There is no postmaster')
  const at = Date.now()
  // The postmaster first: it would restart the others.
  sendSignal(pids, 'SIGKILL')
  while (pids.some(lives)) await pause(1)
  process.send!({ at } satisfies Killed)
})

const lives = (pid: number) => !['Z', 'X', undefined].includes(readProcStat(pid)[0])

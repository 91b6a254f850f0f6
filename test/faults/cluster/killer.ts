import { rmSync } from 'node:fs'
import { postgresPids, readProcStat, sendSignal } from '../../helpers/processes.ts'
import { until } from '../../helpers/until.ts'

/** All processes of a Postgres, by its data directory, or one process. */
export type Victim = { dataDir: string } | { pid: number }
/** When the first signal was sent, in milliseconds of the epoch. */
export interface Killed {
  at: number
}

/*
 * Kills processes of the cluster. It is a process of its own, so that it survives its parent: when the parent has
 * ended, it removes the folder of the cluster and ends.
 */
const [folder] = process.argv.slice(2) as [string]
// A terminal sends SIGINT to the whole process group.
process.on('SIGINT', () => {})
process.on('disconnect', () => {
  rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 })
  process.exit()
})
process.on('message', async (victim: Victim) => {
  const pids = 'pid' in victim ? [victim.pid] : postgresPids(victim.dataDir)
  if (!(pids[0]! > 1)) throw new Error('No process to kill: the server has no postmaster')
  const at = Date.now()
  // The postmaster first, because it restarts its children.
  sendSignal(pids, 'SIGKILL')
  await until('the killed processes have ended', () => !pids.some(isRunning), { intervalMs: 1 })
  process.send!({ at } satisfies Killed)
})

/** Zombies and dead processes do not run. */
const isRunning = (pid: number) => !['Z', 'X', undefined].includes(readProcStat(pid)[0])

import { readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'

/** What is to be killed: a whole Postgres, by its data folder, or one process. */
export type Victim = { dataDir: string } | { pid: number }
/** When the first signal was sent, in milliseconds of the epoch, and how many processes there were. */
export interface Killed {
  at: number
  count: number
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
  const pids = 'pid' in victim ? [victim.pid] : family(victim.dataDir)
  const at = Date.now()
  for (const pid of pids) kill(pid)
  while (pids.some(lives)) await pause(1)
  process.send!({ at, count: pids.length } satisfies Killed)
})

/** The postmaster first: it would restart the others. */
function family(dataDir: string): number[] {
  const postmaster = Number.parseInt(readFileSync(join(dataDir, 'postmaster.pid'), 'utf8'), 10)
  if (!(postmaster > 1)) throw new Error('There is no postmaster')
  const children = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && stat(Number(name))?.parent === postmaster)
    .map(Number)
  return [postmaster, ...children]
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It was quicker.
  }
}

const lives = (pid: number) => !['Z', 'X', undefined].includes(stat(pid)?.state)

/** https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html */
function stat(pid: number): { state: string; parent: number } | undefined {
  try {
    const [state = '', parent] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)!.split(' ')
    return { state, parent: Number(parent) }
  } catch {
    return undefined
  }
}

import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** A process id and those of its children; empty if it has ended, or on systems other than Linux. */
export function processesOf(pid: number): number[] {
  try {
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number)
    return [pid, ...children]
  } catch {
    return []
  }
}

/** Process ids of the Postgres in a data directory, its postmaster first; empty on systems other than Linux. */
export const postgresPids = (dataDir: string): number[] =>
  processesOf(Number.parseInt(readFileSync(join(dataDir, 'postmaster.pid'), 'utf8'), 10))

/**
 * The fields of /proc/PID/stat after the name, which may contain spaces; empty if the process has ended.
 * https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html
 */
export function readProcStat(pid: number): string[] {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)!.split(' ')
  } catch {
    return []
  }
}

/** Sends a signal to processes, in order. Ignores those that have ended. */
export function sendSignal(pids: number[], signal: NodeJS.Signals): void {
  for (const pid of pids) {
    try {
      process.kill(pid, signal)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
    }
  }
}

/** Sends a signal to a child and waits until it has ended. Returns immediately if it had ended before. */
export async function endChild(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  child.kill(signal)
  await ended
}

import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** A process, and those that it has started; Linux tells. */
export function processesOf(pid: number): number[] {
  try {
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number)
    return [pid, ...children]
  } catch {
    return []
  }
}

/** The processes of the Postgres that runs in a folder, its postmaster first; none where the system does not say. */
export const postgresPids = (dataDir: string): number[] =>
  processesOf(Number.parseInt(readFileSync(join(dataDir, 'postmaster.pid'), 'utf8'), 10))

/**
 * What Linux says of a process behind its name, which may hold spaces; nothing of one that is gone.
 * https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html
 */
export function statOf(pid: number): string[] {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)!.split(' ')
  } catch {
    return []
  }
}

/** Sends a signal to processes, in their order. */
export function sendSignal(pids: number[], signal: NodeJS.Signals): void {
  for (const pid of pids) {
    try {
      process.kill(pid, signal)
    } catch {
      // It has ended by then.
    }
  }
}

/** Ends a child, and waits until it has ended, which it may have done long before. */
export async function endChild(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  child.kill(signal)
  await ended
}

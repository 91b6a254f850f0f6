import { readFileSync } from 'node:fs'

/** A process, and those that it has started; Linux tells. */
export function processesOf(pid: number): number[] {
  try {
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number)
    return [pid, ...children]
  } catch {
    return []
  }
}

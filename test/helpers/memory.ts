import { mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Teardown } from './database.ts'

/** The variables of the image that are about memory. */
export const memoryVariables = (): Record<string, string> =>
  Object.fromEntries(
    [...readFileSync('.docker/Dockerfile', 'utf8').matchAll(/\b(MALLOC_\w+)=(\S+)/g)].map(([, name, value]) => [
      name!,
      value!,
    ]),
  )

/** The limit of a container in bytes. */
export const readContainerLimit = (): number =>
  Number(/mem_limit: (\d+)m/.exec(readFileSync('.docker/compose.yaml', 'utf8'))?.[1]) * 2 ** 20

/**
 * Memory of a process in bytes, from Linux: `VmRSS` is resident now, `RssAnon` is the part of it that is no file, and
 * `VmHWM` is the peak.
 */
export const readMemory = (pid: number | string, name: 'VmRSS' | 'RssAnon' | 'VmHWM'): number =>
  Number(new RegExp(`${name}:\\s+(\\d+) kB`).exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1024

/**
 * A group of processes that the kernel ends if they take more memory than this, as a container does. Its folder;
 * undefined if this process may not make one, which takes root and version 1 of control groups:
 * https://docs.kernel.org/admin-guide/cgroup-v1/memory.html
 */
export function limitMemory(t: Teardown, bytes: number): string | undefined {
  try {
    const own = /^\d+:memory:(.*)$/m.exec(readFileSync('/proc/self/cgroup', 'utf8'))?.[1]
    if (own === undefined) return undefined
    const folder = join('/sys/fs/cgroup/memory', own, `postroom-${process.pid}`)
    mkdirSync(folder)
    t.teardown(async () => rmdirSync(folder))
    if (!readdirSync(folder).includes('memory.limit_in_bytes')) return undefined
    writeFileSync(join(folder, 'memory.limit_in_bytes'), String(bytes))
    return folder
  } catch {
    return undefined
  }
}

import type { ChildProcess } from 'node:child_process'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { endChild } from '../../helpers/processes.ts'
import { start } from './programs.ts'

const RESTART_MS = 300

/** A process of Postroom's that is started again whenever it ends, as a supervisor does. */
export interface Service {
  name: string
  pid: number
  /** From now on, its end is no fault of its own. */
  expectEnd(): void
  stop(): Promise<void>
}

/** Starts `postroom` with these arguments. `onEnd` hears how it ended where nobody expected it to. */
export function supervise(
  name: string,
  args: string[],
  { folder, env, onEnd }: { folder: string; env: Record<string, string>; onEnd(how: string): void },
): Service {
  let isStopped = false
  let isExpected = false
  let child: ChildProcess
  const begin = () => {
    isExpected = false
    child = start([process.execPath, 'src/cli/postroom.ts', ...args], join(folder, `${name}.log`), {
      unprivileged: false,
      cwd: process.cwd(),
      env: { ...env, NODE_COMPILE_CACHE: 'node_modules/.cache/node' },
    })
    child.on('exit', async (code, signal) => {
      if (isStopped) return
      if (!isExpected) onEnd(`${name} ended with ${code ?? signal}`)
      await pause(RESTART_MS)
      if (!isStopped) begin()
    })
  }
  begin()
  return {
    name,
    get pid() {
      return child.pid!
    },
    expectEnd: () => {
      isExpected = true
    },
    stop: async () => {
      isStopped = true
      await endChild(child, 'SIGTERM')
    },
  }
}

import type { ChildProcess } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { recordLog, recordSecretsOfEnvironment } from '../../helpers/log-record.ts'
import { endChild } from '../../helpers/processes.ts'
import { start } from './programs.ts'

const RESTART_MS = 300

/** A process of Postroom under a supervisor, which starts it again whenever it ends. */
export interface Service {
  name: string
  pid: number
  /** The next end of the process is not reported. */
  expectEnd(): void
  stop(): Promise<void>
}

/** Starts `postroom` with `args`. `onEnd` receives how the process ended, unless that was expected. */
export function supervise(
  name: string,
  args: string[],
  { folder, env, onEnd }: { folder: string; env: Record<string, string>; onEnd(how: string): void },
): Service {
  let isStopped = false
  let isExpected = false
  let child: ChildProcess
  const log = join(folder, `${name}.log`)
  recordSecretsOfEnvironment(env)
  const begin = () => {
    isExpected = false
    child = start([process.execPath, 'src/cli/postroom.ts', ...args], log, {
      unprivileged: false,
      cwd: process.cwd(),
      env: { ...env, NODE_COMPILE_CACHE: 'node_modules/.cache/node' },
    })
    child.on('exit', async (code, signal) => {
      if (isStopped) return
      if (!isExpected) onEnd(`${name} ended with ${code ?? signal}`)
      await sleep(RESTART_MS)
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
      recordLog(readFileSync(log, 'utf8'))
    },
  }
}

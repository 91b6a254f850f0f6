import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { spawnPostroom } from '../helpers/command.ts'
import { endChild, statOf } from '../helpers/processes.ts'

export interface Running {
  port: number
  pid: number
  stop(): Promise<void>
}

/** The service as `npm run postroom` runs it, with a port of its own. Its log goes nowhere. */
export async function startService(env: Record<string, string>): Promise<Running> {
  const child = spawnPostroom(['serve', '--json'], { PORT: '0', ...env }, { stderr: 'ignore' })
  const { api } = JSON.parse(await firstLine(child)) as { api: string }
  return running(child, Number(new URL(api).port))
}

export async function startWorker(env: Record<string, string>): Promise<Running> {
  const child = spawnPostroom(['worker', '--json'], env, { stderr: 'ignore' })
  await firstLine(child)
  return running(child, 0)
}

export async function startLimit(databaseUrl: string): Promise<Running> {
  const child = spawn(process.execPath, ['test/bench/baseline.ts'], {
    env: { PATH: process.env.PATH, DATABASE_URL: databaseUrl },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  return running(child, Number(await firstLine(child)))
}

async function firstLine(child: ChildProcess): Promise<string> {
  const ended = new AbortController()
  child.once('exit', (code) => ended.abort(new Error(`process ${child.pid} ended with ${code}`)))
  const [line] = await once(child.stdout!, 'data', { signal: ended.signal })
  return String(line)
}

const running = (child: ChildProcess, port: number): Running => ({
  port,
  pid: child.pid!,
  stop: () => endChild(child, 'SIGKILL'),
})

/** The processor time that processes have taken, in seconds; undefined where the system does not say. */
export function cpuSeconds(pids: number[]): number | undefined {
  if (process.platform !== 'linux') return undefined
  return pids.reduce((sum, pid) => sum + ticksOf(pid), 0) / TICKS_PER_SECOND
}

const TICKS_PER_SECOND = 100
const [USER, SYSTEM, USER_OF_CHILDREN, SYSTEM_OF_CHILDREN] = [11, 12, 13, 14]

/** Of children that have ended as well. */
function ticksOf(pid: number): number {
  const stat = statOf(pid)
  return [USER, SYSTEM, USER_OF_CHILDREN, SYSTEM_OF_CHILDREN].reduce((sum, field) => sum + Number(stat[field] ?? 0), 0)
}

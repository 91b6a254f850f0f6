import { type ChildProcess, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { spawnPostroom } from '../helpers/command.ts'
import { isRecording } from '../helpers/log-record.ts'
import { endChild, readProcStat } from '../helpers/processes.ts'

export interface Running {
  port: number
  pid: number
  stop(): Promise<void>
}

/** Reading the log would take time from the measurement. */
const LOG = { stderr: isRecording ? 'pipe' : 'ignore' } as const

/** Starts the service on a free port, with the sources in the folder `cwd`. */
export async function startService(env: Record<string, string>, cwd = '.'): Promise<Running> {
  const child = spawnPostroom(['serve', '--json'], { PORT: '0', ...env }, { ...LOG, cwd })
  const { api } = JSON.parse(await firstLine(child)) as { api: string }
  return describe(child, Number(new URL(api).port))
}

export async function startWorker(env: Record<string, string>): Promise<Running> {
  const child = spawnPostroom(['worker', '--json'], env, LOG)
  await firstLine(child)
  return describe(child, 0)
}

export async function startBaseline(databaseUrl: string, ...options: '--fastify'[]): Promise<Running> {
  const child = spawn(process.execPath, ['test/bench/baseline.ts', ...options], {
    env: { PATH: process.env.PATH, DATABASE_URL: databaseUrl },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  return describe(child, Number(await firstLine(child)))
}

/** The first line of a child's output. Throws if the child ends before. */
async function firstLine(child: ChildProcess): Promise<string> {
  for await (const line of createInterface({ input: child.stdout! })) return line
  throw new Error(`${child.spawnargs.join(' ')} ended with ${child.exitCode ?? child.signalCode} before it was ready`)
}

const describe = (child: ChildProcess, port: number): Running => ({
  port,
  pid: child.pid!,
  stop: () => endChild(child, 'SIGKILL'),
})

/** CPU time of processes in seconds; undefined on systems other than Linux. */
export function cpuSeconds(pids: number[]): number | undefined {
  if (process.platform !== 'linux') return undefined
  return pids.reduce((sum, pid) => sum + ticksOf(pid), 0) / TICKS_PER_SECOND
}

const TICKS_PER_SECOND = 100
const [USER, SYSTEM, USER_OF_CHILDREN, SYSTEM_OF_CHILDREN] = [11, 12, 13, 14]

/** CPU time of a process and of its children that have ended. */
function ticksOf(pid: number): number {
  const stat = readProcStat(pid)
  return [USER, SYSTEM, USER_OF_CHILDREN, SYSTEM_OF_CHILDREN].reduce((sum, field) => sum + Number(stat[field] ?? 0), 0)
}

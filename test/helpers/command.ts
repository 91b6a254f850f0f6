import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { recordSecretsOfEnvironment, recordStderr } from './log-record.ts'

/** A command that hangs is killed, so that its test fails with the command's output. */
const TIMEOUT_MS = 120_000

export interface Outcome {
  code: number | null
  stdout: string
  stderr: string
}

/** Children that run. They are ended with this process, which a failed test may leave without stopping them. */
const children = new Set<ChildProcess>()
process.on('exit', () => {
  for (const child of children) child.kill('SIGTERM')
})

/**
 * Starts a `postroom` command with Node, or as users do, through npm and without the NODE_OPTIONS that tap sets. `stderr`
 * says where the log goes: to the caller and the record, or nowhere.
 */
export function spawnPostroom(
  args: string[],
  env: Record<string, string>,
  { throughNpm = false, stderr = 'pipe' }: { throughNpm?: boolean; stderr?: 'pipe' | 'ignore' } = {},
): ChildProcess {
  const [command, ...before] = throughNpm
    ? ['env', '-u', 'NODE_OPTIONS', 'npm', 'run', '-s', 'postroom', '--']
    : [process.execPath, 'src/cli/postroom.ts']
  const child = spawn(command!, [...before, ...args], {
    // The default MEDIA_DIR is inside the sources.
    env: {
      PATH: process.env.PATH,
      TMPDIR: process.env.TMPDIR,
      MEDIA_DIR: join(tmpdir(), 'postroom-test-media'),
      NODE_COMPILE_CACHE: 'node_modules/.cache/node',
      ...env,
    },
    stdio: ['ignore', 'pipe', stderr],
  })
  recordSecretsOfEnvironment(env)
  if (child.stderr) recordStderr(child.stderr)
  children.add(child)
  child.once('exit', () => children.delete(child))
  return child
}

/** Runs a `postroom` command to its end. */
export async function postroom(args: string[], env: Record<string, string>): Promise<Outcome> {
  const child = spawnPostroom(args, env)
  const output = collect(child)
  const closed = once(child, 'close')
  await withDeadline(child, args[0]!, output, closed)
  return { code: child.exitCode, ...output }
}

export interface Service {
  /** What it printed with `--json`. */
  facts: Record<string, string>
  child: ChildProcess
  output: { stdout: string; stderr: string }
  stop(signal?: NodeJS.Signals): Promise<number | null>
}

/** Runs `start` or `serve` on a free port, or `worker`, until it is ready. Throws its stderr if it ends before. */
export async function runService(
  command: 'start' | 'serve' | 'worker',
  env: Record<string, string>,
  { throughNpm = false } = {},
): Promise<Service> {
  const child = spawnPostroom([command, '--json'], { PORT: '0', ...env }, { throughNpm })
  const output = collect(child)
  const closed = once(child, 'close')
  const ready = new Promise<void>((resolve) => {
    child.stdout?.on('data', () => output.stdout.includes('\n') && resolve())
  })
  await withDeadline(child, command, output, Promise.race([ready, closed]))
  if (child.exitCode !== null) throw new Error(`${command} exited with ${child.exitCode}: ${output.stderr}`)
  const stop = async (signal: NodeJS.Signals = 'SIGTERM') => {
    child.kill(signal)
    await closed
    return child.exitCode
  }
  return { facts: JSON.parse(output.stdout), child, output, stop }
}

/** Waits for `work`. At the deadline, kills the child and throws its output. */
async function withDeadline(child: ChildProcess, name: string, output: Service['output'], work: Promise<unknown>) {
  const over = new AbortController()
  const expired = sleep(TIMEOUT_MS, 'expired' as const, { signal: over.signal }).catch(() => undefined)
  const first = await Promise.race([work, expired])
  over.abort()
  if (first !== 'expired') return
  child.kill('SIGKILL')
  throw new Error(`${name} took more than ${TIMEOUT_MS} ms. stdout: ${output.stdout}\nstderr: ${output.stderr}`)
}

function collect(child: ChildProcess): Service['output'] {
  const output = { stdout: '', stderr: '' }
  child.stdout?.setEncoding('utf8').on('data', (text) => {
    output.stdout += text
  })
  child.stderr?.on('data', (text) => {
    output.stderr += text
  })
  return output
}

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export interface Outcome {
  code: number | null
  stdout: string
  stderr: string
}

/**
 * Starts a `postroom` command: straight by Node, or as people do, through npm, and without what tap puts into each
 * process. `stderr` is where its log goes: to whoever reads it, nowhere, or to where ours goes.
 */
export function spawnPostroom(
  args: string[],
  env: Record<string, string>,
  { throughNpm = false, stderr = 'pipe' }: { throughNpm?: boolean; stderr?: 'pipe' | 'ignore' | 'inherit' } = {},
): ChildProcess {
  const [command, ...before] = throughNpm
    ? ['env', '-u', 'NODE_OPTIONS', 'npm', 'run', '-s', 'postroom', '--']
    : [process.execPath, 'src/cli/postroom.ts']
  return spawn(command!, [...before, ...args], {
    // Where a test does not care, files do not get into the sources.
    env: {
      PATH: process.env.PATH,
      TMPDIR: process.env.TMPDIR,
      MEDIA_DIR: join(tmpdir(), 'postroom-test-media'),
      ...env,
    },
    stdio: ['ignore', 'pipe', stderr],
  })
}

/** Runs a `postroom` command to its end. */
export async function postroom(args: string[], env: Record<string, string>): Promise<Outcome> {
  const child = spawnPostroom(args, env)
  const outcome = collect(child)
  const [code] = await once(child, 'close')
  return { code, ...outcome }
}

export interface Service {
  /** What it printed with `--json`. */
  facts: Record<string, string>
  child: ChildProcess
  output: { stdout: string; stderr: string }
  stop(signal?: NodeJS.Signals): Promise<number | null>
}

/** Runs `start` or `serve` on a free port, or `worker`, until it is up. Rejects with what it said where it ends instead. */
export async function runService(
  command: 'start' | 'serve' | 'worker',
  env: Record<string, string>,
  { throughNpm = false } = {},
): Promise<Service> {
  const child = spawnPostroom([command, '--json'], { PORT: '0', ...env }, { throughNpm })
  const output = collect(child)
  const ended = once(child, 'close')
  const up = new Promise<void>((resolve) => {
    child.stdout?.on('data', () => output.stdout.includes('\n') && resolve())
  })
  await Promise.race([up, ended])
  if (child.exitCode !== null) throw new Error(`${command} ended with ${child.exitCode}: ${output.stderr}`)
  const stop = async (signal: NodeJS.Signals = 'SIGTERM') => {
    child.kill(signal)
    await ended
    return child.exitCode
  }
  return { facts: JSON.parse(output.stdout), child, output, stop }
}

function collect(child: ChildProcess): { stdout: string; stderr: string } {
  const output = { stdout: '', stderr: '' }
  child.stdout?.setEncoding('utf8').on('data', (text) => {
    output.stdout += text
  })
  child.stderr?.setEncoding('utf8').on('data', (text) => {
    output.stderr += text
  })
  return output
}

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable, Writable } from 'node:stream'
import { withTimeout } from '../../src/base/with-timeout.ts'
import type { Terminal } from '../../src/cli/action.ts'
import { runCommand } from '../../src/cli/run-command.ts'
import { recordLog, recordSecretsOfEnvironment, recordStderr } from './log-record.ts'

/** The test of a command that hangs fails with the command's output. */
const TIMEOUT_MS = 120_000

/** The default is inside the sources. */
const MEDIA_DIR = join(tmpdir(), 'postroom-test-media')

interface Output {
  stdout: string
  stderr: string
}

interface Outcome extends Output {
  code: number | null
}

/**
 * Runs a `postroom` command in this process, as `src/cli/postroom.ts` runs it in one of its own. Commands that serve
 * until a signal, and those that start the embedded database, need `postroomProcess` or `runService`. `terminal`: what
 * stdout is.
 */
export async function postroom(args: string[], env: Record<string, string>, terminal: Terminal = {}): Promise<Outcome> {
  recordSecretsOfEnvironment(env)
  const output = { stdout: '', stderr: '' }
  const writeTo = (name: keyof Output) =>
    new Writable({
      decodeStrings: false,
      write(text: string, _encoding, done) {
        output[name] += text
        if (name === 'stderr') recordLog(text)
        done()
      },
    })
  const io = {
    env: { MEDIA_DIR, ...env },
    stdin: Readable.from([]),
    stdout: Object.assign(writeTo('stdout'), terminal),
    stderr: writeTo('stderr'),
  }
  const code = await withDeadline(args.join(' '), output, runCommand(args, io))
  return { code, ...output }
}

/** Children that run. They are ended with this process, which a failed test may leave without stopping them. */
const children = new Set<ChildProcess>()
process.on('exit', () => {
  for (const child of children) child.kill('SIGTERM')
})

/**
 * Starts a `postroom` command with Node, or as users do, through npm and without the NODE_OPTIONS that tap sets.
 * `stderr` says where the log goes: to the caller and the record, or nowhere. `group` is one of memory.ts. `cwd`: the
 * folder of the sources.
 */
export function spawnPostroom(
  args: string[],
  env: Record<string, string>,
  {
    throughNpm = false,
    stderr = 'pipe',
    group,
    cwd,
  }: { throughNpm?: boolean; stderr?: 'pipe' | 'ignore'; group?: string | undefined; cwd?: string } = {},
): ChildProcess {
  const [command, ...before] = [
    ...(group ? ['sh', '-c', 'echo $$ > "$0/cgroup.procs" && exec "$@"', group] : []),
    ...(throughNpm
      ? ['env', '-u', 'NODE_OPTIONS', 'npm', 'run', '-s', 'postroom', '--']
      : [process.execPath, 'src/cli/postroom.ts']),
  ]
  const child = spawn(command!, [...before, ...args], {
    cwd,
    env: {
      PATH: process.env.PATH,
      TMPDIR: process.env.TMPDIR,
      MEDIA_DIR,
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

/** Runs a `postroom` command to its end in a process of its own, for promises about processes. */
export async function postroomProcess(args: string[], env: Record<string, string>): Promise<Outcome> {
  const child = spawnPostroom(args, env)
  const output = collect(child)
  await withDeadline(args.join(' '), output, once(child, 'close'), child)
  return { code: child.exitCode, ...output }
}

export interface Service {
  /** The output of the service with `--json`. */
  facts: Record<string, string>
  child: ChildProcess
  output: Output
  stop(signal?: NodeJS.Signals): Promise<number | null>
}

/** Runs `start` or `serve` on a free port, or `worker`, until it is ready. Throws its stderr if it ends before. */
export async function runService(
  command: 'start' | 'serve' | 'worker',
  env: Record<string, string>,
  options: { throughNpm?: boolean; group?: string | undefined } = {},
): Promise<Service> {
  const child = spawnPostroom([command, '--json'], { PORT: '0', ...env }, options)
  const output = collect(child)
  const closed = once(child, 'close')
  const ready = new Promise<void>((resolve) => {
    child.stdout?.on('data', () => output.stdout.includes('\n') && resolve())
  })
  await withDeadline(command, output, Promise.race([ready, closed]), child)
  if (child.exitCode !== null) throw new Error(`${command} exited with ${child.exitCode}: ${output.stderr}`)
  // After SIGTERM, a service accepts connections for three more seconds, which only tests of that need.
  const stop = async (signal: NodeJS.Signals = 'SIGINT') => {
    child.kill(signal)
    await closed
    return child.exitCode
  }
  return { facts: JSON.parse(output.stdout), child, output, stop }
}

/** Waits for `work`. At the deadline, kills the child, and throws the output. */
const withDeadline = <T>(name: string, output: Output, work: Promise<T>, child?: ChildProcess): Promise<T> =>
  withTimeout(TIMEOUT_MS, work, () => {
    child?.kill('SIGKILL')
    return new Error(`${name} took more than ${TIMEOUT_MS} ms. stdout: ${output.stdout}\nstderr: ${output.stderr}`)
  })

function collect(child: ChildProcess): Output {
  const output = { stdout: '', stderr: '' }
  child.stdout?.setEncoding('utf8').on('data', (text) => {
    output.stdout += text
  })
  child.stderr?.on('data', (text) => {
    output.stderr += text
  })
  return output
}

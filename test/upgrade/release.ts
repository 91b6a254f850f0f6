import { execFileSync, spawn } from 'node:child_process'
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { recordSecretsOfEnvironment, recordStderr } from '../helpers/log-record.ts'
import { endChild } from '../helpers/processes.ts'

/** The sources of a version, whose commands and processes the test runs. */
export interface Release {
  name: string
  /** Runs a command to its end, and returns what it printed. */
  command(...args: string[]): Promise<Record<string, string>>
  /** Starts `serve` or `worker`, and waits until it is ready. */
  start(command: 'serve' | 'worker'): Promise<RunningProcess>
}

export interface RunningProcess {
  facts: Record<string, string>
  stop(signal?: NodeJS.Signals): Promise<void>
}

const FOLDER = 'test/upgrade/releases'

interface Teardown {
  teardown(work: () => unknown): void
}

/** Unpacks a released version. Its sources use the packages of today. */
export function openRelease(t: Teardown, version: string, env: Record<string, string>): Release {
  const folder = mkdtempSync(join(tmpdir(), 'postroom-release-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  execFileSync('tar', ['-xzf', `${FOLDER}/${version}.tgz`, '-C', folder])
  symlinkSync(resolve('node_modules'), join(folder, 'node_modules'))
  return openSources(t, version, folder, env)
}

/** The sources in `folder`. */
export function openSources(t: Teardown, name: string, folder: string, env: Record<string, string>): Release {
  const run = (args: string[]) => {
    const child = spawn(process.execPath, ['src/cli/postroom.ts', ...args], {
      cwd: folder,
      env: { PATH: process.env.PATH, TMPDIR: process.env.TMPDIR, PORT: '0', LOG_LEVEL: 'error', ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    recordSecretsOfEnvironment(env)
    recordStderr(child.stderr)
    // For the reader of a failed test.
    child.stderr.pipe(process.stderr)
    t.teardown(() => endChild(child, 'SIGKILL'))
    return child
  }

  return {
    name,
    async command(...args) {
      const child = run([...args, '--json'])
      const stdout = await text(child.stdout)
      if (!stdout) throw new Error(`${name}: ${args.join(' ')} failed`)
      return JSON.parse(stdout)
    },
    async start(command) {
      const child = run([command, '--json'])
      for await (const line of createInterface({ input: child.stdout })) {
        return { facts: JSON.parse(line), stop: (signal = 'SIGTERM') => endChild(child, signal) }
      }
      throw new Error(`${name}: ${command} ended before it was ready`)
    },
  }
}

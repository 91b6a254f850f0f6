import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import type { Test } from 'tap'
import { until } from './until.ts'

export const ROOT = fileURLToPath(new URL('../..', import.meta.url))
export const NOBODY = { uid: 65534, gid: 65534 }
export const isRoot = process.getuid?.() === 0

interface Reply {
  url: string
  error: string
  rows?: unknown[][]
  logged: string[]
}

interface StartOptions {
  /** Options of openEmbedded, and `arch` to change that of the process. */
  options?: object
  /** The checkout whose db/embedded is used. */
  checkout?: string
  uid?: number
  gid?: number
}

/** A process that uses the embedded server. The tests start, kill and stop real ones. */
export class EmbeddedProcess {
  readonly child: ChildProcess
  readonly #replies: AsyncIterator<string>

  constructor(options: object, { checkout = ROOT, ...user }: StartOptions) {
    const script = join(ROOT, 'test/helpers/embedded-process.ts')
    const module = join(checkout, 'db/embedded/server.ts')
    this.child = spawn(
      '/usr/bin/env',
      // An empty environment: LANG is unset, and tap does not instrument the process, which would take 0.3 s.
      ['-i', process.execPath, script, JSON.stringify(options), module],
      // In a process group of its own, like a command in a shell.
      { cwd: ROOT, detached: true, stdio: ['pipe', 'pipe', 'inherit'], ...user },
    )
    this.#replies = createInterface({ input: this.child.stdout! })[Symbol.asyncIterator]()
  }

  async reply(): Promise<Reply> {
    const { value, done } = await this.#replies.next()
    if (done) throw new Error('the process has ended')
    return JSON.parse(value)
  }

  send(line: string): void {
    this.child.stdin!.write(`${line}\n`)
  }

  async query(text: string): Promise<Reply> {
    this.send(text)
    return this.reply()
  }

  /** Releases the claim, and returns the exit code of the process, which ends by itself. */
  async close(): Promise<number | null> {
    const exit = once(this.child, 'exit')
    this.child.stdin!.end('close\n')
    await this.reply()
    return (await exit)[0]
  }

  /** Kills the process group, as Ctrl-C in a terminal reaches all of it. */
  async killGroup(): Promise<void> {
    const exit = once(this.child, 'exit')
    process.kill(-this.child.pid!, 'SIGKILL')
    await exit
  }
}

/** Creates a folder for data. At the end of the test, removes it with its processes and servers. */
export function createPlayground(t: Test, { dataFrom }: { dataFrom?: string } = {}) {
  // Not in tmpdir(), which may be closed to the user that root's server runs as.
  const top = fs.realpathSync(fs.mkdtempSync('/tmp/postroom-test-'))
  const dataDir = join(top, 'data')
  fs.chmodSync(top, 0o755)
  if (dataFrom) {
    fs.cpSync(dataFrom, dataDir, { recursive: true })
    fs.chmodSync(dataDir, 0o700)
  }
  const processes: EmbeddedProcess[] = []
  const dataDirs = new Set([dataDir])
  t.teardown(async () => {
    for (const { child } of processes) child.kill('SIGKILL')
    for (const dataDir of dataDirs) await removeServer(dataDir)
    fs.rmSync(top, { recursive: true, force: true, maxRetries: 5 })
  })

  function start(dataDir: string, { options, ...how }: StartOptions = {}): EmbeddedProcess {
    const embedded = new EmbeddedProcess({ dataDir, settings: { fsync: 'off' }, ...options }, how)
    dataDirs.add(dataDir)
    processes.push(embedded)
    return embedded
  }
  async function open(dataDir: string, how?: StartOptions) {
    const embedded = start(dataDir, how)
    const opened = await embedded.reply()
    if (opened.error) throw new Error(opened.error)
    return Object.assign(embedded, { opened })
  }
  const errorOf = async (dataDir: string, how?: StartOptions) => (await start(dataDir, how).reply()).error
  return { top, dataDir, start, open, errorOf }
}

/** Creates an initialised data folder to copy. It saves a second in each test that does not need an empty folder. */
export async function createTemplate(t: Test): Promise<{ dataFrom: string }> {
  const { dataDir, open } = createPlayground(t)
  await (await open(dataDir)).close()
  return { dataFrom: dataDir }
}

async function removeServer(dataDir: string): Promise<void> {
  const real = fs.existsSync(dataDir) ? fs.realpathSync(dataDir) : dataDir
  const socketDir = findServer(real) && readLockLines(real)[4]
  killServer(real)
  await until('the server has ended', () => !findServer(real))
  if (socketDir) fs.rmSync(socketDir, { recursive: true, force: true })
  if (real.startsWith('/var/lib/postroom/checkout-')) fs.rmSync(dirname(real), { recursive: true })
}

/** The names in a folder, without the copy of the binaries that a checkout needs if other users cannot read it. */
export const namesIn = (top: string) => fs.readdirSync(top).filter((name) => !name.startsWith('postgres-'))

export const readLockLines = (dataDir: string) => fs.readFileSync(join(dataDir, 'postmaster.pid'), 'utf8').split('\n')

/** Returns the pid of the postmaster that runs in `dataDir`. */
export function findServer(dataDir: string): number | undefined {
  if (!fs.existsSync(join(dataDir, 'postmaster.pid'))) return undefined
  const pid = Number(readLockLines(dataDir)[0])
  const proc = `/proc/${pid}/cmdline`
  if (process.platform === 'linux' && !fs.existsSync(proc)) return undefined
  const command = fs.existsSync('/proc') ? fs.readFileSync(proc, 'utf8') : readCommand(pid)
  return command.includes('postgres') && command.includes(dataDir) ? pid : undefined
}

const readCommand = (pid: number) => spawnSync('ps', ['-o', 'command=', '-p', `${pid}`], { encoding: 'utf8' }).stdout

export function killServer(dataDir: string): void {
  const pid = findServer(dataDir)
  if (pid) process.kill(pid, 'SIGKILL')
}

import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { globSync, openSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { isExecutable } from '../../helpers/executable.ts'

/** Debian installs PgBouncer and HAProxy in folders that only root has in its PATH. */
const FOLDERS = ['/usr/sbin', '/usr/bin', '/sbin', '/bin']

const find = (name: string) => FOLDERS.map((folder) => join(folder, name)).find(isExecutable)

/** The newest installed Postgres. */
const postgresFolder = globSync('/usr/lib/postgresql/*/bin')
  .sort((a, b) => versionOf(a) - versionOf(b))
  .findLast((folder) => isExecutable(join(folder, 'pg_rewind')))

function versionOf(folder: string): number {
  return Number(folder.split('/')[4])
}

const setpriv = find('setpriv')
export const pgbouncer = find('pgbouncer')
export const haproxy = find('haproxy')
export const nginx = find('nginx')

const missing = Object.entries({ postgresql: postgresFolder, pgbouncer, haproxy, 'util-linux': setpriv })
  .filter(([, found]) => !found)
  .map(([name]) => name)

/** Why this machine cannot run a cluster; undefined if it can. */
export const missingPrograms = missing.length > 0 ? `needs these Debian packages: ${missing.join(', ')}` : undefined

export const postgresProgram = (name: string) => join(postgresFolder!, name)

/** Postgres and PgBouncer refuse to run as root. Started by root, they run as `nobody`. */
export const OWNER = process.getuid?.() === 0 ? 65_534 : undefined

interface Privileges {
  /** Whether root starts the program as an unprivileged user. */
  unprivileged: boolean
}

/** The command line. The kernel kills the program when this process ends. */
function command([program, ...args]: string[], { unprivileged }: Privileges): [string, string[]] {
  const user = unprivileged && OWNER !== undefined ? [`--reuid=${OWNER}`, `--regid=${OWNER}`, '--clear-groups'] : []
  return [setpriv!, ['--pdeathsig=KILL', ...user, program!, ...args]]
}

/** Runs a program to its end. If it fails, throws what it wrote to stderr. */
export async function run(line: string[], env: Record<string, string> = {}): Promise<string> {
  const [program, args] = command(line, { unprivileged: true })
  return (await promisify(execFile)(program, args, { env: { ...BASE_ENV, ...env }, cwd: '/' })).stdout
}

/** Starts a program. Its output is appended to `log`. */
export function start(
  line: string[],
  log: string,
  { unprivileged, cwd = '/', env = {} }: Privileges & Place,
): ChildProcess {
  const [program, args] = command(line, { unprivileged })
  const output = openSync(log, 'a')
  return spawn(program, args, { env: { ...BASE_ENV, ...env }, cwd, stdio: ['ignore', output, output] })
}

interface Place {
  cwd?: string
  env?: Record<string, string>
}

const BASE_ENV = { PATH: process.env.PATH ?? '', LANG: 'C.UTF-8' }

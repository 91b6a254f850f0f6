import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { globSync, openSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { isExecutable } from '../../helpers/executable.ts'

/** Debian's PgBouncer and HAProxy are where root finds its programs. */
const FOLDERS = ['/usr/sbin', '/usr/bin', '/sbin', '/bin']

const find = (name: string) => FOLDERS.map((folder) => join(folder, name)).find(isExecutable)

/** The newest Postgres of Debian's. */
const postgresFolder = globSync('/usr/lib/postgresql/*/bin')
  .sort((a, b) => versionOf(a) - versionOf(b))
  .findLast((folder) => isExecutable(join(folder, 'pg_rewind')))

function versionOf(folder: string): number {
  return Number(folder.split('/')[4])
}

const setpriv = find('setpriv')
export const pgbouncer = find('pgbouncer')
export const haproxy = find('haproxy')

const missing = Object.entries({ postgresql: postgresFolder, pgbouncer, haproxy, 'util-linux': setpriv })
  .filter(([, found]) => !found)
  .map(([name]) => name)

/** Why there can be no cluster on this machine; undefined where there can be one. */
export const reason = missing.length > 0 ? `needs ${missing.join(', ')} (Debian's packages)` : undefined

export const postgresProgram = (name: string) => join(postgresFolder!, name)

/** Postgres and PgBouncer refuse to run as root: then they run as nobody, who owns nothing else. */
export const OWNER = process.getuid?.() === 0 ? 65_534 : undefined

interface As {
  /** As an unprivileged user, where we are root. */
  unprivileged: boolean
}

/** Whatever is started ends with us, however we end. */
function command([program, ...args]: string[], { unprivileged }: As): [string, string[]] {
  const user = unprivileged && OWNER !== undefined ? [`--reuid=${OWNER}`, `--regid=${OWNER}`, '--clear-groups'] : []
  return [setpriv!, ['--pdeathsig=KILL', ...user, program!, ...args]]
}

/** Runs a program to its end. Throws what it wrote to stderr where it fails. */
export async function run(line: string[], env: Record<string, string> = {}): Promise<string> {
  const [program, args] = command(line, { unprivileged: true })
  return (await promisify(execFile)(program, args, { env: { ...BARE, ...env }, cwd: '/' })).stdout
}

/** Starts a program that goes on; what it says is added to `log`. */
export function start(line: string[], log: string, { unprivileged, cwd = '/', env = {} }: As & Place): ChildProcess {
  const [program, args] = command(line, { unprivileged })
  const output = openSync(log, 'a')
  return spawn(program, args, { env: { ...BARE, ...env }, cwd, stdio: ['ignore', output, output] })
}

interface Place {
  cwd?: string
  env?: Record<string, string>
}

const BARE = { PATH: process.env.PATH ?? '', LANG: 'C.UTF-8' }

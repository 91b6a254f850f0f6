import { spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import fs from 'node:fs'
import { join } from 'node:path'
import { findBinaries } from './binaries.ts'
import { assertVersion, findComplaint, ownerOf } from './data-folder.ts'
import { assertCanEnter, giveTo, type ServerUser, spawnOptionsFor } from './server-user.ts'

/** Only a part of the socket's name: the server does not listen on TCP. */
export const PORT = 5432

/** A server process that this process started. */
export interface Postmaster {
  hasEnded: boolean
  /** The reason, if the server ended with an error. */
  failure?: string
}

/** Starts a server on the data folder. `settings` are those of postgresql.conf. */
export function startPostmaster(folder: string, settings: Record<string, string>): Postmaster {
  assertVersion(folder)
  const user = ownerOf(folder)
  assertCanEnter(folder, user)
  const socketDir = createSocketDir(folder, user)
  const options = {
    // The log omits failed statements, since their text holds captions. The caller logs the error.
    log_min_messages: 'log',
    log_checkpoints: 'off',
    ...settings,
    listen_addresses: '',
    unix_socket_directories: socketDir,
    port: String(PORT),
  }
  const { O_APPEND, O_CREAT, O_RDWR, O_NOFOLLOW } = fs.constants
  const logPath = join(folder, 'server.log')
  const log = fs.openSync(logPath, O_APPEND | O_CREAT | O_RDWR | O_NOFOLLOW, 0o600)
  giveTo(user, logPath)
  const logStart = fs.fstatSync(log).size
  const args = Object.entries(options).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  const child = spawn(join(findBinaries(folder, user), 'postgres'), ['-D', folder, ...args], {
    ...spawnOptionsFor(user),
    // In a session of its own, so that Ctrl-C in the terminal does not stop the server before this process has
    // finished.
    detached: true,
    stdio: ['ignore', log, log],
  })
  child.unref()
  const postmaster: Postmaster = { hasEnded: false }
  child.once('error', (error) => Object.assign(postmaster, { hasEnded: true, failure: error.message }))
  child.once('exit', (code) => {
    postmaster.hasEnded = true
    if (code) postmaster.failure = findComplaint(readFrom(logPath, logStart))
    removeSocketDir(socketDir)
  })
  fs.closeSync(log)
  return postmaster
}

/** Returns '' if the file is missing: the whole folder may have been removed. */
function readFrom(path: string, position: number): string {
  try {
    return fs.readFileSync(path).subarray(position).toString()
  } catch {
    return ''
  }
}

/** Reads the lock file that a postmaster writes into its data folder. */
export function readLock(folder: string): { pid: number; socketDir: string; status: string | undefined } | undefined {
  try {
    const lines = fs.readFileSync(join(folder, 'postmaster.pid'), 'utf8').split('\n')
    return { pid: Number(lines[0]), socketDir: lines[4] ?? '', status: lines[7]?.trim() }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

/**
 * Whether the lock file belongs to a running postmaster. Postgres replaces a stale lock file itself, unless its pid now
 * belongs to another program (usual in containers) or to a zombie. In these cases, this function removes the file.
 */
export function isPostmasterRunning(folder: string): boolean {
  const pid = readLock(folder)?.pid
  const found = pid ? findProcess(pid) : undefined
  if (!found) return false
  if (found.program?.endsWith('postgres') && !/[ZX]/.test(found.state ?? '')) return true
  fs.rmSync(join(folder, 'postmaster.pid'), { force: true })
  fs.rmSync(join(socketDirOf(folder), `.s.PGSQL.${PORT}.lock`), { force: true })
  return false
}

/**
 * Reads the program and the state of a process from sources that every user can read. Undefined if it is not running.
 */
function findProcess(pid: number): Record<string, string> | undefined {
  if (process.platform !== 'linux') {
    const { stdout } = spawnSync('ps', ['-o', 'state=', '-o', 'comm=', '-p', `${pid}`], { encoding: 'utf8' })
    return /(?<state>\S+)\s+(?<program>.*)/.exec(stdout)?.groups
  }
  try {
    return /\((?<program>.*)\) (?<state>.)/s.exec(fs.readFileSync(`/proc/${pid}/stat`, 'utf8'))?.groups
  } catch {
    return undefined
  }
}

/**
 * The folder of the server's socket. The path of a socket has at most 107 bytes, which many checkouts exceed. TMPDIR
 * may be as long, and may belong to one login session.
 */
export function socketDirOf(folder: string): string {
  const hash = createHash('sha256').update(folder).digest('hex').slice(0, 16)
  return `/tmp/postroom-${fs.statSync(folder).uid}-${hash}`
}

function createSocketDir(folder: string, user: ServerUser): string {
  const path = socketDirOf(folder)
  fs.mkdirSync(path, { recursive: true, mode: 0o700 })
  try {
    const { uid, mode } = fs.lstatSync(path)
    if (![user.uid, process.getuid?.()].includes(uid) || (mode & 0o170777) !== 0o040700) {
      throw new Error(`${path} is not a folder of uid ${user.uid} with mode 0700: remove it`)
    }
    giveTo(user, path)
  } catch (error) {
    // A process that just stopped its server removed the folder. This server then fails to start, and is started again.
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
  return path
}

export function removeSocketDir(path: string): void {
  try {
    fs.rmdirSync(path)
  } catch {
    // Already removed, or used by the next server.
  }
}

import { spawn, spawnSync } from 'node:child_process'
import fs from 'node:fs'
import { dirname, join } from 'node:path'
import { findBinaries, majorVersion } from './binaries.ts'
import { assertCanEnter, canEnter, giveTo, isRoot, NOBODY, type ServerUser, spawnOptionsFor } from './server-user.ts'
import { createTemporaryFolder, removeAbandonedFolders } from './temporary-folders.ts'

/**
 * The place of root's data folders that NOBODY cannot reach. Not /var/tmp: every user can write there, and cron cleans
 * it.
 */
const STATE_DIR = '/var/lib/postroom'

type Log = (line: string) => void

/**
 * Returns the real path of the Postgres data folder `dataDir`, and initialises the folder if it is missing or empty. As
 * root, if the server's user cannot reach it (in a checkout under /root), `dataDir` becomes a link to a new folder in
 * /var/lib/postroom.
 */
export async function findOrInitialise(dataDir: string, fsync: boolean, log: Log): Promise<string> {
  const found = fs.statSync(dataDir, { throwIfNoEntry: false })
  if (!found && fs.lstatSync(dataDir, { throwIfNoEntry: false })) {
    throw new Error(
      `${dataDir} links to ${fs.readlinkSync(dataDir)}, which is missing: restore that folder or remove the link`,
    )
  }
  if (found && !isRoot() && found.uid !== process.getuid?.()) {
    throw new Error(`${dataDir} belongs to uid ${found.uid}: run as that user or as root, or remove the folder`)
  }
  if (!found || fs.readdirSync(dataDir).length === 0) await initialise(dataDir, fsync, log)
  else if (!fs.existsSync(join(dataDir, 'PG_VERSION'))) {
    throw new Error(`${dataDir} is not empty and not a PostgreSQL data folder: empty it or choose another`)
  }
  return fs.realpathSync(dataDir)
}

/** Throws if another major version of PostgreSQL created the data folder. */
export function assertVersion(folder: string): void {
  const version = fs.readFileSync(join(folder, 'PG_VERSION'), 'utf8').trim()
  if (version === majorVersion()) return
  throw new Error(
    `${folder} is of PostgreSQL ${version}, this is ${majorVersion()}: move the data with pg_dump of version ${version}`,
  )
}

/**
 * Returns the owner of a data folder, as whom its server runs. A folder that root copied or restored is given to
 * NOBODY.
 */
export function ownerOf(folder: string): ServerUser {
  const { uid, gid } = fs.statSync(folder)
  if (uid !== 0) return { uid, gid }
  spawnSync('chown', ['-Rh', `${NOBODY.uid}:${NOBODY.gid}`, folder])
  fs.chmodSync(folder, 0o700)
  return NOBODY
}

/** The last complaint in the output of Postgres, in one line: lines with a severity, without their time and pid. */
export function findComplaint(output: string): string {
  const lines = output.split('\n')
  const complaints = lines.flatMap((line) => /(?:FATAL|PANIC|DETAIL|HINT|error): .*/.exec(line)?.[0] ?? [])
  const last = (complaints.length > 0 ? complaints : lines).slice(-4).join(' ')
  return last.replace(/\s+/g, ' ').trim() || 'no reason given'
}

/**
 * Initialises a folder beside `dataDir` and renames it, so that an interrupted initdb leaves no half-finished
 * `dataDir`.
 */
async function initialise(dataDir: string, fsync: boolean, log: Log): Promise<void> {
  const parent = dirname(dataDir)
  fs.mkdirSync(parent, { recursive: true })
  removeAbandonedFolders(dataDir)
  const user = isRoot() ? NOBODY : { uid: process.getuid?.() ?? -1, gid: process.getgid?.() ?? -1 }
  const isReachable = canEnter(parent, user)
  const home = isReachable ? createTemporaryFolder(dataDir) : createStateFolder(user)
  try {
    const folder = isReachable ? home : join(home, 'data')
    fs.mkdirSync(folder, { recursive: true, mode: 0o700 })
    giveTo(user, folder)
    await runInitdb(folder, user, fsync)
    if (isReachable) fs.renameSync(folder, dataDir)
    else {
      if (fs.existsSync(dataDir)) fs.rmdirSync(dataDir)
      fs.symlinkSync(folder, dataDir)
      log(`Postgres runs as uid ${user.uid}, which cannot enter ${parent}: the data is in ${folder}`)
    }
    syncFolder(parent)
  } catch (error) {
    fs.rmSync(home, { recursive: true, force: true })
    // Another process may have initialised the folder first.
    if (!fs.existsSync(join(dataDir, 'PG_VERSION'))) throw error
  }
}

async function runInitdb(folder: string, user: ServerUser, fsync: boolean): Promise<void> {
  const args = ['-D', folder, '-U', 'postgres', '--auth-local=trust', '--auth-host=reject', '--no-instructions']
  // The encoding is explicit: it would be SQL_ASCII if LANG is unset.
  args.push('--encoding=UTF8', '--locale-provider=builtin', '--builtin-locale=C.UTF-8')
  if (!fsync) args.push('--no-sync')
  const child = spawn(join(findBinaries(folder, user), 'initdb'), args, {
    ...spawnOptionsFor(user),
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let stderr = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text
  })
  const code = await new Promise((resolve, reject) => child.once('error', reject).once('close', resolve))
  if (code !== 0) throw new Error(`initialising ${folder} failed: ${findComplaint(stderr)}`)
}

/** Creates a folder for one data folder, so that the two can be removed together. */
function createStateFolder(user: ServerUser): string {
  fs.mkdirSync(STATE_DIR, { recursive: true })
  const folder = fs.mkdtempSync(join(STATE_DIR, 'checkout-'))
  for (const path of [STATE_DIR, folder]) fs.chmodSync(path, 0o755)
  assertCanEnter(folder, user)
  return folder
}

/** Makes a rename or a link in `folder` survive a power failure. initdb and Postgres do so inside the data folder. */
function syncFolder(folder: string): void {
  const fd = fs.openSync(folder, 'r')
  fs.fsyncSync(fd)
  fs.closeSync(fd)
}

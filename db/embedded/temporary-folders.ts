import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import { basename, dirname, join } from 'node:path'

/**
 * Creates a folder beside `path`, to be renamed to `path` when it is complete. Its name holds the pid of this process.
 */
export const createTemporaryFolder = (path: string): string => fs.mkdtempSync(`${path}.init-${process.pid}-`)

/** Removes the temporary folders of `path` whose processes were killed. */
export function removeAbandonedFolders(path: string): void {
  const prefix = `${basename(path)}.init-`
  for (const name of fs.readdirSync(dirname(path))) {
    if (!name.startsWith(prefix)) continue
    try {
      process.kill(Number.parseInt(name.slice(prefix.length), 10), 0)
    } catch (error) {
      if ((error as { code?: string }).code !== 'ESRCH') continue
      // An initdb that outlives its parent may still write there, which makes fs.rmSync fail.
      spawnSync('rm', ['-rf', join(dirname(path), name)])
    }
  }
}

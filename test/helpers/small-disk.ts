import { execFileSync } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Teardown } from './database.ts'

/** For the `skip` of tests that mount a file system of their own, which needs root on Linux. */
export const withoutMounts = canMount() ? false : 'only root can mount a file system of limited size'

/** Mounts an empty file system of this size. Returns its folder. */
export function mountSmallDisk(t: Teardown, kilobytes: number): string {
  const folder = mkdtempSync(join(tmpdir(), 'postroom-disk-'))
  mount(folder, kilobytes)
  t.teardown(async () => {
    // Lazy: a process may still have one of its files open.
    execFileSync('umount', ['--lazy', folder])
    rmSync(folder, { recursive: true, force: true })
  })
  chmodSync(folder, 0o755)
  return folder
}

function mount(folder: string, kilobytes: number): void {
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${kilobytes}k`, 'tmpfs', folder], { stdio: 'ignore' })
}

function canMount(): boolean {
  if (process.getuid?.() !== 0) return false
  const folder = mkdtempSync(join(tmpdir(), 'postroom-disk-'))
  try {
    mount(folder, 64)
    execFileSync('umount', [folder])
    return true
  } catch {
    return false
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

import { execFile } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { isExecutable } from '../../helpers/executable.ts'
import { withoutMounts } from '../../helpers/small-disk.ts'

/** A build downloads the packages from npm. */
const TIMEOUT_MS = 600_000

const programs = { buildah: '/usr/bin/buildah', 'util-linux': '/usr/bin/nsenter' }
const missing = Object.entries(programs)
  .filter(([, path]) => !isExecutable(path))
  .map(([name]) => name)

/** Why this machine cannot build and run an image; undefined if it can. */
export const cannotRun =
  missing.length > 0
    ? `needs these Debian packages: ${missing.join(', ')}`
    : withoutMounts
      ? 'needs root, which mounts file systems and creates namespaces'
      : undefined

export type Buildah = (...args: string[]) => Promise<string>

/** Buildah with images of its own in `folder`. It needs neither a container runtime nor overlay mounts. */
export function createBuildah(folder: string): Buildah {
  const [root, runroot, tmp] = ['root', 'runroot', 'tmp'].map((name) => join(folder, name)) as [string, string, string]
  mkdirSync(tmp, { recursive: true })
  const storage = ['--root', root, '--runroot', runroot, '--storage-driver', 'vfs']
  return async (...args) => {
    const { stdout } = await promisify(execFile)(programs.buildah, [...storage, ...args], {
      env: { PATH: process.env.PATH, HOME: folder, TMPDIR: tmp, BUILDAH_ISOLATION: 'chroot' },
      maxBuffer: 64 * 1024 * 1024,
      timeout: TIMEOUT_MS,
    })
    return stdout.trim()
  }
}

/** Builds an image from one folder. */
export async function buildFromFolder(buildah: Buildah, name: string, folder: string): Promise<void> {
  const container = await buildah('from', 'scratch')
  await buildah('copy', '--quiet', container, folder, '/')
  await buildah('config', '--env', 'PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin', container)
  await buildah('commit', '--quiet', '--rm', container, name)
}

import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, globSync, mkdirSync, readFileSync, realpathSync, renameSync, rmSync } from 'node:fs'
import { chmod, mkdtemp, rm, statfs } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { openEmbedded } from '../../db/embedded/server.ts'
import { createTemplate, dropDatabases } from './database.ts'

/** Test data need not survive a power cut. Without durability, commits are faster. */
const SETTINGS = { fsync: 'off', full_page_writes: 'off', synchronous_commit: 'off', max_connections: '200' }

const IN_MEMORY = '/dev/shm'
/** `make test-faults` takes up to 1.9 GB of it. */
const ROOM_BYTES = 4 * 2 ** 30

/** The folder of kept data folders. Each run copies one with the template, because creating it takes seconds. */
const KEPT = 'node_modules/.cache/postgres'

/**
 * Runs `work` with a Postgres server in TEST_DATABASE_URL, and with the template of test databases on it. The server is
 * the one that the variable names, or an embedded one that is stopped afterwards. `scratch` is a temporary folder,
 * removed afterwards.
 */
export async function withPostgres<T>(work: (scratch: string) => Promise<T>): Promise<T> {
  const scratch = await mkdtemp(join(await findRoom(), 'postroom-test-'))
  try {
    if (process.env.TEST_DATABASE_URL) {
      await dropDatabases()
      await createTemplate()
      return await work(scratch).finally(dropDatabases)
    }
    // Started by root, Postgres runs as another user, who needs access.
    await chmod(scratch, 0o755)
    const dataDir = join(scratch, 'data')
    const kept = nameKept(KEPT)
    if (!existsSync(kept)) {
      await withEmbedded(dataDir, createTemplate)
      keep(dataDir, kept)
    } else copyFolder(kept, dataDir)
    return await withEmbedded(dataDir, () => work(scratch))
  } finally {
    await rm(scratch, { recursive: true, force: true })
  }
}

/** A folder in memory, where Linux has room in one: a disk takes longer to create the files of a database. */
async function findRoom(): Promise<string> {
  const { bavail, bsize } = await statfs(IN_MEMORY).catch(() => ({ bavail: 0, bsize: 0 }))
  return bavail * bsize >= ROOM_BYTES ? IN_MEMORY : tmpdir()
}

async function withEmbedded<T>(dataDir: string, work: () => Promise<T>): Promise<T> {
  const { url, close } = await openEmbedded({ dataDir, settings: SETTINGS })
  process.env.TEST_DATABASE_URL = url
  return work().finally(close)
}

/** The name in `folder` of what has a migrated database: another one after each change of `db` or of a package. */
export function nameKept(folder: string): string {
  const hash = createHash('sha256')
  for (const file of ['package.json', ...globSync('db/**/*.{ts,sql}')].sort()) hash.update(readFileSync(file))
  return join(folder, hash.digest('hex').slice(0, 16))
}

/** Keeps a copy of the data folder under the name `kept`, and no other one. */
function keep(dataDir: string, kept: string): void {
  rmSync(dirname(kept), { recursive: true, force: true })
  mkdirSync(dirname(kept), { recursive: true })
  const copy = `${kept}.${process.pid}`
  copyFolder(dataDir, copy)
  // Another run may have kept its copy first.
  if (!existsSync(kept)) renameSync(copy, kept)
}

/** Keeps owners and modes, which Postgres checks. */
const copyFolder = (from: string, to: string) => execFileSync('cp', ['-a', realpathSync(from), to])

import { execFileSync } from 'node:child_process'
import { chmodSync, globSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { report } from '../helpers/report.ts'
import { type Database, withDatabase } from './comparison.ts'
import { createPeople, loadPosts, vacuumDatabase } from './data.ts'
import { type Request, runLoad } from './load.ts'
import { type Running, startService } from './processes.ts'
import { compare, rowOf } from './rounds.ts'
import { REPEATED } from './workloads.ts'

const PEOPLE = 32
const POSTS_PER_PERSON = 500

/**
 * Compares the service with an earlier version on one database, in turns, by each operation that clients repeat:
 * `node test/bench/against.ts [VERSION] [ROUNDS] [SECONDS] [--only=OPERATION]… [--debian]`. The version is a release
 * that `make snapshot` has kept, by default the last one, or a commit that runs on today's tables and packages.
 * Operations that it does not have are left out. With `--debian`, the database is Debian's PostgreSQL.
 */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { only: { type: 'string', multiple: true }, debian: { type: 'boolean' } },
})
const releases = new Map(globSync('test/upgrade/releases/*.tgz').map((file) => [basename(file, '.tgz'), file]))
const lastRelease = [...releases.keys()].sort(new Intl.Collator('en', { numeric: true }).compare).at(-1)!
const [version = lastRelease, ...settings] = positionals
const [rounds = 9, seconds = 2] = settings.map(Number)
const { only = Object.keys(REPEATED), debian: isDebian } = values

const folder = mkdtempSync(join(tmpdir(), 'postroom-commit-'))
chmodSync(folder, 0o755)
try {
  execFileSync('tar', ['-xz', '-C', folder], { input: readSources(version) })
  symlinkSync(resolve('node_modules'), join(folder, 'node_modules'))
  await withDatabase(measure, { isDebian })
} finally {
  rmSync(folder, { recursive: true, force: true })
}

function readSources(version: string): Buffer {
  const release = releases.get(version)
  if (release) return readFileSync(release)
  const archive = ['archive', '--format=tar.gz', version, 'src', 'schemas', 'db', 'package.json']
  return execFileSync('git', archive, { maxBuffer: 64 * 1024 * 1024 })
}

async function measure({ url, dataDir, scratch }: Database) {
  const people = await createPeople(url, PEOPLE)
  for (const person of people) await loadPosts(url, person, POSTS_PER_PERSON)
  const servers: Running[] = []
  try {
    for (const cwd of ['.', folder]) servers.push(await startService({ DATABASE_URL: url, MEDIA_DIR: scratch }, cwd))
    const [service, baseline] = servers as [Running, Running]
    const rows = []
    for (const name of only) {
      const workload = REPEATED[name]!
      if (!(await hasOperation(baseline, workload(people[0]!)))) continue
      await vacuumDatabase(url)
      const turns = { rounds, ms: seconds * 1000 }
      rows.push(rowOf(name, await compare({ service, baseline, people, dataDir }, workload, turns)))
    }
    report('against', rows, { version, rounds, seconds, isDebian })
  } finally {
    for (const server of servers) await server.stop()
  }
}

function hasOperation({ port }: Running, next: () => Request): Promise<boolean> {
  return runLoad(port, 1, next, { requests: 1 }).then(
    () => true,
    () => false,
  )
}

import { execFileSync } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { report } from '../helpers/report.ts'
import { type Database, withDatabase } from './comparison.ts'
import { createPeople, loadPosts, vacuumDatabase } from './data.ts'
import { type Running, startService } from './processes.ts'
import { compare, rowOf } from './rounds.ts'
import { REPEATED } from './workloads.ts'

const PEOPLE = 32
const POSTS_PER_PERSON = 500

/**
 * Compares the service with an earlier commit on one database, in turns, by each operation that clients repeat:
 * `node test/bench/against.ts COMMIT [ROUNDS] [SECONDS] [--only=OPERATION]… [--debian]`. The commit has to run on
 * today's tables and packages. With `--debian`, the database is Debian's PostgreSQL with its defaults.
 */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { only: { type: 'string', multiple: true }, debian: { type: 'boolean' } },
})
const [commit = 'HEAD', ...settings] = positionals
const [rounds = 9, seconds = 2] = settings.map(Number)
const { only = Object.keys(REPEATED), debian: isDebian } = values

const folder = mkdtempSync(join(tmpdir(), 'postroom-commit-'))
chmodSync(folder, 0o755)
try {
  const archive = execFileSync('git', ['archive', commit, 'src', 'schemas', 'db', 'package.json'], {
    maxBuffer: 256 * 1024 * 1024,
  })
  execFileSync('tar', ['-x', '-C', folder], { input: archive })
  symlinkSync(resolve('node_modules'), join(folder, 'node_modules'))
  await withDatabase(measure, { isDebian })
} finally {
  rmSync(folder, { recursive: true, force: true })
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
      await vacuumDatabase(url)
      const turns = { rounds, ms: seconds * 1000 }
      rows.push(rowOf(name, await compare({ service, baseline, people, dataDir }, REPEATED[name]!, turns)))
    }
    report('against', rows, { commit, rounds, seconds, isDebian })
  } finally {
    for (const server of servers) await server.stop()
  }
}

import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import pg from 'pg'
import { postgresPids } from '../helpers/processes.ts'
import { report } from '../helpers/report.ts'
import { until } from '../helpers/until.ts'
import { withDatabase } from './comparison.ts'
import { cpuSeconds, type Running, startWorker } from './processes.ts'
import { countPublished, LATENESS, loadAccounts, loadDuePosts } from './publishing.ts'

/**
 * Measures how fast workers publish posts to the sandbox that all become due within one second, with one, two and four
 * workers. Every post has an account of its own; `--accounts` shares them among fewer.
 * `node test/bench/publisher.ts [POSTS] [WORKERS…] [--accounts=NUMBER]`.
 */
const { values, positionals } = parseArgs({ allowPositionals: true, options: { accounts: { type: 'string' } } })
const [posts = 10_000, ...numbers] = positionals.map(Number)
const accounts = Number(values.accounts ?? posts)
const WORKERS = numbers.length > 0 ? numbers : [1, 2, 4]

/** Time between the start of the workers and the first due post. */
const AHEAD_MS = 3_000
const TIMEOUT_MS = 300_000

async function measure(count: number, databaseUrl: string, dataDir: string, scratch: string) {
  const client = new pg.Client(databaseUrl)
  await client.connect()
  const key = randomBytes(32)
  const workers: Running[] = []
  try {
    const accountIds = await loadAccounts(client, key, accounts)
    const env = { DATABASE_URL: databaseUrl, MEDIA_DIR: scratch, CREDENTIALS_KEY: key.toString('base64') }
    const dueAt = Date.now() + AHEAD_MS + posts / 20
    await loadDuePosts(client, { accountIds, posts, dueAt, spreadMs: 1_000 })
    await client.query('vacuum (analyze)')
    // Afterwards, because Postgres plans statements for the tables as they are then.
    while (workers.length < count) workers.push(await startWorker(env))
    if (Date.now() > dueAt) throw new Error('Loading the posts took longer than the time until they were due')

    await sleep(dueAt - Date.now())
    const readCpu = () => ({
      workers: cpuSeconds(workers.map(({ pid }) => pid)) ?? Number.NaN,
      postgres: cpuSeconds(postgresPids(dataDir)) ?? Number.NaN,
    })
    const before = readCpu()
    await until('all posts are published', () => countPublished(client), {
      timeoutMs: TIMEOUT_MS,
      intervalMs: 100,
      isMet: (published) => published === posts,
    })
    const after = readCpu()
    const { rows } = await client.query(LATENESS)
    const [figures] = rows
    return {
      workers: count,
      'posts/s': Math.round(posts / figures.seconds),
      'start p50 s': Number(figures.start_p50.toFixed(2)),
      'start p99 s': Number(figures.start_p99.toFixed(2)),
      'published p99 s': Number(figures.published_p99.toFixed(2)),
      'worker µs': Math.round(((after.workers - before.workers) / posts) * 1e6),
      'Postgres µs': Math.round(((after.postgres - before.postgres) / posts) * 1e6),
    }
  } finally {
    for (const worker of workers) await worker.stop()
    await client.end()
  }
}

const rows: Awaited<ReturnType<typeof measure>>[] = []
for (const count of WORKERS) {
  await withDatabase(async ({ url, dataDir, scratch }) => rows.push(await measure(count, url, dataDir, scratch)))
}
report('publisher', rows, { posts, accounts })

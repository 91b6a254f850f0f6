import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import pg from 'pg'
import { v7 as uuidv7 } from 'uuid'
import { createKeyring } from '../../src/credentials/keyring.ts'
import { postgresPids } from '../helpers/processes.ts'
import { report } from '../helpers/report.ts'
import { until } from '../helpers/until.ts'
import { withDatabase } from './comparison.ts'
import { copy } from './data.ts'
import { cpuSeconds, type Running, startWorker } from './processes.ts'

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

const USER = uuidv7()

async function measure(count: number, databaseUrl: string, dataDir: string, scratch: string) {
  const client = new pg.Client(databaseUrl)
  await client.connect()
  const key = randomBytes(32)
  const workers: Running[] = []
  try {
    const accountIds = await loadAccounts(client, key)
    const env = { DATABASE_URL: databaseUrl, MEDIA_DIR: scratch, CREDENTIALS_KEY: key.toString('base64') }
    const dueAt = Date.now() + AHEAD_MS + posts / 20
    await loadDuePosts(client, accountIds, dueAt)
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

/** A delivery starts when its worker has committed the intent and is about to call the network. */
const LATENESS = `
  select
    extract(epoch from max(published_at) - min(due_at))::float8 as seconds,
    percentile_cont(0.5) within group (order by extract(epoch from attempt.intended_at - due_at))::float8 as start_p50,
    percentile_cont(0.99) within group (order by extract(epoch from attempt.intended_at - due_at))::float8 as start_p99,
    percentile_cont(0.99) within group (order by extract(epoch from published_at - due_at))::float8 as published_p99
  from post_targets join delivery_attempts attempt using (user_id, post_id, account_id)`

async function countPublished(client: pg.Client): Promise<number> {
  const { rows } = await client.query(`select count(*)::int from post_targets where claimable_at is null`)
  return rows[0].count
}

async function loadAccounts(client: pg.Client, key: Buffer): Promise<string[]> {
  await client.query(`insert into users (id, name) values ($1, 'ada')`, [USER])
  const ids = Array.from({ length: accounts }, () => uuidv7())
  const keyring = createKeyring([key])
  await copy(client, 'accounts (id, platform, username, user_id)', accounts, (index) => [
    ...[ids[index], 'sandbox', `ada${index}`, USER],
  ])
  await copy(client, 'account_credentials (account_id, key_id, data_key, data)', accounts, (index) => {
    const { keyId, dataKey, data } = keyring.seal(ids[index]!, { username: `ada${index}` })
    return [ids[index], keyId, `\\\\x${dataKey.toString('hex')}`, `\\\\x${data.toString('hex')}`]
  })
  return ids
}

/** Due times are spread evenly over one second. */
async function loadDuePosts(client: pg.Client, accountIds: string[], dueAt: number): Promise<void> {
  const ids = Array.from({ length: posts }, () => uuidv7())
  const at = (index: number) => new Date(dueAt + Math.floor((index / posts) * 1000)).toISOString()
  await copy(client, 'posts (user_id, id, caption, post_type, status, scheduled_at)', posts, (index) => [
    ...[USER, ids[index], `Post ${index}`, 'post', 'scheduled', at(index)],
  ])
  await copy(
    client,
    'post_targets (user_id, post_id, account_id, platform, state, due_at, claimable_at)',
    posts,
    (index) => [USER, ids[index], accountIds[index % accounts], 'sandbox', 'queued', at(index), at(index)],
  )
}

const rows: Awaited<ReturnType<typeof measure>>[] = []
for (const count of WORKERS) {
  await withDatabase(async ({ url, dataDir, scratch }) => rows.push(await measure(count, url, dataDir, scratch)))
}
report('publisher', rows, { posts, accounts })

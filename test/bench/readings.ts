import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import pg from 'pg'
import { connect } from '../../db/client.ts'
import { createKeyring } from '../../src/base/keyring/keyring.ts'
import { loadReadings } from '../helpers/due-readings.ts'
import { report } from '../helpers/report.ts'
import { startStatusServer } from '../helpers/status-server.ts'
import { until } from '../helpers/until.ts'
import { type Database, withDatabase } from './comparison.ts'
import { startWorker } from './processes.ts'
import { countPublished, LATENESS, loadAccounts, loadDuePosts, USER } from './publishing.ts'
import { median } from './rounds.ts'

/**
 * Measures when deliveries start beside due readings of numbers, and without any. Posts become due evenly, 50 in a
 * second. `node test/bench/readings.ts [POSTS] [READINGS] [ROUNDS]`.
 */
const { positionals } = parseArgs({ allowPositionals: true })
const [posts = 1_500, readings = 10_000, rounds = 3] = positionals.map(Number)

const POSTS_PER_SECOND = 50
/** One call reads the posts of an account. */
const POSTS_PER_ACCOUNT = 20
const AHEAD_MS = 5_000

const ends: (() => unknown)[] = []
const server = await startStatusServer({ teardown: (end) => ends.push(end) })

async function measure({ url, scratch }: Database, count: number) {
  const key = randomBytes(32)
  const db = connect({ url })
  const client = new pg.Client(url)
  await client.connect()
  const accountIds = await loadAccounts(client, key, posts)
  const load = { userId: USER, credentials: server.credentials, posts: readings }
  // Both rounds have the same rows.
  await loadReadings(db, createKeyring([key]), { ...load, accounts: Math.ceil(readings / POSTS_PER_ACCOUNT) })
  const before = server.read()
  const dueAt = Date.now() + AHEAD_MS
  await loadDuePosts(client, { accountIds, posts, dueAt, spreadMs: (posts / POSTS_PER_SECOND) * 1_000 })
  await client.query('vacuum (analyze)')
  const env = { DATABASE_URL: url, MEDIA_DIR: scratch, CREDENTIALS_KEY: key.toString('base64'), ...server.env }
  const worker = await startWorker({ ...env, METRICS: count > 0 ? 'on' : 'off' })
  try {
    await sleep(Math.max(0, dueAt - Date.now()))
    await until('all posts are published', () => countPublished(client), {
      timeoutMs: 300_000,
      intervalMs: 250,
      isMet: (published) => published === posts,
    })
    const { rows } = await client.query(LATENESS)
    const [{ start_p50, start_p99 }] = rows
    return { readings: count, read: server.read() - before, 'start p50 s': start_p50, 'start p99 s': start_p99 }
  } finally {
    await worker.stop()
    await client.end()
    await db.destroy()
  }
}

const rows: Awaited<ReturnType<typeof measure>>[] = []
for (let round = 0; round < rounds; round++) {
  // The order alternates, so that other load on the machine affects both.
  for (const count of round % 2 === 0 ? [0, readings] : [readings, 0]) {
    await withDatabase(async (database) => rows.push(await measure(database, count)))
  }
}
for (const end of ends) await end()
const p99 = (hasReadings: boolean) =>
  median(rows.filter(({ readings }) => readings > 0 === hasReadings).map((row) => row['start p99 s']))
report('readings', [...rows, { 'p99 ratio': p99(true) / p99(false) }], { posts })

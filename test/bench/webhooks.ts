import { randomBytes } from 'node:crypto'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { v7 as uuidv7 } from 'uuid'
import { createKeyring } from '../../src/base/keyring/keyring.ts'
import { parseAllowedHost } from '../../src/base/outbound/allow-list.ts'
import { createPublicClient } from '../../src/base/outbound/client.ts'
import { generateSecret } from '../../src/features/webhooks/sign.ts'
import { postgresPids } from '../helpers/processes.ts'
import { report } from '../helpers/report.ts'
import { until } from '../helpers/until.ts'
import { withDatabase } from './comparison.ts'
import { cpuSeconds, startWorker } from './processes.ts'

/**
 * Measures how long after the fact events arrive at 50 webhooks of 5 users, of which 10 misbehave. Each user has 10
 * webhooks, and gets a fifth of the events. `node test/bench/webhooks.ts [EVENTS] [EVENTS PER SECOND]`; 0 per second
 * writes all events at the beginning, to measure how many deliveries a second the worker sends.
 *
 * The yardstick sends the same number of requests with the same client, 20 at a time, without a database.
 */
const [events = 10_000, perSecond = 50] = process.argv.slice(2).map(Number)
const USERS = 5
const HOOKS_EACH = 10
const TIMEOUT_MS = 600_000

const chunk = Buffer.alloc(65_536, 'a')

function sendForever(response: ServerResponse): void {
  response.on('error', () => {}).writeHead(200)
  const sendMore = () => {
    while (!response.destroyed && response.write(chunk));
    if (!response.destroyed) response.once('drain', sendMore)
  }
  sendMore()
}

const MISBEHAVIOURS: ((response: ServerResponse) => unknown)[] = [
  () => {},
  (response) => setTimeout(() => response.writeHead(200).end(), 5_000),
  (response) => response.destroy(),
  (response) => response.writeHead(429, { 'retry-after': '30' }).end(),
  sendForever,
  (response) => response.writeHead(500).end(),
  (response) => response.writeHead(410).end(),
]

const latencies: number[] = []
/** `/bad/N` misbehaves, everything else responds 204. */
const receiver = createServer(async (request, response) => {
  let text = ''
  for await (const part of request.setEncoding('utf8')) text += part
  const [, bad] = /^\/bad\/(\d+)/.exec(request.url!) ?? []
  if (bad !== undefined) return MISBEHAVIOURS[Number(bad) % MISBEHAVIOURS.length]!(response)
  const { writtenAt } = JSON.parse(text).data
  // Others are about the webhooks themselves.
  if (writtenAt !== undefined) latencies.push(Date.now() - writtenAt)
  return response.writeHead(204).end()
})
await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve))
const origin = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`

async function loadWebhooks(client: pg.Client, users: string[], key: Buffer): Promise<void> {
  const keyring = createKeyring([key])
  for (const [index, userId] of users.entries()) {
    await client.query(`insert into users (id, name) values ($1, 'ada')`, [userId])
    for (let hook = 0; hook < HOOKS_EACH; hook++) {
      const id = uuidv7()
      const url = hook < 2 ? `${origin}/bad/${index * 2 + hook}` : `${origin}/good`
      const { keyId, dataKey, data } = keyring.seal(id, { secret: generateSecret() })
      await client.query(
        `insert into webhooks (id, user_id, url, payload, key_id, data_key, data, secret_start)
        values ($1, $2, $3, 'full', $4, $5, $6, 'whsec_')`,
        [id, userId, url, keyId, dataKey, data],
      )
    }
  }
}

/** Writes the events evenly over the time, in a batch every twentieth of a second. */
async function writeEvents(client: pg.Client, users: string[]): Promise<void> {
  const step = perSecond === 0 ? events : Math.max(1, Math.round(perSecond / 20))
  const startedAt = Date.now()
  for (let written = 0; written < events; written += step) {
    await client.query(
      `insert into event_outbox (user_id, type, account_ids, data)
      select ($1::uuid[])[1 + ($2 + n) % $3], 'account.connected', array[gen_random_uuid()],
        jsonb_build_object('platform', 'x', 'username', 'ada', 'writtenAt', $4::float8)
      from generate_series(0, $5::integer - 1) as n`,
      [users, written, users.length, Date.now(), Math.min(step, events - written)],
    )
    if (perSecond > 0) await sleep(Math.max(0, startedAt + ((written + step) / perSecond) * 1_000 - Date.now()))
  }
}

const at = (values: number[], share: number) => values[Math.min(values.length - 1, Math.floor(values.length * share))]

/** Its CPU time is that of the client and the receiver. */
async function measureYardstick(count: number): Promise<{ perSecond: number; micros: number }> {
  const { fetch } = createPublicClient({ allowList: [parseAllowedHost('127.0.0.1')!] })
  let left = count
  const startedAt = performance.now()
  const cpuBefore = process.cpuUsage()
  const body = JSON.stringify({ data: 'a'.repeat(300) })
  const send = async () => {
    while (left-- > 0) await (await fetch(`${origin}/yardstick`, { method: 'POST', body })).text()
  }
  await Promise.all(Array.from({ length: 20 }, send))
  const { user, system } = process.cpuUsage(cpuBefore)
  return { perSecond: (count / (performance.now() - startedAt)) * 1_000, micros: (user + system) / count }
}

await withDatabase(async ({ url, scratch, dataDir }) => {
  const client = new pg.Client(url)
  await client.connect()
  const key = randomBytes(32)
  const users = Array.from({ length: USERS }, () => uuidv7())
  await loadWebhooks(client, users, key)
  const worker = await startWorker({
    DATABASE_URL: url,
    MEDIA_DIR: scratch,
    CREDENTIALS_KEY: key.toString('base64'),
    WEBHOOKS_ALLOW_HTTP: 'on',
    OUTBOUND_ALLOW: '127.0.0.1',
  })
  const expected = (events / USERS) * USERS * (HOOKS_EACH - 2)
  try {
    const readCpu = () => [cpuSeconds([worker.pid]) ?? Number.NaN, cpuSeconds(postgresPids(dataDir)) ?? Number.NaN]
    const before = readCpu()
    const startedAt = Date.now()
    await writeEvents(client, users)
    await until('all events have arrived', () => latencies.length, {
      timeoutMs: TIMEOUT_MS,
      intervalMs: 100,
      isMet: (count) => count >= expected,
    })
    const seconds = (Date.now() - startedAt) / 1_000
    const [workerMicros, postgresMicros] = readCpu().map((after, index) => ((after - before[index]!) / expected) * 1e6)
    latencies.sort((a, b) => a - b)
    const perSecond = expected / seconds
    const { perSecond: yardstick, micros: yardstickMicros } = await measureYardstick(10_000)
    const row = {
      'deliveries/s': Math.round(perSecond),
      'p50 ms': at(latencies, 0.5)!,
      'p99 ms': at(latencies, 0.99)!,
      'max ms': latencies.at(-1)!,
      repeats: latencies.length - expected,
      'yardstick/s': Math.round(yardstick),
      'of the yardstick': (perSecond / yardstick).toFixed(2),
      'worker µs': Math.round(workerMicros!),
      'postgres µs': Math.round(postgresMicros!),
      'yardstick µs': Math.round(yardstickMicros),
    }
    report('webhooks', [row], { events, webhooks: USERS * HOOKS_EACH, misbehaving: USERS * 2 })
  } finally {
    await worker.stop()
    await client.end()
  }
})
receiver.closeAllConnections()
receiver.close()

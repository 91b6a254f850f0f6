import { randomBytes } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { connect } from '../../db/client.ts'
import { newId } from '../../db/id.ts'
import { SCOPE_NAMES } from '../../schemas/scopes.ts'
import { createKeyring } from '../../src/base/keyring/keyring.ts'
import { createKey } from '../../src/features/auth/create-key.ts'
import { generateSecret } from '../../src/features/webhooks/sign.ts'
import { report } from '../helpers/report.ts'
import { until } from '../helpers/until.ts'
import { withDatabase } from './comparison.ts'
import { vacuumDatabase } from './data.ts'
import { percentile, request, runLoad } from './load.ts'
import { startService, startWorker } from './processes.ts'
import { median } from './rounds.ts'

/**
 * Compares the ways to map tenants: 200 users, 200 keys of one user with three accounts each, and 200 organisations.
 * Each tenant has 100 posts. Then measures how long after the fact the events of 1,000 users, of whom 10 are loud,
 * arrive at one reader and one webhook of all users. Loud users write once a second, all at the same moment.
 *
 * `node test/bench/tenants.ts [ROUNDS] [SECONDS] [QUIET PER SECOND] [LOUD PER SECOND]`
 */
const [rounds = 5, seconds = 30, quietPerSecond = 50, loudPerSecond = 200] = process.argv.slice(2).map(Number)
const TENANTS = 200
const WRITERS = 1_000
const LOUD = 10
const POSTS_EACH = 100
/** Tenants whose lists are measured. */
const SAMPLE = 20
const TIMEOUT_MS = 300_000

const WAYS = ['users with keys', 'keys with accounts', 'organisations'] as const
type Way = (typeof WAYS)[number]

/** Loads the tenants of one way. Posts of all tenants take turns. Returns the requests for the lists of some. */
async function loadTenants(client: pg.Client, url: string, way: Way): Promise<Buffer[]> {
  const ids = Array.from({ length: TENANTS }, newId)
  const owner = newId()
  const userIds = way === 'keys with accounts' ? ids.map(() => owner) : ids
  const organizationIds = ids.map(() => (way === 'organisations' ? newId() : null))
  const accountIds = ids.map(() => [newId(), newId(), newId()])
  const run = (text: string, values: unknown[]) => client.query(text, values)
  await client.query('set session_replication_role = replica')
  await run(`insert into users (id, name) select distinct id, 'a tenant' from unnest($1::uuid[]) as id`, [userIds])
  await run(`insert into organizations (id, name) select id, 'o' from unnest($1::uuid[]) as id where id is not null`, [
    organizationIds,
  ])
  await run(
    `insert into memberships (user_id, organization_id, role)
    select user_id, organization_id, 'admin' from unnest($1::uuid[], $2::uuid[]) as own(user_id, organization_id)
    where organization_id is not null`,
    [userIds, organizationIds],
  )
  for (const number of [0, 1, 2]) {
    await run(
      `insert into accounts (id, user_id, organization_id, platform, username)
      select id, user_id, organization_id, 'sandbox', id::text
      from unnest($1::uuid[], $2::uuid[], $3::uuid[]) as own(id, user_id, organization_id)`,
      [accountIds.map((accounts) => accounts[number]), userIds, organizationIds],
    )
  }
  const posts = `
    select user_id, account_id, organization_id, at,
      (substr(hex, 1, 8) || '-' || substr(hex, 9, 4) || '-7000-8000-' || lpad(to_hex(tenant), 12, '0'))::uuid as id
    from unnest($1::uuid[], $2::uuid[], $3::uuid[])
      with ordinality as own(user_id, account_id, organization_id, tenant)
    cross join generate_series(1, ${POSTS_EACH}) as number
    cross join lateral (
      select timestamptz '2026-01-01' + (number * ${TENANTS} + tenant) * interval '1 second' as at) as time
    cross join lateral (select lpad(to_hex((extract(epoch from at) * 1000)::bigint), 12, '0') as hex) as encoded`
  const values = [userIds, accountIds.map(([first]) => first), organizationIds]
  await run(
    `insert into posts
      (user_id, id, caption, post_type, status, scheduled_at, created_at, updated_at, organization_id)
    select user_id, id, 'The lighthouse keeper writes about the sea', 'post', 'scheduled', '2100-01-01', at, at,
      organization_id
    from (${posts}) as post`,
    values,
  )
  await run(
    `insert into post_targets (user_id, post_id, account_id, platform, state, due_at, claimable_at)
    select user_id, id, account_id, 'sandbox', 'queued', '2100-01-01', '2100-01-01'
    from (${posts}) as post`,
    values,
  )
  await client.query('set session_replication_role = origin')
  const db = connect({ url, poolMax: 1 })
  const requests: Buffer[] = []
  for (let index = 0; index < TENANTS; index += TENANTS / SAMPLE) {
    const rights = way === 'keys with accounts' ? { accountIds: accountIds[index]! } : {}
    const { key } = await createKey(db, { userId: userIds[index]!, name: null, expiresAt: null, ...rights })
    const query = organizationIds[index] ? `?organizationId=${organizationIds[index]}` : ''
    requests.push(request('GET', `/api/v1/posts${query}`, key))
  }
  await db.destroy()
  return requests
}

async function measureLists(port: number, lists: Map<Way, Buffer[]>): Promise<Map<Way, number[]>> {
  const times = new Map<Way, number[]>(WAYS.map((way) => [way, []]))
  for (let round = 0; round <= rounds; round++) {
    for (const [way, requests] of lists) {
      let next = 0
      const nextRequest = () => {
        const bytes = requests[next++ % requests.length]!
        const onBody = (body: string) => {
          if (JSON.parse(body).data.length !== 25) throw new Error(`A page of ${way} is not full: ${body}`)
        }
        return { bytes, status: 200, onBody }
      }
      const load = await runLoad(port, 1, nextRequest, { requests: SAMPLE * 5 })
      // The first round warms up.
      if (round > 0) times.get(way)!.push(percentile(load, 0.5))
    }
  }
  return times
}

interface Arrivals {
  ids: Set<string>
  quietMs: number[]
}

function note(arrivals: Arrivals, { id, data }: { id: string; data: { writtenAt?: number; isLoud?: boolean } }): void {
  if (data.writtenAt === undefined || arrivals.ids.has(id)) return
  arrivals.ids.add(id)
  if (!data.isLoud) arrivals.quietMs.push(Date.now() - data.writtenAt)
}

async function follow(origin: string, key: string, arrivals: Arrivals, signal: AbortSignal): Promise<void> {
  for (let after = 'now'; !signal.aborted; ) {
    const url = `${origin}/api/v1/events?allUsers=true&limit=100&wait=1&after=${after}`
    const response = await fetch(url, { headers: { authorization: `Bearer ${key}` } })
    if (response.status !== 200) throw new Error(`${url}: ${response.status} ${await response.text()}`)
    const { data, nextCursor } = (await response.json()) as { data: Parameters<typeof note>[1][]; nextCursor: string }
    for (const event of data) note(arrivals, event)
    after = nextCursor
  }
}

/** Writes events of loud users once a second, and of quiet ones twenty times. Returns their number. */
async function writeEvents(client: pg.Client, userIds: string[]): Promise<number> {
  const [loud, quiet] = [userIds.slice(0, LOUD), userIds.slice(LOUD)]
  let written = 0
  const write = async (users: string[], count: number, isLoud: boolean) => {
    await client.query(
      `insert into event_outbox (user_id, type, account_ids, data)
      select ($1::uuid[])[1 + ($2::integer + n) % $3::integer], 'account.connected', array[gen_random_uuid()],
        jsonb_build_object('platform', 'x', 'username', 'ada', 'writtenAt', $4::float8, 'isLoud', $5::boolean)
      from generate_series(0, $6::integer - 1) as n`,
      [users, written, users.length, Date.now(), isLoud, count],
    )
    written += count
  }
  const startedAt = Date.now()
  for (let step = 0; step < seconds * 20; step++) {
    if (step % 20 === 0) await write(loud, loudPerSecond, true)
    await write(quiet, Math.ceil(quietPerSecond / 20), false)
    await sleep(Math.max(0, startedAt + (step + 1) * 50 - Date.now()))
  }
  return written
}

async function measureStream(client: pg.Client, url: string, origin: string, key: Buffer, start: () => Promise<void>) {
  const [stream, hook]: [Arrivals, Arrivals] = [
    { ids: new Set(), quietMs: [] },
    { ids: new Set(), quietMs: [] },
  ]
  const receiver = createServer(async (request, response) => {
    let text = ''
    for await (const part of request.setEncoding('utf8')) text += part
    note(hook, JSON.parse(text))
    response.writeHead(204).end()
  })
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve))
  const hookUrl = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`
  const operator = newId()
  await client.query(`insert into users (id, name) values ($1, 'operator')`, [operator])
  const id = newId()
  const { keyId, dataKey, data } = createKeyring([key]).seal(id, { secret: generateSecret() })
  await client.query(
    `insert into webhooks (id, user_id, url, payload, key_id, data_key, data, secret_start, all_users, healthy_at)
    values ($1, $2, $3, 'full', $4, $5, $6, 'whsec_', true, now())`,
    [id, operator, hookUrl, keyId, dataKey, data],
  )
  const db = connect({ url, poolMax: 1 })
  const { key: program } = await createKey(db, { userId: operator, name: null, expiresAt: null, scopes: SCOPE_NAMES })
  await db.destroy()
  await start()
  const leaving = new AbortController()
  const following = follow(origin, program, stream, leaving.signal)
  await sleep(2_000)
  const written = await writeEvents(client, Array.from({ length: WRITERS }, newId))
  for (const [name, arrivals] of Object.entries({ stream, hook })) {
    await until(`all events have arrived: ${name}`, () => arrivals.ids.size, {
      timeoutMs: TIMEOUT_MS,
      intervalMs: 50,
      isMet: (size) => size === written,
    })
  }
  leaving.abort()
  await following
  receiver.closeAllConnections()
  receiver.close()
  return Object.entries({ 'GET /events': stream, webhook: hook }).map(([way, { quietMs }]) => {
    quietMs.sort((a, b) => a - b)
    const at = (share: number) => quietMs[Math.min(quietMs.length - 1, Math.floor(quietMs.length * share))]!
    return { way, events: written, 'quiet p50 ms': at(0.5), 'quiet p99 ms': at(0.99), 'quiet max ms': at(1) }
  })
}

await withDatabase(async ({ url, scratch }) => {
  const client = new pg.Client(url)
  await client.connect()
  const key = randomBytes(32)
  const env = {
    DATABASE_URL: url,
    MEDIA_DIR: scratch,
    CREDENTIALS_KEY: key.toString('base64'),
    WEBHOOKS_ALLOW_HTTP: 'on',
    OUTBOUND_ALLOW: '127.0.0.1',
  }
  const running: { stop(): Promise<void> }[] = []
  try {
    const lists = new Map<Way, Buffer[]>()
    for (const way of WAYS) lists.set(way, await loadTenants(client, url, way))
    await vacuumDatabase(url)
    const service = await startService(env)
    running.push(service)
    const times = await measureLists(service.port, lists)
    const plain = times.get('users with keys')!
    const rows = [...times].map(([way, own]) => ({
      way,
      'list p50 ms': Number(median(own).toFixed(2)),
      'in lists of a user': Number(median(own.map((time, round) => time / plain[round]!)).toFixed(2)),
    }))
    report('tenants-lists', rows, { tenants: TENANTS, postsEach: POSTS_EACH })
    const start = async () => void running.push(await startWorker(env))
    const origin = `http://127.0.0.1:${service.port}`
    report('tenants-events', await measureStream(client, url, origin, key, start), {
      tenants: WRITERS,
      loud: LOUD,
      quietPerSecond,
      loudPerSecond,
      seconds,
    })
  } finally {
    for (const process of running) await process.stop()
    await client.end()
  }
})

import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import type { Db } from '../../../db/client.ts'
import { newId } from '../../../db/id.ts'
import { insertAccount } from '../../../db/queries/accounts.ts'
import { insertUser } from '../../../db/queries/people.ts'
import { createKey } from '../../../src/features/auth/create-key.ts'
import { until } from '../../helpers/until.ts'
import { findBreaches } from './audit.ts'
import type { Line, Load } from './clients.ts'
import { type Cluster, type Failover, startCluster } from './cluster.ts'

/**
 * Kinds of failovers: the primary is killed alone, with an API process, or with a worker; or the standbys were away
 * before, and the commits that waited for one were cancelled.
 */
export const KINDS = ['primary', 'primary and API', 'primary and worker', 'standby away, waits cancelled'] as const
type Kind = (typeof KINDS)[number]

const CLIENTS = 8
const SANDBOXES = 10
/** Load between two failovers. */
const LOAD_MS = 3_000
/** How long the standby is away before the primary is killed. */
const AWAY_MS = 2_000
/** A delivery whose worker died is claimed again when its lease has ended, and reconciled 30 seconds later. */
const DRAIN_TIMEOUT_MS = 300_000

interface Row extends Record<string, string | number> {
  kind: Kind
  'primary dead to promoted, ms': number
  'promoted to replicated, ms': number
  'promoted to first 201, ms': number
  'write gap, ms': number
  '503': number
  '502, 504': number
  'no response': number
  acknowledged: number
}

interface Result {
  rows: Row[]
  /** Every promise that was broken. */
  breaches: string[]
  counts: Record<string, number>
}

/** Runs failovers under load, one of each listed kind. */
export async function runFailovers(kinds: Kind[], standbyCount = 1): Promise<Result> {
  const cluster = await startCluster(standbyCount)
  const log = join(cluster.folder, 'clients.log')
  let clients: ChildProcess | undefined
  try {
    const load = await createLoad(cluster, log)
    clients = fork(new URL('./clients.ts', import.meta.url), { execArgv: [], env: { PATH: process.env.PATH } })
    const done = once(clients, 'message')
    clients.send(load)
    await until('clients have written 20 lines', () => readLines(log).length, { isMet: (count) => count > 20 })

    const rows: Row[] = []
    const breaches: string[] = []
    for (const kind of kinds) {
      await sleep(LOAD_MS)
      const before = readLines(log).length
      const failover = await failOver(cluster, kind)
      await until('a post is created after the promotion', () => createdAfter(readLines(log), failover.promotedAt))
      const lines = readLines(log)
      rows.push(rowOf(kind, failover, lines, lines.slice(before)))
      for (const breach of await findBreaches(cluster.primary(), lines)) breaches.push(`${rows.length}: ${breach}`)
    }

    await sleep(LOAD_MS)
    await until('a client has seen a published post', () => readLines(log).some(({ type }) => type === 'published'))
    clients.send('stop')
    await done
    await untilDrained(cluster)
    const lines = readLines(log)
    breaches.push(...(await findBreaches(cluster.primary(), lines, { isOver: true })), ...cluster.unexpectedEnds)
    return { rows, breaches, counts: await countsOf(cluster, lines) }
  } finally {
    if (clients?.connected) clients.disconnect()
    await cluster.stop()
  }
}

async function createLoad(cluster: Cluster, log: string): Promise<Load> {
  const db = cluster.primary()
  const userId = newId()
  await insertUser(db, { id: userId, name: 'ada' })
  const { key } = await createKey(db, { userId, name: null, expiresAt: null })
  const account = { id: newId(), platform: 'bluesky' as const, username: 'ada', displayName: null }
  await insertAccount(db, { ...account, userId, organizationId: null })
  const url = `${cluster.url}/api/v1`
  const sandboxes: string[] = []
  for (let number = 0; number < SANDBOXES; number++) sandboxes.push(await connectSandbox(url, key, `ada${number}`))
  return { url, key, sandboxes, account: account.id, clients: CLIENTS, log }
}

/** Returns the id of the account. While the cluster starts on a busy machine, requests may get a 503. */
async function connectSandbox(url: string, key: string, username: string): Promise<string> {
  const connect = () =>
    fetch(`${url}/accounts`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ platform: 'sandbox', credentials: { username } }),
    })
  const response = await until('a sandbox account is connected', connect, { isMet: ({ status }) => status !== 503 })
  if (!response.ok) throw new Error(`Connecting an account failed with ${response.status}`)
  return ((await response.json()) as { id: string }).id
}

/** Complete lines of the clients' log. */
function readLines(log: string): Line[] {
  if (!existsSync(log)) return []
  const text = readFileSync(log, 'utf8')
  return text
    .slice(0, text.lastIndexOf('\n') + 1)
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line))
}

async function failOver(cluster: Cluster, kind: Kind): Promise<Failover> {
  const any = <T>(list: T[]) => list[Math.floor(Math.random() * list.length)]!
  switch (kind) {
    case 'primary':
      return cluster.failOver()
    case 'primary and API':
      return cluster.failOver(() => cluster.kill(any(cluster.apis)))
    case 'primary and worker':
      return cluster.failOver(() => cluster.kill(any(cluster.workers)))
    case 'standby away, waits cancelled':
      await cluster.killStandbys()
      await cancelWaits(cluster)
      return cluster.failOver(() => cluster.startStandbys())
  }
}

/** Cancels every wait for the standby for a while. Those commits are on the primary alone, and are lost with it. */
async function cancelWaits(cluster: Cluster): Promise<void> {
  for (const end = Date.now() + AWAY_MS; Date.now() < end; await sleep(20)) {
    await sql`select pg_cancel_backend(pid) from pg_stat_activity where wait_event = 'SyncRep'`.execute(
      cluster.primary(),
    )
  }
}

const isCreated = (line: Line) => line.type === 'created'
const createdAfter = (lines: Line[], at: number) => lines.find((line) => isCreated(line) && line.at > at)

function rowOf(kind: Kind, failover: Failover, lines: Line[], during: Line[]): Row {
  const { killedAt, promotedAt, replicatedAt } = failover
  const first = createdAfter(lines, promotedAt)!.at
  const last = lines.findLast((line) => isCreated(line) && line.at <= promotedAt)!.at
  const count = (isSo: (status: number) => boolean) =>
    during.filter((line) => line.type === 'failed' && isSo(line.status)).length
  return {
    kind,
    'primary dead to promoted, ms': promotedAt - killedAt,
    'promoted to replicated, ms': replicatedAt - promotedAt,
    'promoted to first 201, ms': first - promotedAt,
    'write gap, ms': first - last,
    '503': count((status) => status === 503),
    '502, 504': count((status) => status === 502 || status === 504),
    'no response': count((status) => status === 0),
    acknowledged: lines.filter(isCreated).length,
  }
}

/** Waits until no due delivery is open. */
const untilDrained = (cluster: Cluster) =>
  until('every due delivery is settled', () => readOpenStates(cluster.primary()), {
    timeoutMs: DRAIN_TIMEOUT_MS,
    intervalMs: 500,
    isMet: (states) => states.length === 0,
  })

async function readOpenStates(db: Db): Promise<string[]> {
  const { rows } = await sql<{ state: string }>`
    select state from post_targets where claimable_at < now() + interval '1 day' limit 10`.execute(db)
  return rows.map(({ state }) => state)
}

async function countsOf(cluster: Cluster, lines: Line[]): Promise<Record<string, number>> {
  const count = (isSo: (line: Line) => boolean) => lines.filter(isSo).length
  const { rows } = await sql<{ accepted: number }>`
    select count(*) as accepted from sandbox_calls where accepted`.execute(cluster.primary())
  return {
    acknowledged: count(isCreated),
    'acknowledged after a retry': count((line) => line.type === 'created' && line.attempts > 1),
    refused: count((line) => line.type === 'refused'),
    'seen as published': count((line) => line.type === 'published'),
    'sent to the sandbox': rows[0]!.accepted,
    exits: cluster.unexpectedEnds.length,
  }
}

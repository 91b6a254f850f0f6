import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { type Db, growths, readPool, servers } from '../../../db/client.ts'
import type { ConnectProblem } from '../../../db/connect-problem.ts'
import { findDiskFull } from '../../../db/disk-space.ts'
import { readSchema, tooNewMessage } from '../../../db/migrate.ts'
import { readWaiting } from '../../../db/queries/delivery/backlog.ts'
import { readUnsequencedSeconds } from '../../../db/queries/events/sequence.ts'
import { readInstallation } from '../../../db/queries/installation.ts'
import { probeConnections, probeNames, readServer, type ServerFacts } from '../../../db/queries/server.ts'
import { readWebhooksDue } from '../../../db/queries/webhooks/claim.ts'
import { PLATFORM_IDS } from '../../../schemas/platform-ids.ts'
import { LEASE_MS, UNCLAIMED_MAX_MS } from '../../engine/delivery/timing.ts'
import type { Config } from '../../run/config/config.ts'
import { type Finding, ok, wrong } from './finding.ts'

/** Whether there is a database to look at. Opening an embedded one that does not exist would create it. */
export const hasDatabase = ({ databaseUrl, dataDir }: Config) =>
  databaseUrl !== undefined || existsSync(join(dataDir, 'PG_VERSION'))

/** psql does not know `no-verify`. */
export const mendDatabase = ({ databaseUrl, dataDir }: Config) =>
  !databaseUrl
    ? `Give ${dataDir} to the user of the service, or set DATABASE_URL to a PostgreSQL server.`
    : databaseUrl.includes('sslmode=no-verify')
      ? 'Start the database, or correct DATABASE_URL.'
      : 'Start the database, or correct DATABASE_URL. Test it from this machine: psql "$DATABASE_URL" -c "select 1"'

const VERSION_MIN = 140_000

const MEND_FULL = 'Free space on the disk of the database. Its log names the file that could not grow.'

/** Checks the server, its space, its settings and the privileges of the role. */
export async function examineServer(db: Db): Promise<Finding> {
  const startedAt = performance.now()
  const facts = await readServer(db)
  const ms = Math.round(performance.now() - startedAt)
  // A pool of one connection has no second client.
  await probeNames(db).catch(() => {})
  const problems = PROBLEMS.filter(({ isFound }) => isFound(facts))
  if (await findDiskFull(db)) return wrong('database', 'it has no space left', MEND_FULL)
  if (problems.length === 0) {
    const message = `PostgreSQL ${facts.version} responds in ${ms} ms${describeLink(db)}`
    const few = await findFewConnections(db)
    return few
      ? { check: 'database', status: 'warning', message: `${message}; ${few.problem}`, mend: few.mend }
      : ok('database', message)
  }
  return wrong(
    'database',
    problems.map(({ message }) => message(facts)).join('; '),
    problems.map(({ mend }) => mend).join(' '),
  )
}

/** Whether one more process would get fewer connections than it may open. They are closed when the doctor ends. */
async function findFewConnections(db: Db): Promise<ConnectProblem | undefined> {
  const { max } = readPool(db)
  await probeConnections(db, max)
  return growths.get(db)!.shortage()
}

/** A slow link, and a pooler that keeps neither settings nor prepared statements. All of them work. */
function describeLink(db: Db): string {
  const { roundTripMs, keepsSettings, hasLostNames } = servers.get(db)!
  const roundTrip = roundTripMs < NEAR_MS ? '' : `, and a round trip takes ${Math.round(roundTripMs)} ms`
  const pooler = keepsSettings ? '' : '; a pooler drops the settings of connections, so each transaction sends them'
  return roundTrip + pooler + (hasLostNames ? `; ${NAMES_LOST}` : '')
}

const NAMES_LOST =
  'it loses prepared statements, which each process finds out by errors: set DATABASE_PREPARED_STATEMENTS=off'

/** A database in the same network responds sooner. */
const NEAR_MS = 20

interface ServerProblem {
  isFound(facts: ServerFacts): boolean
  message(facts: ServerFacts): string
  mend: string
}

const PROBLEMS: ServerProblem[] = [
  {
    isFound: ({ versionNumber }) => versionNumber < VERSION_MIN,
    message: ({ version }) => `PostgreSQL ${version} is too old`,
    mend: 'Use PostgreSQL 14 or newer.',
  },
  {
    isFound: ({ encoding }) => encoding !== 'UTF8',
    message: ({ encoding }) => `its encoding is ${encoding}`,
    mend: 'Create the database with the encoding UTF8.',
  },
  {
    isFound: ({ isStandby, isReadOnly }) => isStandby || isReadOnly,
    message: ({ isStandby }) => (isStandby ? 'it is a standby' : 'its transactions are read-only by default'),
    mend: 'Point DATABASE_URL to the primary, and leave default_transaction_read_only off.',
  },
  {
    isFound: ({ fsync, fullPageWrites, synchronousCommit }) =>
      [fsync, fullPageWrites, synchronousCommit].includes('off'),
    message: ({ fsync, fullPageWrites, synchronousCommit }) =>
      `a crash can lose what was acknowledged: fsync is ${fsync}, full_page_writes ${fullPageWrites}, synchronous_commit ${synchronousCommit}`,
    mend: 'Set fsync, full_page_writes and synchronous_commit to on.',
  },
  {
    isFound: ({ clientMinMessages }) => clientMinMessages === 'error',
    message: () => 'client_min_messages is error, which hides that a standby lacks a commit',
    mend: 'Set client_min_messages to notice.',
  },
  {
    isFound: ({ forbiddenTables }) => forbiddenTables.length > 0,
    message: ({ forbiddenTables }) => `the role may not read and write ${forbiddenTables.join(', ')}`,
    mend: 'Make the role the owner of its tables, or grant select, insert, update and delete on them.',
  },
]

export const MEND_SCHEMA = 'Run `postroom migrate`.'

export async function examineSchema(db: Db): Promise<Finding> {
  const { state, version, pending, pendingFunctions, servesFrom } = await readSchema(db)
  if (state === 'too_new') return wrong('schema', tooNewMessage(version, servesFrom!), 'Run the newer version.')
  if (pending.length > 0) return wrong('schema', `migrations are missing: ${pending.join(', ')}`, MEND_SCHEMA)
  if (state === 'outdated')
    return wrong('schema', `functions are outdated: ${pendingFunctions.join(', ')}`, MEND_SCHEMA)
  return ok('schema', `it serves Postroom ${version}`)
}

/** A signature of S3 may be 15 minutes off, and logs of two machines are compared by seconds. */
const SKEW_MAX_MS = 5_000
export const MEND_CLOCK = 'Synchronise the clocks of both machines, for example with chrony.'

export async function examineClock(db: Db): Promise<Finding> {
  const sentAt = Date.now()
  const { nowMs } = await readServer(db)
  const skewMs = nowMs - (sentAt + Date.now()) / 2
  const seconds = Math.abs(skewMs / 1000).toFixed(1)
  if (Math.abs(skewMs) <= SKEW_MAX_MS) return ok('clock', `it is within ${seconds} s of the database's`)
  const direction = skewMs > 0 ? 'behind' : 'ahead of'
  return wrong('clock', `this machine is ${seconds} s ${direction} the database`, MEND_CLOCK)
}

export const MEND_WORKERS = 'Start a worker of this version: `postroom worker`. If one runs, its log says why it waits.'
const MEND_RESTORED = 'Run `postroom restore finish --backup-taken TIME`. See "Back up and restore" in db/README.md.'

export async function examineWorkers(db: Db): Promise<Finding> {
  const [installation] = await readInstallation(db, {})
  if (installation?.isRefused) {
    const reason = 'they send nothing: the database was restored, or the journal of what was sent is missing'
    return wrong('workers', reason, MEND_RESTORED)
  }
  const [backlog] = await readWaiting(db, { platforms: [...PLATFORM_IDS], leaseMs: LEASE_MS, now: null })
  const { waitingMs, held } = backlog!
  const [webhooks] = await readWebhooksDue(db, { now: null })
  const waits: [what: string, seconds: number | null][] = [
    ['a delivery', held ? 0 : waitingMs / 1000],
    ['an event', await readUnsequencedSeconds(db)],
    ['a delivery to a webhook', webhooks!.seconds],
  ]
  const late = waits.flatMap(([what, seconds]) =>
    (seconds ?? 0) * 1000 > UNCLAIMED_MAX_MS ? [`${what} has waited for ${Math.round(seconds!)} s`] : [],
  )
  if (late.length > 0) return wrong('workers', `${late.join(', ')}, and no worker has taken it`, MEND_WORKERS)
  return ok('workers', held ? 'they are sending deliveries' : 'nothing waits for one')
}

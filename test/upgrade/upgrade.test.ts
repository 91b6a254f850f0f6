import { randomBytes } from 'node:crypto'
import { globSync } from 'node:fs'
import { basename } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import t, { type Test } from 'tap'
import manifest from '../../package.json' with { type: 'json' }
import { createFolder } from '../helpers/app.ts'
import { copyDatabase } from '../helpers/database.ts'
import { report } from '../helpers/report.ts'
import { until } from '../helpers/until.ts'
import { audit, countDue, countPublished, countUnpublished, postponeSeeded } from './audit.ts'
import { type Clients, startClients } from './clients.ts'
import { type Publishing, type Watch, watchPublishing } from './publishing.ts'
import { openRelease, openSources, type Release, type RunningProcess } from './release.ts'
import { type Counts, seed } from './seed.ts'

const COUNTS: Counts = { due: 250_000, later: 15_000, published: 15_000 }
const SEEDED = COUNTS.due + COUNTS.later + COUNTS.published
/** The number of processes of each kind. */
const PROCESSES = 2
/** How long the old version is measured before the migration, and after it. */
const SPAN_MS = 8_000

const UNAVAILABLE_MAX_MS = 1_000
const PAUSE_MAX_MS = 2_000
/**
 * On a busy machine, requests and workers also pause without a migration. Pauses as long as those before it, in the
 * same run, are allowed.
 */
const BUSY_FACTOR = 2
/** An index that old workers cannot use any more makes them read a table at each claim: thousands of times as much. */
const ROWS_READ_FACTOR = 4
const SPEED_FACTOR = 0.25

for (const file of globSync('test/upgrade/releases/*.tgz')) {
  const version = basename(file, '.tgz')
  t.test(`${version} is upgraded under load: nothing is lost, doubled or interrupted`, (t) => upgrade(t, version))
}

async function upgrade(t: Test, version: string): Promise<void> {
  const installation = await install(t, version)
  const { watch, clients, serves, workers } = installation
  const { figures, before, after, readiness } = await measureUpgrade(installation)
  t.notMatch(readiness, /schema/i, 'old processes can use the new schema')
  t.equal(
    (await installation.current.command('migrate', '--status')).state,
    'ready',
    'migrations and functions are applied',
  )
  report(
    `upgrade-${version}`,
    Object.entries(figures).map(([span, figure]) => ({ span, ...figure })),
  )
  t.strictSame([...before.failures, ...after.failures], [], 'every response is 2xx or 503')
  const unavailableMaxMs = Math.max(UNAVAILABLE_MAX_MS, BUSY_FACTOR * before.unavailableMs)
  t.ok(after.unavailableMs <= unavailableMaxMs, `every response was 503 for ${after.unavailableMs} ms at most`)
  assertPublishing(t, figures)

  t.ok(await countDue(watch.client), 'the workers were never out of work')
  await postponeSeeded(watch.client)
  await clients.stop()
  await until('the posts of the clients are published', () => countUnpublished(watch.client), {
    isMet: (count) => count === 0,
    intervalMs: 500,
    timeoutMs: 120_000,
  })
  await Promise.all([...serves, ...workers].map((process) => process.stop()))
  t.strictSame(await audit(watch.client, clients.created, SEEDED), [], 'nothing is lost or doubled')
}

interface Installation {
  current: Release
  /** Processes of the old version, until they are replaced. */
  serves: RunningProcess[]
  workers: RunningProcess[]
  clients: Clients
  watch: Watch
}

/** Sets up the old version with data and clients. */
async function install(t: Test, version: string): Promise<Installation> {
  const url = await copyDatabase(t, 'template0')
  const key = randomBytes(32)
  const env = { DATABASE_URL: url, CREDENTIALS_KEY: key.toString('base64'), MEDIA_DIR: await createFolder(t) }
  const old = openRelease(t, version, env)
  await old.command('migrate')
  const { id: userId } = await old.command('user', 'create', '--name', 'Ada')
  const { key: apiKey } = await old.command('key', 'create', '--user', userId!)
  const accountIds = await seed(url, userId!, key, COUNTS)
  const serves = await startSeveral(old, 'serve')
  const workers = await startSeveral(old, 'worker')
  const watch = await watchPublishing(url)
  const clients = startClients(urlsOf(serves), apiKey!, accountIds)
  t.teardown(async () => {
    await clients.stop()
    await watch.close()
  })
  await until('the workers publish', async () => (await countPublished(watch.client)) > 500)
  return { current: openSources(t, manifest.version, '.', env), serves, workers, clients, watch }
}

interface Figures {
  before: Publishing
  migration: Publishing
  /** Old workers on the new schema. */
  afterwards: Publishing
  replacement: Publishing
  /** The last three as one. */
  upgrade: Publishing
}

/** Migrates, and replaces each process while its successor runs already. */
async function measureUpgrade({ current, serves, workers, clients, watch }: Installation) {
  clients.take()
  const start = await watch.mark()
  await sleep(SPAN_MS)
  const migrating = await watch.mark()
  const before = clients.take()
  await current.command('migrate')
  const migrated = await watch.mark()
  // Whether deliveries are claimed in time is measured below.
  const readiness = await (await fetch(new URL('/readyz', urlsOf(serves)[0]))).text()
  await sleep(SPAN_MS)
  const replacing = await watch.mark()
  for (let index = 0; index < PROCESSES; index++) {
    const [serve] = serves.splice(index, 1, await current.start('serve'))
    await clients.use(urlsOf(serves))
    await serve!.stop()
    const [worker] = workers.splice(index, 1, await current.start('worker'))
    await worker!.stop()
  }
  await sleep(SPAN_MS / 4)
  const end = await watch.mark()
  const after = clients.take()
  const figures: Figures = {
    before: await watch.between(start, migrating),
    migration: await watch.between(migrating, migrated),
    afterwards: await watch.between(migrated, replacing),
    replacement: await watch.between(replacing, end),
    upgrade: await watch.between(migrating, end),
  }
  return { figures, before, after, readiness }
}

function assertPublishing(t: Test, { before, afterwards, upgrade }: Figures): void {
  const pauseMaxMs = Math.max(PAUSE_MAX_MS, BUSY_FACTOR * before.longestPauseMs)
  t.ok(upgrade.longestPauseMs <= pauseMaxMs, `publishing paused for ${upgrade.longestPauseMs} ms at most`)
  const [reads, speed] = [
    `${before.rowsRead}, then ${afterwards.rowsRead}`,
    `${before.perSecond}, then ${afterwards.perSecond}`,
  ]
  t.ok(afterwards.rowsRead <= ROWS_READ_FACTOR * before.rowsRead, `old workers read ${reads} rows a post`)
  t.ok(afterwards.perSecond >= SPEED_FACTOR * before.perSecond, `old workers publish ${speed} posts a second`)
}

const startSeveral = (release: Release, command: 'serve' | 'worker'): Promise<RunningProcess[]> =>
  Promise.all(Array.from({ length: PROCESSES }, () => release.start(command)))

const urlsOf = (serves: RunningProcess[]) => serves.map(({ facts }) => facts.api!)

import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { connect } from '../../../db/client.ts'
import { openEmbedded } from '../../../db/embedded/server.ts'
import { migrate } from '../../../db/migrate.ts'
import { createPeople } from '../../bench/data.ts'
import { spawnPostroom } from '../../helpers/command.ts'
import { freePorts } from '../../helpers/ports.ts'
import { endChild, postgresPids, sendSignal } from '../../helpers/processes.ts'
import { openTcpProxy, type TcpProxy } from '../../helpers/tcp-proxy.ts'
import type { ClientJob, Fault, FromKiller, Job, Kind } from './protocol.ts'

/**
 * Starts Postgres and the API, does to them what it is told, and starts again what it has killed. A process of its own,
 * that ends with whoever has forked it.
 */

const MAX_CONNECTIONS = 60
const PROBE_MS = 5
/** The service is not back by itself: the run is over. */
const PATIENCE_MS = 60_000

const [{ folder, plan, pauseMs }] = (await once(process, 'message')) as [Job]
const tell = (message: FromKiller) => process.send!(message)
const between = (least: number, most: number) => least + Math.random() * (most - least)

const dataDir = join(folder, 'data')
const postgres = await openEmbedded({ dataDir, settings: { max_connections: String(MAX_CONNECTIONS) } })
const db = connect({ url: postgres.url, poolMax: 1 })
await migrate(db)
await db.destroy()
const link: TcpProxy = await openTcpProxy(postgres.url)
let api: ChildProcess | undefined
const exits: number[] = []

async function end(code: number): Promise<never> {
  if (api) await killApi()
  link.close()
  signalPostgres('SIGCONT')
  await postgres.close()
  process.exit(code)
}
process.on('disconnect', () => end(0))
for (const event of ['uncaughtException', 'unhandledRejection'] as const) {
  process.on(event, (error) => {
    process.stderr.write(`${(error as Error).stack}\n`)
    void end(1)
  })
}

const [port] = (await freePorts(1)) as [number]

/** Starts the API, and comes back when it listens. */
async function startApi(databaseUrl: string): Promise<void> {
  const env = {
    NODE_COMPILE_CACHE: 'node_modules/.cache/node',
    PORT: String(port),
    DATABASE_URL: databaseUrl,
    MEDIA_DIR: join(folder, 'media'),
    LOG_LEVEL: 'fatal',
  }
  const child = spawnPostroom(['serve', '--json'], env, { stderr: 'inherit' })
  api = child
  child.once('exit', (code, signal) => {
    if (api !== child) return
    exits.push(Date.now())
    process.stderr.write(`the API ended by itself: ${code} ${signal}\n`)
    void startApi(databaseUrl)
  })
  await Promise.race([once(child.stdout!, 'data'), once(child, 'exit')])
}

async function killApi(): Promise<void> {
  const child = api!
  api = undefined
  await endChild(child, 'SIGKILL')
}

/** Sends a signal to the postmaster and all of its children: none is left that it could start meanwhile. */
const signalPostgres = (signal: NodeJS.Signals) => sendSignal(postgresPids(dataDir), signal)

async function openClient(): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: postgres.url, connectionTimeoutMillis: 5_000 })
  client.on('error', () => {})
  await client.connect()
  return client
}

/** Gives when Postgres takes connections. */
async function accepting(): Promise<number> {
  for (;;) {
    try {
      const client = await openClient()
      const now = Date.now()
      await client.end()
      return now
    } catch {
      await pause(PROBE_MS)
    }
  }
}

/** Does what ends Postgres, and gives when it takes connections again. */
async function restarted(work: (watcher: pg.Client) => unknown): Promise<number> {
  const watcher = await openClient()
  const ended = new Promise<void>((resolve) => watcher.once('end', resolve))
  await work(watcher)
  await ended
  return accepting()
}

/** Backends of the API, and nobody else's. */
const OF_API = `from pg_stat_activity where application_name = 'postroom' and datname = 'postroom'`

async function takeConnections(ms: number): Promise<void> {
  const admin = await openClient()
  const taken: pg.Client[] = []
  const until = performance.now() + ms
  while (performance.now() < until) {
    await admin.query(`select pg_terminate_backend(pid) ${OF_API}`)
    const more = await Promise.allSettled(Array.from({ length: MAX_CONNECTIONS - taken.length }, openClient))
    taken.push(...more.flatMap((each) => (each.status === 'fulfilled' ? each.value : [])))
  }
  await Promise.all([admin, ...taken].map((client) => client.end()))
}

/** Each does its harm, and gives when it is over. */
const HARM: Record<Kind, () => Promise<number>> = {
  'backend killed': () =>
    restarted(async (watcher) => {
      const { rows } = await watcher.query(`select pid ${OF_API} order by random() limit 1`)
      process.kill(rows[0].pid, 'SIGKILL')
    }),
  'Postgres killed': () => restarted(() => signalPostgres('SIGKILL')),
  'API killed': async () => {
    await killApi()
    await startApi(postgres.url)
    return Date.now()
  },
  'both killed': async () => {
    const over = restarted(() => signalPostgres('SIGKILL'))
    await killApi()
    await startApi(postgres.url)
    return Math.max(await over, Date.now())
  },
  'Postgres stopped': async () => {
    signalPostgres('SIGSTOP')
    await pause(between(500, 2_000))
    signalPostgres('SIGCONT')
    return accepting()
  },
  'table locked': async () => {
    const client = await openClient()
    await client.query('begin')
    await client.query('lock table posts in access exclusive mode')
    await pause(between(300, 1_500))
    await client.query('rollback')
    await client.end()
    return Date.now()
  },
  'connections taken': async () => {
    await takeConnections(between(300, 1_200))
    return Date.now()
  },
  'link slow': async () => {
    link.delay(between(20, 500))
    await pause(between(300, 1_000))
    link.restore()
    return Date.now()
  },
  'link reset': async () => {
    link.reset()
    return Date.now()
  },
  'link swallows': async () => {
    link.dropAll()
    await pause(between(50, 1_500))
    link.restore()
    return Date.now()
  },
}

/** Waits until something has been acknowledged since. */
async function acknowledged(log: string): Promise<void> {
  const { size } = statSync(log, { throwIfNoEntry: false }) ?? { size: 0 }
  for (const deadline = performance.now() + PATIENCE_MS; performance.now() < deadline; await pause(PROBE_MS)) {
    if ((statSync(log, { throwIfNoEntry: false })?.size ?? 0) > size) return
  }
  throw new Error(`nothing was acknowledged for ${PATIENCE_MS} ms`)
}

const [person, stranger] = await createPeople(postgres.url, 2)
await startApi(postgres.url)
const clients: ClientJob = {
  port,
  ...person!,
  foreignId: stranger!.accountIds[0]!,
  acknowledgedLog: join(folder, 'acknowledged.log'),
  otherLog: join(folder, 'others.log'),
}
tell({ type: 'up', databaseUrl: postgres.url, clients })

const faults: Fault[] = []

async function harm(kind: Kind, work: () => Promise<number>): Promise<void> {
  await acknowledged(clients.acknowledgedLog)
  await pause(pauseMs * between(0.5, 1.5))
  const beganAt = Date.now()
  faults.push({ kind, beganAt, overAt: await work() })
  await acknowledged(clients.acknowledgedLog)
}

const isOfLink = (kind: Kind) => kind.startsWith('link')
const first = plan.findIndex(isOfLink)
for (const [place, kind] of plan.entries()) {
  if (place === first) {
    await harm('API killed', async () => {
      await killApi()
      await startApi(link.url)
      return Date.now()
    })
  }
  await harm(kind, HARM[kind])
}
tell({ type: 'done', faults, exits })

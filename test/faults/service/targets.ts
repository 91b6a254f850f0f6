import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import pg from 'pg'
import { connect } from '../../../db/client.ts'
import { openEmbedded } from '../../../db/embedded/server.ts'
import { migrate } from '../../../db/migrate.ts'
import { spawnPostroom } from '../../helpers/command.ts'
import { endChild, postgresPids, sendSignal } from '../../helpers/processes.ts'
import { until } from '../../helpers/until.ts'

export const MAX_CONNECTIONS = 60
const POLL_MS = 5

/** An embedded Postgres that can be killed and suspended. `settings` are those of postgresql.conf. */
export async function startPostgres(folder: string, settings: Record<string, string> = {}) {
  const dataDir = join(folder, 'data')
  const { url, close } = await openEmbedded({
    dataDir,
    settings: { max_connections: String(MAX_CONNECTIONS), ...settings },
  })
  const db = connect({ url, poolMax: 1 })
  await migrate(db).finally(() => db.destroy())

  async function openClient(): Promise<pg.Client> {
    const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5_000 })
    client.on('error', () => {})
    await client.connect()
    return client
  }

  /** Waits until Postgres accepts connections, and returns when. */
  const untilAccepting = () =>
    until(
      'Postgres accepts connections',
      async () => {
        try {
          const client = await openClient()
          const now = Date.now()
          await client.end()
          return now
        } catch {
          return undefined
        }
      },
      { intervalMs: POLL_MS },
    )

  return {
    url,
    openClient,
    untilAccepting,
    /** Signals the postmaster and its children, in one go: it cannot start new ones in between. */
    signal: (signal: NodeJS.Signals) => sendSignal(postgresPids(dataDir), signal),
    /** Runs `work`, which ends Postgres, and returns when it accepts connections again. */
    async restartedBy(work: (watcher: pg.Client) => unknown): Promise<number> {
      const watcher = await openClient()
      const ended = new Promise<void>((resolve) => watcher.once('end', resolve))
      await work(watcher)
      await ended
      return untilAccepting()
    },
    close,
  }
}

export type Postgres = Awaited<ReturnType<typeof startPostgres>>

/** The API on a port that it keeps. It is started again whenever it ends. */
export function createApi(folder: string, port: number) {
  let child: ChildProcess | undefined
  /** When the API ended without having been killed. */
  const exits: number[] = []

  /** Starts the API, and returns when it listens. */
  async function start(databaseUrl: string): Promise<void> {
    const env = {
      PORT: String(port),
      DATABASE_URL: databaseUrl,
      MEDIA_DIR: join(folder, 'media'),
      LOG_LEVEL: 'fatal',
    }
    const started = spawnPostroom(['serve', '--json'], env)
    started.stderr!.pipe(process.stderr)
    child = started
    started.once('exit', (code, signal) => {
      if (child !== started) return
      exits.push(Date.now())
      process.stderr.write(`The API ended unexpectedly with ${code ?? signal}\n`)
      void start(databaseUrl)
    })
    await Promise.race([once(started.stdout!, 'data'), once(started, 'exit')])
  }

  async function kill(): Promise<void> {
    const killed = child
    child = undefined
    if (killed) await endChild(killed, 'SIGKILL')
  }

  /** Kills the API, starts it again, and returns when it listens. */
  async function restart(databaseUrl: string): Promise<number> {
    await kill()
    await start(databaseUrl)
    return Date.now()
  }

  return { port, exits, start, kill, restart }
}

export type Api = ReturnType<typeof createApi>

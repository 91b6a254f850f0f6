import { type ChildProcess, fork } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { chmodSync, chownSync, mkdirSync, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect, type Db } from '../../../db/client.ts'
import { migrate } from '../../../db/migrate.ts'
import { freePorts } from '../../helpers/ports.ts'
import { until } from '../../helpers/until.ts'
import type { Killed, Victim } from './killer.ts'
import { urlOf } from './postgres.ts'
import { OWNER } from './programs.ts'
import { repoint, startBalancer, startPooler } from './proxies.ts'
import { type Servers, startServers } from './servers.ts'
import { type Service, supervise } from './services.ts'

const APIS = 3
const WORKERS = 2

/** When each part of a failover was over, in milliseconds of the epoch. */
export interface Failover {
  killedAt: number
  promotedAt: number
  /** When the old primary was a synchronous standby of the new one. */
  replicatedAt: number
}

export interface Cluster {
  /** Address of HAProxy. */
  url: string
  /** Temporary folder, removed with the cluster. */
  folder: string
  /** The current primary, past the pooler, as a superuser. */
  primary(): Db
  apis: Service[]
  workers: Service[]
  /** How processes of Postroom ended that were not killed. */
  unexpectedEnds: string[]
  kill(service: Service): Promise<void>
  /** Kills all standbys. */
  killStandbys(): Promise<void>
  startStandbys(): Promise<void>
  /** Kills the primary, runs `meanwhile`, and promotes a standby. */
  failOver(meanwhile?: () => Promise<void>): Promise<Failover>
  stop(): Promise<void>
}

/**
 * Starts a primary with one or two synchronous standbys behind PgBouncer, three API processes behind HAProxy, and two
 * workers. They use a temporary folder and ports of the loopback address. All of it ends with this process.
 */
export async function startCluster(standbyCount: number): Promise<Cluster> {
  const { folder, dataDir, mediaDir } = createFolders()
  const password = randomBytes(16).toString('hex')
  const ports = await freePorts(3 + standbyCount + APIS)
  const [poolerPort, balancerPort] = ports as [number, number]
  const apiPorts = ports.slice(2, 2 + APIS)
  const serverPorts = ports.slice(2 + APIS)
  const pooler = { port: poolerPort, folder, password }
  const killer = startKiller(folder)
  const unexpectedEnds: string[] = []
  const services: Service[] = []
  const proxies: ChildProcess[] = []
  let servers: Servers | undefined

  async function stop(): Promise<void> {
    await Promise.all(services.map((service) => service.stop()))
    for (const proxy of proxies) proxy.kill('SIGKILL')
    await servers?.stop()
    await killer.end()
  }

  try {
    servers = await startServers(folder, dataDir, password, serverPorts)
    const owner = connect({ url: urlOf(servers.primary(), password, 'postroom'), poolMax: 1 })
    await migrate(owner).finally(() => owner.destroy())
    proxies.push(startPooler(pooler, servers.primary().port), startBalancer(folder, balancerPort, apiPorts))

    const baseEnv = {
      DATABASE_URL: urlOf({ port: poolerPort }, password, 'postroom'),
      DATABASE_PREPARED_STATEMENTS: 'off',
      CREDENTIALS_KEY: randomBytes(32).toString('base64'),
      MEDIA_DIR: mediaDir,
      LOG_LEVEL: 'warn',
    }
    const onEnd = (how: string) => unexpectedEnds.push(how)
    const begin = (name: string, command: string, env = {}) =>
      supervise(name, [command, '--json'], { folder, env: { ...baseEnv, ...env }, onEnd })
    const apis = apiPorts.map((port, index) => begin(`api${index}`, 'serve', { PORT: String(port) }))
    const workers = Array.from({ length: WORKERS }, (_, index) => begin(`worker${index}`, 'worker'))
    services.push(...apis, ...workers)
    for (const port of [balancerPort, ...apiPorts]) await untilReady(port)

    return {
      url: `http://127.0.0.1:${balancerPort}`,
      folder,
      apis,
      workers,
      unexpectedEnds,
      stop,
      primary: servers.db,
      async kill(service) {
        service.expectEnd()
        await killer.kill({ pid: service.pid })
      },
      async killStandbys() {
        for (const { dataDir } of servers!.standbys()) await killer.kill({ dataDir })
      },
      async startStandbys() {
        await Promise.all(servers!.standbys().map(servers!.startStandby))
      },
      async failOver(meanwhile = async () => {}) {
        const { at: killedAt } = await killer.kill({ dataDir: servers!.primary().dataDir })
        await meanwhile()
        await servers!.promote()
        const promotedAt = Date.now()
        await repoint(pooler, servers!.primary().port)
        await servers!.rejoin()
        return { killedAt, promotedAt, replicatedAt: Date.now() }
      },
    }
  } catch (error) {
    await stop()
    throw error
  }
}

function createFolders() {
  const folder = mkdtempSync(join(tmpdir(), 'postroom-cluster-'))
  chmodSync(folder, 0o755)
  const mediaDir = join(folder, 'media')
  mkdirSync(mediaDir)
  const dataDir = join(folder, 'postgres')
  mkdirSync(dataDir, { mode: 0o700 })
  if (OWNER !== undefined) {
    chownSync(dataDir, OWNER, OWNER)
    // Postgres and the proxies write logs and read their settings here.
    chownSync(folder, OWNER, OWNER)
  }
  return { folder, dataDir, mediaDir }
}

/** The process that kills others, and removes `folder` at the end. */
function startKiller(folder: string) {
  const killer = fork(new URL('./killer.ts', import.meta.url), [folder], {
    execArgv: [],
    env: { PATH: process.env.PATH },
  })
  const ended = once(killer, 'exit')
  const failed = ended.then(([code]) => Promise.reject(new Error(`The killer ended with ${code}`)))
  failed.catch(() => {})
  return {
    async kill(victim: Victim): Promise<Killed> {
      const killed = once(killer, 'message')
      killer.send(victim)
      return (await Promise.race([killed, failed]))[0] as Killed
    },
    async end(): Promise<void> {
      if (killer.connected) killer.disconnect()
      await ended
    },
  }
}

const untilReady = (port: number) =>
  until(`the API on port ${port} is ready`, async () => {
    try {
      return (await fetch(`http://127.0.0.1:${port}/readyz`)).ok
    } catch {
      return false
    }
  })

import { type ChildProcess, fork } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { chmodSync, chownSync, mkdirSync, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { connect, type Db } from '../../../db/client.ts'
import { migrate } from '../../../db/migrate.ts'
import { freePorts } from '../../helpers/ports.ts'
import type { Killed, Victim } from './killer.ts'
import {
  copyFrom,
  initialise,
  promote,
  rewind,
  type Server,
  startServer,
  stopServer,
  until,
  untilReplicated,
  urlOf,
} from './postgres.ts'
import { OWNER } from './programs.ts'
import { repoint, startBalancer, startPooler } from './proxies.ts'
import { type Service, supervise } from './services.ts'

const APIS = 3
const WORKERS = 2

/** How long each part of a failover took, and when it began, in milliseconds (of the epoch). */
export interface Failover {
  killedAt: number
  promotedAt: number
  /** When the pooler led to the new primary. */
  repointedAt: number
  /** When the old primary was the synchronous standby of the new one. */
  replicatedAt: number
}

export interface Cluster {
  /** Where HAProxy listens. */
  url: string
  /** Gone with the cluster. */
  folder: string
  /** The primary of the moment, past the pooler, as a superuser. */
  primary(): Db
  apis: Service[]
  workers: Service[]
  /** How processes of ours have ended that nobody had killed. */
  ends: string[]
  kill(service: Service): Promise<void>
  /** Kills the standby, and leaves the primary without one. */
  killStandby(): Promise<void>
  startStandby(): Promise<void>
  /** Kills the primary; `meanwhile` happens before its standby is promoted. */
  failOver(meanwhile?: () => Promise<void>): Promise<Failover>
  stop(): Promise<void>
}

/**
 * A primary and its synchronous standby, PgBouncer before the one, three processes of the API with HAProxy before them,
 * and two workers; all of it in a folder of its own, on ports of the loopback address. Whatever is left of it ends with
 * this process.
 */
export async function startCluster(): Promise<Cluster> {
  const folder = mkdtempSync(join(tmpdir(), 'postroom-cluster-'))
  chmodSync(folder, 0o755)
  const media = join(folder, 'media')
  mkdirSync(media)
  const owned = join(folder, 'postgres')
  mkdirSync(owned, { mode: 0o700 })
  if (OWNER !== undefined) {
    chownSync(owned, OWNER, OWNER)
    // Logs and the settings of the proxies are in it.
    chownSync(folder, OWNER, OWNER)
  }
  const password = randomBytes(16).toString('hex')
  const [portA, portB, poolerPort, balancerPort, ...apiPorts] = (await freePorts(4 + APIS)) as [
    number,
    number,
    number,
    number,
    ...number[],
  ]
  const server = (name: string, port: number): Server => ({
    name,
    port,
    dataDir: join(owned, name),
    log: join(folder, `${name}.log`),
  })
  let [primary, standby] = [server('a', portA), server('b', portB)]
  let db: Db
  const pooler = { port: poolerPort, folder, password }
  const ends: string[] = []
  const services: Service[] = []
  const proxies: ChildProcess[] = []
  const killer = fork(new URL('./killer.ts', import.meta.url), [folder], {
    execArgv: [],
    env: { PATH: process.env.PATH },
  })

  async function kill(victim: Victim): Promise<Killed> {
    const killed = once(killer, 'message')
    killer.send(victim)
    return (await killed)[0] as Killed
  }

  async function stop(): Promise<void> {
    await Promise.all(services.map((service) => service.stop()))
    for (const proxy of proxies) proxy.kill('SIGKILL')
    await db?.destroy()
    await Promise.all([primary, standby].map(stopServer))
    const cleared = once(killer, 'exit')
    killer.disconnect()
    await cleared
  }

  const connectTo = (to: Server) => connect({ url: urlOf(to, password), poolMax: 2 })

  try {
    await initialise(primary, password, join(owned, 'password'))
    await startServer(primary, { primary: standby, password })
    // Until there is a standby, nobody may wait for one.
    const first = connect({
      url: `${urlOf(primary, password, 'postgres', 'postgres')}?options=-c%20synchronous_commit%3Dlocal`,
      poolMax: 1,
    })
    await sql`create role postroom login password ${sql.lit(password)}`.execute(first)
    await sql`create database postroom owner postroom`.execute(first)
    await first.destroy()
    await copyFrom(primary, standby, password)
    await startServer(standby, { primary, password })
    db = connectTo(primary)
    await untilReplicated(db)
    const owner = connect({ url: urlOf(primary, password, 'postroom'), poolMax: 1 })
    await migrate(owner).finally(() => owner.destroy())

    proxies.push(startPooler(pooler, primary.port), startBalancer(folder, balancerPort, apiPorts))
    const env = {
      DATABASE_URL: urlOf({ port: poolerPort }, password, 'postroom'),
      DATABASE_PREPARED_STATEMENTS: 'off',
      CREDENTIALS_KEY: randomBytes(32).toString('base64'),
      MEDIA_DIR: media,
      LOG_LEVEL: 'warn',
    }
    const begin = (name: string, command: string, more = {}) =>
      supervise(name, [command, '--json'], { folder, env: { ...env, ...more }, onEnd: (how) => ends.push(how) })
    const apis = apiPorts.map((port, number) => begin(`api${number}`, 'serve', { PORT: String(port) }))
    const workers = Array.from({ length: WORKERS }, (_, number) => begin(`worker${number}`, 'worker'))
    services.push(...apis, ...workers)
    const url = `http://127.0.0.1:${balancerPort}`
    for (const port of [balancerPort, ...apiPorts]) {
      await until('the API', async () => (await fetch(`http://127.0.0.1:${port}/readyz`)).ok)
    }

    return {
      url,
      folder,
      apis,
      workers,
      ends,
      primary: () => db,
      async kill(service) {
        service.expectEnd()
        await kill({ pid: service.pid })
      },
      async killStandby() {
        await kill({ dataDir: standby.dataDir })
      },
      startStandby: () => startServer(standby, { primary, password }),
      async failOver(meanwhile = async () => {}) {
        const { at: killedAt } = await kill({ dataDir: primary.dataDir })
        await meanwhile()
        await promote(standby)
        const promotedAt = Date.now()
        const old = primary
        ;[primary, standby] = [standby, primary]
        await db.destroy()
        db = connectTo(primary)
        await repoint(pooler, primary.port)
        const repointedAt = Date.now()
        await rewind(old, primary, { db, password })
        await startServer(old, { primary, password })
        await untilReplicated(db)
        return { killedAt, promotedAt, repointedAt, replicatedAt: Date.now() }
      },
      stop,
    }
  } catch (error) {
    await stop()
    throw error
  }
}

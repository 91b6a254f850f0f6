import { join } from 'node:path'
import { sql } from 'kysely'
import { connect, type Db } from '../../../db/client.ts'
import {
  copyFrom,
  initialise,
  promote,
  rewind,
  type Server,
  startServer,
  stopServer,
  untilReplicated,
  urlOf,
} from './postgres.ts'

/** A primary and its synchronous standby. */
export interface ServerPair {
  primary(): Server
  standby(): Server
  /** The primary, past the pooler, as a superuser. */
  db(): Db
  startStandby(): Promise<void>
  /** Promotes the standby. The old primary has to be down. */
  promote(): Promise<void>
  /** Makes the old primary a standby, and waits until it is synchronous. */
  rejoin(): Promise<void>
  stop(): Promise<void>
}

/** Creates both servers and the database `postroom`. If that fails, stops what it started. */
export async function startServerPair(
  folder: string,
  dataDir: string,
  password: string,
  [portA, portB]: [number, number],
): Promise<ServerPair> {
  const server = (name: string, port: number): Server => ({
    name,
    port,
    dataDir: join(dataDir, name),
    log: join(folder, `${name}.log`),
  })
  let [primary, standby] = [server('a', portA), server('b', portB)]
  let db: Db | undefined
  const connectTo = (to: Server) => connect({ url: urlOf(to, password), poolMax: 2 })
  const stop = async () => {
    await db?.destroy()
    await Promise.all([primary, standby].map(stopServer))
  }
  try {
    await initialise(primary, password, join(dataDir, 'password'))
    await startServer(primary, { primary: standby, password })
    await createPostroomDatabase(primary, password)
    await copyFrom(primary, standby, password)
    await startServer(standby, { primary, password })
    db = connectTo(primary)
    await untilReplicated(db)
  } catch (error) {
    await stop()
    throw error
  }
  return {
    primary: () => primary,
    standby: () => standby,
    db: () => db!,
    startStandby: () => startServer(standby, { primary, password }),
    async promote() {
      await promote(standby)
      ;[primary, standby] = [standby, primary]
      await db!.destroy()
      db = connectTo(primary)
    },
    async rejoin() {
      await rewind(standby, primary, { db: db!, password })
      await startServer(standby, { primary, password })
      await untilReplicated(db!)
    },
    stop,
  }
}

async function createPostroomDatabase(primary: Server, password: string): Promise<void> {
  const url = `${urlOf(primary, password, 'postgres', 'postgres')}?options=-c%20synchronous_commit%3Dlocal`
  // Commits would wait for the standby, which does not exist yet.
  const db = connect({ url, poolMax: 1 })
  try {
    await sql`create role postroom login password ${sql.lit(password)}`.execute(db)
    await sql`create database postroom owner postroom`.execute(db)
  } finally {
    await db.destroy()
  }
}

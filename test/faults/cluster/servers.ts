import { join } from 'node:path'
import { sql } from 'kysely'
import { connect, type Db } from '../../../db/client.ts'
import {
  copyFrom,
  findMostAdvanced,
  follow,
  initialise,
  promote,
  rewind,
  type Server,
  startServer,
  stopServer,
  untilReplicated,
  urlOf,
} from './postgres.ts'

/** A primary and its synchronous standbys. */
export interface Servers {
  primary(): Server
  standbys(): Server[]
  /** The primary, past the pooler, as a superuser. */
  db(): Db
  startStandby(standby: Server): Promise<void>
  /** Promotes the most advanced standby, which the others then follow. The old primary has to be down. */
  promote(): Promise<void>
  /** Makes the old primary a standby, and waits until all are synchronous. */
  rejoin(): Promise<void>
  stop(): Promise<void>
}

/**
 * Creates a server for each port, the primary first, and the database `postroom`. If that fails, stops what it started.
 */
export async function startServers(
  folder: string,
  dataDir: string,
  password: string,
  ports: number[],
): Promise<Servers> {
  const all = ports.map((port, index): Server => {
    const name = 'abc'[index]!
    return { name, port, dataDir: join(dataDir, name), log: join(folder, `${name}.log`) }
  })
  let primary = all[0]!
  let old: Server | undefined
  let db: Db | undefined
  const standbys = () => all.filter((server) => server !== primary && server !== old)
  const connectTo = (to: Server) => connect({ url: urlOf(to, password), poolMax: 2 })
  const startStandby = (standby: Server) => startServer(standby, { primary, password })
  const stop = async () => {
    await db?.destroy()
    await Promise.all(all.map(stopServer))
  }
  try {
    await initialise(primary, password, join(dataDir, 'password'))
    await startServer(primary, { primary, password })
    await createPostroomDatabase(primary, password)
    for (const standby of standbys()) {
      await copyFrom(primary, standby, password)
      await startStandby(standby)
    }
    db = connectTo(primary)
    await untilReplicated(db, standbys().length)
  } catch (error) {
    await stop()
    throw error
  }
  return {
    primary: () => primary,
    standbys,
    db: () => db!,
    startStandby,
    async promote() {
      const next = await findMostAdvanced(standbys(), password)
      await promote(next)
      ;[old, primary] = [primary, next]
      for (const standby of standbys()) follow(standby, primary)
      await db!.destroy()
      db = connectTo(primary)
    },
    async rejoin() {
      await rewind(old!, primary, { db: db!, password })
      await startStandby(old!)
      old = undefined
      await untilReplicated(db!, standbys().length)
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

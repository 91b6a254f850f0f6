import { randomBytes } from 'node:crypto'
import { connect, type Db } from '../../../db/client.ts'
import { newId } from '../../../db/id.ts'
import { insertUser } from '../../../db/queries/people.ts'
import { SCOPE_NAMES } from '../../../schemas/scopes.ts'
import { createKey } from '../../../src/features/auth/create-key.ts'
import { runService, type Service } from '../../helpers/command.ts'
import type { Teardown } from '../../helpers/database.ts'
import { freePorts } from '../../helpers/ports.ts'
import { endChild } from '../../helpers/processes.ts'
import { openTcpProxy } from '../../helpers/tcp-proxy.ts'
import { until } from '../../helpers/until.ts'
import { urlOf } from '../cluster/postgres.ts'
import { startPooler } from '../cluster/proxies.ts'
import { createFolder } from '../service/run.ts'
import { type Postgres, startPostgres } from '../service/targets.ts'
import { type Person, type Program, send } from './clients.ts'

const PEOPLE = 3
const ACCOUNTS = 10
const WORKERS = 2

/**
 * Starts Postgres, the API and two workers, each in a process of its own, and creates people with accounts on the
 * sandbox.
 */
export async function startWorld(t: Teardown, isPooled: boolean) {
  const folder = createFolder(t)
  // A kill loses nothing that is written, synced or not. With fsync, recovery syncs every file first, slowly on a busy
  // disk.
  const postgres = await startPostgres(folder, { fsync: 'off' })
  t.teardown(() => postgres.close())
  // Past the pooler.
  const db = connect({ url: postgres.url, poolMax: 2 })
  t.teardown(() => db.destroy())
  const env = {
    ...(isPooled ? await startPgBouncer(t, folder, postgres) : { DATABASE_URL: postgres.url }),
    CREDENTIALS_KEY: randomBytes(32).toString('base64'),
    LOG_LEVEL: 'fatal',
  }
  const api = await runService('serve', env)
  t.teardown(() => api.stop('SIGKILL'))
  const workers: Service[] = []
  t.teardown(() => Promise.all(workers.map((worker) => worker.stop('SIGKILL'))))
  const startWorker = async () => void workers.push(await runService('worker', env))
  for (let number = 0; number < WORKERS; number++) await startWorker()
  const url = api.facts.api!
  const people: Person[] = []
  const program = await createProgram(db)
  for (let number = 0; number < PEOPLE; number++) people.push(await createPerson(db, url, `ada${number}`))
  return { db, postgres, url, api, workers, people, program, startWorker }
}

export type World = Awaited<ReturnType<typeof startWorld>>

/** Starts PgBouncer in transaction mode. Returns the variables of processes behind it. */
async function startPgBouncer(t: Teardown, folder: string, postgres: Postgres) {
  // The embedded Postgres has only a socket in a folder that PgBouncer may not enter.
  const link = await openTcpProxy(postgres.url)
  t.teardown(async () => link.close())
  const [port] = (await freePorts(1)) as [number]
  const password = randomBytes(12).toString('hex')
  const pooler = startPooler({ port, folder, password }, Number(new URL(link.url).port))
  t.teardown(() => endChild(pooler, 'SIGKILL'))
  const url = urlOf({ port }, password)
  const isAccepting = async () => {
    const client = connect({ url, poolMax: 1 })
    try {
      return await client.selectFrom('users').select('id').execute()
    } catch {
      return undefined
    } finally {
      await client.destroy()
    }
  }
  await until('PgBouncer accepts connections', isAccepting)
  // Debian 12 has PgBouncer 1.18. It cannot keep prepared statements in transaction mode.
  return { DATABASE_URL: url, DATABASE_PREPARED_STATEMENTS: 'off' }
}

/** A program that reads the events of all users. */
async function createProgram(db: Db): Promise<Program> {
  const userId = newId()
  await insertUser(db, { id: userId, name: 'program' })
  const { key } = await createKey(db, { userId, name: null, expiresAt: null, scopes: SCOPE_NAMES })
  return { userId: null, key }
}

async function createPerson(db: Db, url: string, name: string): Promise<Person> {
  const userId = newId()
  await insertUser(db, { id: userId, name })
  const { key } = await createKey(db, { userId, name: null, expiresAt: null })
  const accountIds: string[] = []
  for (let number = 0; number < ACCOUNTS; number++) {
    const body = { platform: 'sandbox', credentials: { username: `${name}-${number}` } }
    const reply = await until('an account is connected', () => send(url, key, 'POST', '/accounts', body), {
      isMet: ({ status }) => status !== 503,
    })
    if (reply.status !== 201) throw new Error(`Connecting an account failed: ${JSON.stringify(reply)}`)
    accountIds.push((reply.body as { id: string }).id)
  }
  return { userId, key, accountIds, created: [] }
}

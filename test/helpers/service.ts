import { sql } from 'kysely'
import type { Test } from 'tap'
import { type ConnectOptions, connect, type Db } from '../../db/client.ts'
import { newId } from '../../db/id.ts'
import { insertAccount } from '../../db/queries/accounts.ts'
import { insertUser } from '../../db/queries/people.ts'
import { createKey } from '../../src/features/auth/create-key.ts'
import { buildApp } from '../../src/run/app.ts'
import { REQUEST_STATEMENT_MS } from '../../src/run/runtime/database.ts'
import { call, createFolder, mediaOptions, networkOptions, type Reply, recordRequests } from './app.ts'
import { createDatabase } from './database.ts'
import { recorded } from './log-record.ts'

/** The statement timeout of the production service. */
export const PRODUCTION_TIMEOUT = { statementTimeoutMs: REQUEST_STATEMENT_MS }

type Request = [method: 'GET' | 'POST' | 'PATCH' | 'DELETE', path: string, body?: unknown]

/** Starts the service on a database that the test may break. `log` collects everything that it logs. */
export async function startService(t: Test, url: string, options: Partial<ConnectOptions> = {}) {
  const log: string[] = []
  const db = connect({ url, poolMax: 4, ...options })
  const stream = { write: (line: string) => log.push(line) }
  const built = await buildApp({
    db,
    logger: recorded({ level: 'trace', stream }),
    corsOrigins: [],
    media: mediaOptions(await createFolder(t)),
    ...networkOptions(db),
  })
  const app = recordRequests(built)
  t.teardown(async () => {
    await app.close()
    await db.destroy()
  })
  const send = async (key: string, ...request: Request) => {
    const { status, body } = await call(app, key, ...request)
    return { status, body }
  }
  return { app, db, log, send }
}

/** Creates a user with an API key and an account. */
export async function createPerson(db: Db) {
  const id = newId()
  await insertUser(db, { id, name: 'ada' })
  const { key } = await createKey(db, { userId: id, name: null, expiresAt: null })
  const account = { id: newId(), platform: 'bluesky' as const, username: 'ada', displayName: null, userId: id }
  await insertAccount(db, { ...account, organizationId: null })
  return { id, key, account: account.id }
}

/** Starts the service on a new database with one person, and opens connections for an administrator. */
export async function startServiceWithPerson(t: Test, options: Partial<ConnectOptions> = {}) {
  const url = await createDatabase(t)
  const admin = connect({ url, poolMax: 2 })
  t.teardown(() => admin.destroy())
  const person = await createPerson(admin)
  const service = await startService(t, url, options)
  const send = (...request: Request) => service.send(person.key, ...request)
  const create = (caption = 'hello') => send('POST', '/posts', { accountIds: [person.account], caption })
  const stored = () => admin.selectFrom('posts').select(['id', 'caption']).execute()
  return { ...service, ...person, url, admin, send, create, stored }
}

/** Locks a table while `work` runs, so that every statement on it waits. */
export async function withTableLocked<T>(admin: Db, table: string, work: () => Promise<T>): Promise<T> {
  return admin.transaction().execute(async (transaction) => {
    await sql`lock table ${sql.table(table)} in access exclusive mode`.execute(transaction)
    return work()
  })
}

/** Fails unless the response is the documented 503. */
export function assertUnavailable(t: Test, reply: Pick<Reply, 'status' | 'body'>, name: string) {
  t.strictSame(reply, { status: 503, body: { error: 'Database not available' } }, name)
}

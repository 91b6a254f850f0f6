import { once } from 'node:events'
import http from 'node:http'
import { json } from 'node:stream/consumers'
import { connect } from '../../../db/client.ts'
import { newId } from '../../../db/id.ts'
import { insertAccount } from '../../../db/queries/accounts.ts'
import { insertUser } from '../../../db/queries/people.ts'
import { createKey } from '../../../src/features/auth/create-key.ts'
import type { Restarts } from './run.ts'

export interface Person {
  key: string
  accountId: string
}

export async function createPerson(url: string): Promise<Person> {
  const db = connect({ url, poolMax: 1 })
  const [userId, accountId] = [newId(), newId()]
  await insertUser(db, { id: userId, name: 'Ada' })
  const account = { id: accountId, userId, organizationId: null, username: 'ada', displayName: null }
  await insertAccount(db, { ...account, platform: 'x' })
  const { key } = await createKey(db, { userId, name: null, expiresAt: null })
  await db.destroy()
  return { key, accountId }
}

const EXPECTED = { GET: 200, POST: 201 }

/**
 * Lists and creates in turn, on one kept connection. Creates have no Idempotency-Key, and nginx sends none of them
 * twice.
 */
export async function runClient(
  port: number,
  person: Person,
  { responses, breaches }: Restarts,
  signal: AbortSignal,
): Promise<void> {
  const agent = new http.Agent({ keepAlive: true, maxSockets: 1 })
  while (!signal.aborted) {
    for (const method of ['GET', 'POST'] as const) {
      const result = await send(port, person, method, { agent }).catch(({ code, message }) => ({
        status: code,
        message,
      }))
      const outcome = `${method} ${result.status}`
      responses[outcome] = (responses[outcome] ?? 0) + 1
      if (result.status !== EXPECTED[method]) breaches.push(`${method} ${JSON.stringify(result)}`)
    }
  }
  agent.destroy()
}

export async function send(
  port: number,
  { key, accountId }: Person,
  method: 'GET' | 'POST',
  { agent, caption = 'A' }: { agent?: http.Agent; caption?: string } = {},
) {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  const path = '/api/v1/posts'
  const request = http.request({ host: '127.0.0.1', port, path, method, headers, ...(agent && { agent }) })
  request.end(method === 'POST' ? JSON.stringify({ accountIds: [accountId], caption }) : undefined)
  const [response] = (await once(request, 'response').catch((error) => {
    throw Object.assign(error, { isReused: request.reusedSocket })
  })) as [http.IncomingMessage]
  return { status: response.statusCode!, body: await json(response).catch(() => 'not JSON') }
}

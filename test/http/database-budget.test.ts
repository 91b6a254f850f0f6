import { once } from 'node:events'
import { type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http'
import { json } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import t from 'tap'
import { withDatabaseBudget } from '../../db/budget.ts'
import { assertUnavailable, PRODUCTION_TIMEOUT, startServiceWithPerson } from '../helpers/service.ts'

t.test('all statements of a request share one time limit', async (t) => {
  const { app, send, db, key, create } = await startServiceWithPerson(t, PRODUCTION_TIMEOUT)
  let begun = 0
  const sleepOften = async () => {
    for (begun = 0; begun < 100; ) {
      begun++
      await sql`select pg_sleep(0.05)`.execute(db)
    }
    return {}
  }
  app.get('/test', sleepOften)
  app.post('/test', sleepOften)
  const address = await app.listen({ port: 0, host: '127.0.0.1' })
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json', 'transfer-encoding': 'chunked' }
  const sendChunked = async (method: string, body: (request: ClientRequest) => void) => {
    const request = httpRequest(`${address}/test`, { method, headers })
    const response = once(request, 'response') as Promise<[IncomingMessage]>
    body(request)
    const [reply] = await response
    assertUnavailable(t, { status: reply.statusCode!, body: await json(reply) }, 'too long in total')
    t.ok(begun > 1 && begun < 30, `${begun} statements of 50 ms were started within 1.2 s`)
  }
  await sendChunked('GET', (request) => request.end())
  await sendChunked('POST', (request) => request.end('{}'))
  await sendChunked('POST', (request) => {
    app.server.once('request', () => setImmediate(() => request.end('{}')))
    request.flushHeaders()
  })
  t.equal((await create()).status, 201)
  t.equal((await send('GET', '/posts')).status, 200)
})

t.test('waiting for a connection counts against the time limit of a request', async (t) => {
  const { db } = await startServiceWithPerson(t, { poolMax: 1 })
  // Less and more than the pool's own timeout for a connection.
  for (const ms of [9_000, 60_000]) {
    const budget = { remainingMs: ms }
    let query: Promise<unknown> | undefined
    let heldMs = 0
    await db.connection().execute(async () => {
      query = withDatabaseBudget(budget, () => sql`select 1`.execute(db))
      await sleep(0)
      const startedBefore = performance.now()
      while (heldMs < 100) {
        await sleep(20)
        heldMs = performance.now() - startedBefore
      }
    })
    await query
    t.ok(budget.remainingMs <= ms - heldMs, `${budget.remainingMs} of ${ms} ms remain after ${heldMs} ms`)
  }
})

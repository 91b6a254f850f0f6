import http from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { connect } from '../../../db/client.ts'
import { newId } from '../../../db/id.ts'
import { runService } from '../../helpers/command.ts'
import { createDatabase, type Teardown } from '../../helpers/database.ts'
import { freePorts } from '../../helpers/ports.ts'
import { createPerson, send } from './client.ts'
import type { Restarts } from './run.ts'

/** Each has one connection, which it keeps. */
const CLIENTS = 100
const RETRY_MS = 100
/** A connection that was used within this time is not broken. */
const KEPT_MS = 3_000

/**
 * Replaces a process by another one on the same port, without a load balancer, while clients create `rate` posts a
 * second, with random pauses. A refused connection is not a breach: the client knows that nothing was sent, and
 * retries. Nor is a 503 of a busy machine. Nor is a request that crosses the end of a connection that was unused for
 * KEPT_MS, as long as it stores nothing: a server may close an idle connection at any time.
 * https://www.rfc-editor.org/rfc/rfc9112#section-9.5
 */
export async function runReplacements(
  t: Teardown,
  { count, rate }: { count: number; rate: number },
): Promise<Restarts> {
  const env = { DATABASE_URL: await createDatabase(t), LOG_LEVEL: 'warn' }
  const person = await createPerson(env.DATABASE_URL)
  const [port] = (await freePorts(1)) as [number]
  const startApi = () => runService('serve', { ...env, PORT: String(port) })
  let service = await startApi()
  t.teardown(() => service.stop('SIGKILL'))
  const result: Restarts = { responses: {}, breaches: [] }
  const crossed: string[] = []
  const stop = new AbortController()
  let phase = { name: 'started', at: performance.now() }
  const enter = (name: string) => {
    phase = { name, at: performance.now() }
  }

  async function runClient(): Promise<void> {
    const agent = new http.Agent({ keepAlive: true, maxSockets: 1 })
    let usedAt = 0
    while (!stop.signal.aborted) {
      const caption = newId()
      const unusedMs = performance.now() - usedAt
      usedAt = performance.now()
      const reply = await send(port, person, 'POST', { agent, caption }).catch((error) => ({
        ...error,
        status: error.code,
      }))
      result.responses[reply.status] = (result.responses[reply.status] ?? 0) + 1
      const isRefused = reply.status === 'ECONNREFUSED'
      if (reply.status === 'ECONNRESET' && reply.isReused && unusedMs >= KEPT_MS) crossed.push(caption)
      else if (!isRefused && reply.status !== 201 && reply.status !== 503) {
        const when = `${Math.round(performance.now() - phase.at)} ms after it was ${phase.name}`
        result.breaches.push(`${when}: ${JSON.stringify(reply)}`)
      }
      await sleep(isRefused ? RETRY_MS : (-Math.log(1 - Math.random()) * 1_000 * CLIENTS) / rate)
    }
    agent.destroy()
  }

  const clients = Array.from({ length: CLIENTS }, runClient)
  try {
    for (let number = 0; number < count; number++) {
      await sleep(1_000)
      enter('stopped')
      const code = await service.stop('SIGTERM')
      if (code !== 0) result.breaches.push(`A process ended with ${code}`)
      enter('gone')
      service = await startApi()
      enter('started')
    }
  } finally {
    stop.abort()
    await Promise.all(clients)
  }
  const db = connect({ url: env.DATABASE_URL, poolMax: 1 })
  const stored = await db
    .selectFrom('posts')
    .select('caption')
    .where('caption', '=', ({ fn, val }) => fn.any(val(crossed)))
    .execute()
  await db.destroy()
  result.breaches.push(...stored.map(({ caption }) => `${caption} was stored on a connection that was closed`))
  return result
}

import { randomInt } from 'node:crypto'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { sql } from 'kysely'
import { Webhook } from 'standardwebhooks'
import type { Db } from '../../db/client.ts'
import { connect } from '../../db/client.ts'
import { sequenceEvents } from '../../db/queries/events/sequence.ts'
import { parseAllowedHost } from '../../src/base/outbound/allow-list.ts'
import { createPublicClient } from '../../src/base/outbound/client.ts'
import { createSend } from '../../src/features/webhooks/send.ts'
import type { TurnDeps } from '../../src/features/webhooks/turn.ts'
import { work } from '../../src/run/worker/loop.ts'
import { dispatch } from '../../src/run/worker/tasks.ts'
import { createWorld, type Options, type Person, type World } from '../helpers/app.ts'
import type { Teardown } from '../helpers/database.ts'
import { noLog, recordSecrets } from '../helpers/log-record.ts'
import { until } from '../helpers/until.ts'

/** A request that a receiver got. */
export interface Received {
  headers: Record<string, string>
  text: string
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of every shape
  body: any
}

export interface Receiver {
  url: string
  port: number
  /** The requests whose signature is valid, in the order of their arrival. */
  received: Received[]
  /** The types, or the ids, of what was received. */
  types(): string[]
  ids(): string[]
  /** Set it to verify each request; the first secret is that of the webhook. */
  secrets: string[]
  /** Requests with an invalid signature. */
  forged: Received[]
  respond: (response: ServerResponse, request: IncomingMessage, count: number) => unknown
}

/** Starts a receiver on a socket of this machine. It verifies each request with the public library. */
export async function startReceiver(t: Teardown, respond: Receiver['respond'] = ok): Promise<Receiver> {
  const server = createServer(async (request, response) => {
    let text = ''
    for await (const chunk of request.setEncoding('utf8')) text += chunk
    const headers = request.headers as Record<string, string>
    const item = { headers, text, body: JSON.parse(text) }
    const isValid = receiver.secrets.some((secret) => isSigned(secret, item))
    if (receiver.secrets.length === 0 || isValid) receiver.received.push(item)
    else receiver.forged.push(item)
    await receiver.respond(response, request, receiver.received.length)
  })
  const port = await listen(t, server)
  const receiver: Receiver = {
    url: `http://127.0.0.1:${port}/hook`,
    port,
    received: [],
    types: () => receiver.received.map(({ body }) => body.type),
    ids: () => receiver.received.map(({ body }) => body.id),
    secrets: [],
    forged: [],
    respond,
  }
  return receiver
}

export const ok = (response: ServerResponse) => response.writeHead(200).end('thanks')

/** Whether the public library accepts a request. */
export function isSigned(secret: string, { text, headers }: Pick<Received, 'text' | 'headers'>): boolean {
  try {
    new Webhook(secret).verify(text, headers)
    return true
  } catch {
    return false
  }
}

export async function listen(t: Teardown, server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
  return (server.address() as AddressInfo).port
}

export interface WebhookWorld extends World {
  ada: Person
  /** Creates a webhook. Its secret is recorded, and given to the receiver. */
  hook(receiver: Receiver, body?: object, person?: Person): Promise<{ id: string; secret: string }>
  /** Writes events, and numbers them as a worker does. Returns their ids. */
  emit(count?: number, event?: Partial<NewEvent>): Promise<string[]>
  /** The dependencies of this world's dispatchers. */
  deps(others?: Partial<TurnDeps>): TurnDeps
  /** Starts a dispatcher, which ends with the test. */
  dispatch(t: Teardown, others?: Partial<TurnDeps>): { stop(): Promise<void> }
  /** The time of dispatchers: null for the database's. */
  time: { now: Date | null }
  log(id: string): Promise<LogRow[]>
}

interface NewEvent {
  userId: string
  type: string
  accountIds: string[] | null
  data: object
}

interface LogRow {
  eventId: string
  state: string
  attempts: number
  nextAttemptAt: string | null
  response: { status: number; body: string } | null
  error: string | null
}

const LOOPBACK = [parseAllowedHost('127.0.0.1')!]

/** The client of a service whose operator allows receivers on this machine. */
export const loopbackClient = () => createPublicClient({ allowList: LOOPBACK })

/** The service with receivers on loopback, and dispatchers that send to them. */
export async function createWebhookWorld(t: Teardown, options: Options = {}): Promise<WebhookWorld> {
  const client = loopbackClient()
  const world = await createWorld(t, {
    webhookUrls: { allowsHttp: true, isReachable: client.isReachable },
    ...options,
  })
  const { db, keyring } = world
  const ada = await world.user()
  // Earlier events are not sent.
  await numberEvents(db)
  const time: WebhookWorld['time'] = { now: null }
  const deps: WebhookWorld['deps'] = (others = {}) => ({
    db,
    send: createSend(client.dispatcher),
    openSecrets: keyring,
    clock: () => time.now,
    uptimeMs: () => performance.now(),
    random: Math.random,
    log: noLog,
    report: () => {},
    ...others,
  })
  return {
    ...world,
    ada,
    time,
    deps,
    async hook(receiver, body = {}, person = ada) {
      const reply = await person.call('POST', '/webhooks', { url: receiver.url, ...body })
      if (reply.status !== 201) throw new Error(JSON.stringify(reply.body))
      const { id, secret } = reply.body
      recordSecrets('key', secret)
      receiver.secrets.push(secret)
      return { id, secret }
    },
    emit: (count = 1, event = {}) => emitEvents(db, count, { userId: ada.id, ...event }),
    dispatch(t, others) {
      const stopping = Promise.withResolvers<void>()
      const sending = deps(others)
      const ended = work([dispatch(sending)], sending.log, stopping.promise)
      const stop = () => {
        stopping.resolve()
        return ended
      }
      t.teardown(stop)
      return { stop }
    },
    async log(id) {
      const { status, body } = await ada.call('GET', `/webhooks/${id}/deliveries?limit=100`)
      if (status !== 200) throw new Error(JSON.stringify(body))
      return body.data
    },
  }
}

/** Writes events of a type that exists to the outbox and numbers them. Returns their ids in order. */
async function emitEvents(
  db: Db,
  count: number,
  { userId, type = 'account.disconnected', accountIds = [ACCOUNT], data = {} }: Partial<NewEvent>,
): Promise<string[]> {
  const mark = randomInt(2 ** 40)
  await sql`
    insert into event_outbox (user_id, type, account_ids, data)
    select ${userId}, ${type}, ${accountIds}::uuid[],
      ${JSON.stringify({ platform: 'x', username: 'ada', ...data })}::jsonb || jsonb_build_object('mark', ${mark}::bigint)
    from generate_series(1, ${count})`.execute(db)
  await numberEvents(db)
  const { rows } = await sql<{ id: string }>`
    select id from events where data -> 'mark' = to_jsonb(${mark}::bigint) order by position`.execute(db)
  return rows.map(({ id }) => id)
}

export async function numberEvents(db: Db): Promise<void> {
  while (Number((await sequenceEvents(db)).count) > 0);
}

export const ACCOUNT = '0196f0c4-9a3d-7b15-8e20-5d7f41a6c893'

/** Waits until a receiver has got this many requests. */
export const untilReceived = (receiver: Receiver, count: number) =>
  until(`${count} requests at the receiver`, () => receiver.received.length, { isMet: (got) => got >= count })

/** A client of the same database with its own connections. */
export function connectAgain(t: Teardown, url: string, poolMax = 2): Db {
  const db = connect({ url, poolMax })
  t.teardown(() => db.destroy())
  return db
}

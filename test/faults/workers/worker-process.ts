import { setImmediate as nextTurn } from 'node:timers/promises'
import { connect, type Db } from '../../../db/client.ts'
import { sandboxStore } from '../../../db/queries/sandbox.ts'
import { folderStorage } from '../../../src/base/storage/folder.ts'
import { createPublisher } from '../../../src/engine/delivery/publisher.ts'
import { logSettled } from '../../../src/engine/delivery/settled.ts'
import { createNetworks } from '../../../src/platforms/adapters.ts'
import type { Adapter, Sent } from '../../../src/platforms/contract/adapter.ts'
import type { Json } from '../../../src/platforms/contract/io.ts'
import { createSandboxAdapter } from '../../../src/platforms/sandbox/adapter.ts'
import { telegramAdapter } from '../../../src/platforms/telegram/adapter.ts'
import { noJournal } from '../../helpers/journal.ts'
import { noLog } from '../../helpers/log-record.ts'
import type { FromWorker, Step, ToWorker } from './protocol.ts'

/**
 * A worker that reports each step and stops there until the killer lets it continue. It runs the publisher unchanged:
 * the steps are observed in the database, the adapters and the `fetch` that the publisher gets.
 */
const [databaseUrl = '', mediaDir = '', telegram = ''] = process.argv.slice(2)

const send = (message: FromWorker) => process.send!(message)
const waiting = new Map<number, (lose: boolean) => void>()
let steps = 0

/** Stops at a step. Returns whether the response to the statement before it has to be lost. */
function stopAt(step: Step, act: string | null): Promise<boolean> {
  const id = ++steps
  send({ type: 'step', id, step, act })
  return new Promise((resolve) => waiting.set(id, resolve))
}

/** Number of statements that are running. */
let running = 0

/** The token of the current act of each account. */
const acts = new Map<unknown, string>()

/**
 * Texts that only the claim, the settlement and the intent contain. If one changes, its steps are never reached. A
 * settlement may also claim the next delivery of its account, and is one step all the same.
 */
const CLAIM = 'gen_random_uuid()'
const SETTLE = 'jsonb_array_length(delivery.sent)'
const INTEND = 'set intent = held.act'

/** Accounts of the acts whose intents were committed. */
const accountsOf = (rows: unknown[]) => (rows as { accountId: string }[]).map(({ accountId }) => accountId)

/** Accounts of the acts that a statement settles. */
const accountsIn = ([settlements]: readonly unknown[]): unknown[] =>
  (JSON.parse(settlements as string) as { account_id: string }[]).map(({ account_id }) => account_id)

function observeDatabase(db: Db): Db {
  const executeQuery: Db['executeQuery'] = async (query) => {
    const { sql, parameters } = query as { sql: string; parameters: readonly unknown[] }
    running++
    const result = await db.executeQuery(query).finally(() => running--)
    const statement = [SETTLE, CLAIM, INTEND].find((words) => sql.includes(words))
    if (!statement) return result
    // A claim of nothing is one row without a lease. An intent without rows was refused.
    const isEmpty = (row: unknown) => (row as { leaseToken?: string | null }).leaseToken === null
    if (statement !== SETTLE && result.rows.every(isEmpty)) return result
    const losses =
      statement === CLAIM
        ? [await stopAt('claimed', null)]
        : await Promise.all(
            (statement === INTEND ? accountsOf(result.rows) : accountsIn(parameters)).map((accountId) =>
              stopAt(statement === INTEND ? 'intended' : 'settled', acts.get(accountId) ?? null),
            ),
          )
    // A statement for several acts has one response.
    if (losses.includes(true)) throw new Error('Connection terminated unexpectedly')
    return result
  }
  return new Proxy(db, {
    get(target, key) {
      if (key === 'executeQuery') return executeQuery
      const value = Reflect.get(target, key, target)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
}

/** How long the networks need for an act that they process. */
const NETWORK_TIME_MS = 60_000

/** Whether the network processes an act before or after the call: half of the acts each, the same in every worker. */
const takesTime = (token: string, when: 'before' | 'after') =>
  Number.parseInt(token[when === 'before' ? 0 : 1]!, 16) % 2 === 1

/** `inner` is the adapter's own state, `looks` the number of times that `reconcile` returned `processing`. */
type State = { inner: Json; looks: number }

/** An adapter that stops at its steps, and whose network needs time for some acts. */
function observeNetwork<P extends Json>(
  { prepare, publish, reconcile, ...network }: Adapter<P>,
  concurrency: number,
): Adapter<State> {
  return {
    ...network,
    concurrency,
    async prepare(act, io, saved) {
      acts.set(act.accountId, act.token)
      await stopAt('preparing', act.token)
      if (!saved && takesTime(act.token, 'before')) {
        await stopAt('waiting', act.token)
        return { later: { state: { inner: null, looks: 0 }, afterMs: NETWORK_TIME_MS } }
      }
      const prepared = await prepare(act, io, (saved?.inner ?? null) as P | null)
      if ('later' in prepared) throw new Error('Unexpected later: the posts have no files')
      // Before the engine reads the clock for the intent, so that the stop does not date the intent back.
      await stopAt('intending', act.token)
      return { ready: { inner: prepared.ready, looks: 0 } }
    },
    async publish(act, io, ready) {
      const fetchAndStop: typeof fetch = async (...call) => {
        try {
          return await io.fetch(...call)
        } finally {
          await stopAt('called', act.token)
        }
      }
      let step: Step = 'responded'
      try {
        const sent = (await publish(act, { ...io, fetch: fetchAndStop }, ready.inner as P)) as Sent
        if (!reconcile || !takesTime(act.token, 'after')) return sent
        step = 'processing'
        return { processing: { state: ready, afterMs: NETWORK_TIME_MS } }
      } finally {
        await stopAt(step, act.token)
      }
    },
    ...(reconcile && {
      async reconcile(act, io, ready) {
        acts.set(act.accountId, act.token)
        await stopAt('reconciling', act.token)
        try {
          if (takesTime(act.token, 'after') && ready?.looks === 0) {
            return { processing: { state: { ...ready, looks: 1 }, afterMs: NETWORK_TIME_MS } }
          }
          return (await reconcile(act, io, (ready?.inner ?? null) as P | null)) as Sent | 'absent' | 'unknown'
        } finally {
          await stopAt('reconciled', act.token)
        }
      },
    }),
  }
}

// Few: each kill meets deliveries at several steps, and leaves some for the next kill.
const SANDBOX_CONCURRENCY = 3
const TELEGRAM_CONCURRENCY = 2

const db = connect({ url: databaseUrl, poolMax: 4 })
const store = sandboxStore(db)
const sandbox = createSandboxAdapter({
  ...store,
  async keep(received) {
    const id = await store.keep(received)
    await stopAt('called', received.token)
    return id
  },
})
/** The same for all workers. Only the killer advances it. */
let now = new Date(0)
const publisher = createPublisher({
  db: observeDatabase(db),
  networks: {
    ...createNetworks(store),
    sandbox: observeNetwork(sandbox, SANDBOX_CONCURRENCY),
    telegram: observeNetwork(telegramAdapter, TELEGRAM_CONCURRENCY),
  },
  storage: folderStorage(mediaDir),
  addressOf: () => null,
  journal: noJournal,
  openCredentials: (_accountId, { data }) => JSON.parse(data.toString()),
  sealCredentials: (_accountId, credentials) => ({
    keyId: 'test',
    dataKey: Buffer.alloc(0),
    data: Buffer.from(JSON.stringify(credentials)),
  }),
  fetch: (input, init) => {
    const url = String(input).replace('https://api.telegram.org', telegram)
    // Keep-alive is off, so that the fake sees by its connections that the last call of a killed worker has ended.
    return fetch(url, { ...init, headers: { ...(init?.headers as Record<string, string>), connection: 'close' } })
  },
  latenessMaxMs: Number.MAX_SAFE_INTEGER,
  attemptsKeptMs: null,
  clock: () => now,
  // It must not jump with the clock: the worker would detect a suspension.
  uptimeMs: () => 0,
  pause: async () => {},
  // Lost responses cause errors by design. The test finds the effects of others.
  log: noLog,
  report: logSettled(noLog),
  reportChange: () => {},
})

async function readNextDueInMs(): Promise<number | null> {
  const { next } = await db
    .selectFrom('postTargets')
    .select(({ fn }) => fn.min('claimableAt').as('next'))
    .where('claimableAt', '>', now)
    .executeTakeFirstOrThrow()
  return next && next.getTime() - now.getTime()
}

async function work(): Promise<void> {
  let claimed: number
  do {
    // If the response to a claim is lost, its deliveries are due again when their leases end.
    claimed = await publisher.claim().catch(() => 0)
    await publisher.idle()
  } while (claimed > 0)
  send({ type: 'idle', nextDueInMs: await readNextDueInMs() })
}

process.on('message', async (message: ToWorker) => {
  try {
    if (message.type === 'go') {
      const resolve = waiting.get(message.id)!
      waiting.delete(message.id)
      resolve(message.lose)
    } else if (message.type === 'clock') {
      // No statement may run across a tick.
      while (running > 0) await nextTurn()
      now = new Date(message.now)
      if (message.renew) await publisher.renew()
      send({ type: 'renewed' })
    } else await work()
  } catch (error) {
    send({ type: 'error', message: String((error as Error).stack) })
  }
})
process.on('disconnect', () => process.exit())
send({ type: 'ready' })

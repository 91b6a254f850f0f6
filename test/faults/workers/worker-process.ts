import { setImmediate as nextTurn } from 'node:timers/promises'
import { connect, type Db } from '../../../db/client.ts'
import { sandboxStore } from '../../../db/queries/sandbox.ts'
import { createPublisher } from '../../../src/delivery/publisher.ts'
import type { Adapter, Json, Sent } from '../../../src/platforms/adapter.ts'
import { createSandboxAdapter } from '../../../src/platforms/sandbox/adapter.ts'
import { telegramAdapter } from '../../../src/platforms/telegram/adapter.ts'
import { folderStorage } from '../../../src/storage/folder.ts'
import type { FromWorker, Step, ToWorker } from './protocol.ts'

/**
 * A worker that tells each step it comes to and stands still there until it is told to go on. What it runs is the
 * publisher as it is: the steps are seen through what is handed to it.
 */
const [databaseUrl = '', mediaDir = '', telegram = ''] = process.argv.slice(2)

const tell = (message: FromWorker) => process.send!(message)
const waiting = new Map<number, (lose: boolean) => void>()
let steps = 0

/** Gives whether the answer to what came before has to be lost. */
function comeTo(step: Step, act: string | null): Promise<boolean> {
  const id = ++steps
  tell({ type: 'step', id, step, act })
  return new Promise((resolve) => waiting.set(id, resolve))
}

/** How many statements the database has not answered. */
let underWay = 0

/** The act that each account is at. */
const acts = new Map<unknown, string>()

/** The statements of the protocol, by words that only they contain. Without its word, a statement's steps are missed. */
const CLAIM = 'gen_random_uuid()'
const SETTLE = 'jsonb_array_length(delivery.sent)'
const INTEND = 'set intent = held.act'

/** Accounts of the acts whose intents were committed. */
const accountsOf = (rows: unknown[]) => (rows as { accountId: string }[]).map(({ accountId }) => accountId)

/** Accounts of the acts that a statement settles. */
const accountsIn = ([settlements]: readonly unknown[]): unknown[] =>
  (JSON.parse(settlements as string) as { account_id: string }[]).map(({ account_id }) => account_id)

function watched(db: Db): Db {
  const executeQuery: Db['executeQuery'] = async (query) => {
    const { sql, parameters } = query as { sql: string; parameters: readonly unknown[] }
    underWay++
    const result = await db.executeQuery(query).finally(() => underWay--)
    const statement = [CLAIM, SETTLE, INTEND].find((words) => sql.includes(words))
    if (!statement) return result as never
    // Somebody else holds the deliveries, and nothing is intended; or nothing was claimed, which is a row without a lease.
    const isNothing = (row: unknown) => (row as { leaseToken?: string | null }).leaseToken === null
    if (statement !== SETTLE && result.rows.every(isNothing)) return result
    const losses =
      statement === CLAIM
        ? [await comeTo('claimed', null)]
        : await Promise.all(
            (statement === INTEND ? accountsOf(result.rows) : accountsIn(parameters)).map((accountId) =>
              comeTo(statement === INTEND ? 'intended' : 'settled', acts.get(accountId) ?? null),
            ),
          )
    // The statement of several acts has one answer.
    if (losses.includes(true)) throw new Error('Connection terminated unexpectedly')
    return result as never
  }
  return new Proxy(db, {
    get(target, key) {
      if (key === 'executeQuery') return executeQuery
      const value = Reflect.get(target, key, target)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
}

/** How long a network works on an act, where it does. */
const NETWORK_TIME_MS = 60_000

/** Whether an act takes its network's time, before the call or after it: for half of the acts each, whoever asks. */
const takesTime = (token: string, when: 'before' | 'after') =>
  Number.parseInt(token[when === 'before' ? 0 : 1]!, 16) % 2 === 1

/** `inner` is the adapter's own state. */
type State = { inner: Json; looks: number }

/** An adapter that announces its steps, and whose network takes its time for some acts. */
function watchedNetwork<P extends Json>(
  { prepare, publish, reconcile, ...network }: Adapter<P>,
  concurrency: number,
): Adapter<State> {
  return {
    ...network,
    concurrency,
    async prepare(act, io, saved) {
      acts.set(act.accountId, act.token)
      await comeTo('preparing', act.token)
      if (!saved && takesTime(act.token, 'before')) {
        await comeTo('waiting', act.token)
        return { later: { state: { inner: null, looks: 0 }, afterMs: NETWORK_TIME_MS } }
      }
      const prepared = await prepare(act, io, (saved?.inner ?? null) as P | null)
      if ('later' in prepared) throw new Error('no file is sent here')
      // Before the time of the intent is taken, so that it does not lie in the past when the worker is let go on.
      await comeTo('intending', act.token)
      return { ready: { inner: prepared.ready, looks: 0 } }
    },
    async publish(act, io, ready) {
      const fetchAndStop: typeof fetch = async (...call) => {
        try {
          return await io.fetch(...call)
        } finally {
          await comeTo('called', act.token)
        }
      }
      let step: Step = 'answered'
      try {
        const sent = (await publish(act, { ...io, fetch: fetchAndStop }, ready.inner as P)) as Sent
        if (!reconcile || !takesTime(act.token, 'after')) return sent
        step = 'processing'
        return { processing: { state: ready, afterMs: NETWORK_TIME_MS } }
      } finally {
        await comeTo(step, act.token)
      }
    },
    ...(reconcile && {
      async reconcile(act, io, ready) {
        acts.set(act.accountId, act.token)
        await comeTo('asking', act.token)
        try {
          if (takesTime(act.token, 'after') && ready.looks === 0) {
            return { processing: { state: { ...ready, looks: 1 }, afterMs: NETWORK_TIME_MS } }
          }
          return (await reconcile(act, io, ready.inner as P)) as Sent | 'absent' | 'unknown'
        } finally {
          await comeTo('asked', act.token)
        }
      },
    }),
  }
}

// A few at a time: each kill is to find deliveries at several steps, and to leave enough for the next ones.
const SANDBOX_CONCURRENCY = 3
const TELEGRAM_CONCURRENCY = 2

const db = connect({ url: databaseUrl, poolMax: 4 })
const store = sandboxStore(db)
const sandbox = createSandboxAdapter({
  ...store,
  async keep(received) {
    const id = await store.keep(received)
    await comeTo('called', received.token)
    return id
  },
})
/** The same for all workers: it goes on when the killer says so, however slow this machine is. */
let now = new Date(0)
const publisher = createPublisher({
  db: watched(db),
  networks: {
    sandbox: watchedNetwork(sandbox, SANDBOX_CONCURRENCY),
    telegram: watchedNetwork(telegramAdapter, TELEGRAM_CONCURRENCY),
  },
  storage: folderStorage(mediaDir),
  openCredentials: (_accountId, { data }) => JSON.parse(data.toString()),
  fetch: (input, init) => {
    const url = String(input).replace('https://api.telegram.org', telegram)
    // Without connections that are kept, the stand-in knows that a dead worker's last call has come to its end.
    return fetch(url, { ...init, headers: { ...(init?.headers as Record<string, string>), connection: 'close' } })
  },
  latenessMaxMs: Number.MAX_SAFE_INTEGER,
  clock: () => now,
  // Its own time does not leap with the one that the killer moves: it would take itself for having stood still.
  uptimeMs: () => 0,
  pause: async () => {},
  log: {
    info: () => {},
    warn: () => {},
    // The errors of ours that come of an answer that was lost are part of the plan; others show in what they lead to.
    error: () => {},
  },
})

async function work(): Promise<void> {
  let claimed: number
  do {
    // An answer to a claim may be lost: what was claimed is due again when its leases end.
    claimed = await publisher.claim().catch(() => 0)
    await publisher.idle()
  } while (claimed > 0)
  tell({ type: 'idle', nextDueInMs: (await publisher.nextDueInMs()) ?? null })
}

process.on('message', async (message: ToWorker) => {
  try {
    if (message.type === 'go') {
      const resolve = waiting.get(message.id)!
      waiting.delete(message.id)
      resolve(message.lose)
    } else if (message.type === 'clock') {
      // No statement takes longer than the clock goes on at a time.
      while (underWay > 0) await nextTurn()
      now = new Date(message.now)
      if (message.renew) await publisher.renew()
      tell({ type: 'renewed' })
    } else await work()
  } catch (error) {
    tell({ type: 'error', message: String((error as Error).stack) })
  }
})
process.on('disconnect', () => process.exit())
tell({ type: 'ready' })

import { CALL_IN_FLIGHT_MAX_MS } from '../../src/engine/delivery/timing.ts'
import type { Send } from '../../src/features/webhooks/send.ts'
import { between } from './clock.ts'
import type { Fates, Process, Scheduler } from './scheduler.ts'

type CallFate =
  | 'works'
  | 'is lost'
  | 'answer is lost'
  /** The call is lost for its process, and arrives later. */
  | 'arrives late'
  | 'process ends before'
  | 'process ends after'
  | 'is refused for a while'

const CALL: Fates<CallFate> = {
  works: 'works',
  faults: [
    'is lost',
    'answer is lost',
    'arrives late',
    'process ends before',
    'process ends after',
    'is refused for a while',
  ],
  share: 0.08,
}

/** Never resolves: its process has ended. */
const nothing = () => new Promise<never>(() => {})

const lost = () => Object.assign(new TypeError('fetch failed'), { cause: { code: 'ECONNRESET' } })

interface Caller {
  scheduler: Scheduler
  process: Process
  end(): void
}

/** Its own step: whatever may happen while the process waits for the response. */
const RESPONSE: Fates<'arrives'> = { works: 'arrives', faults: [], share: 0 }

/** Rejects when the signal aborts, as `fetch` does. */
function orAborted<T>(work: Promise<T>, signal: AbortSignal | null | undefined): Promise<T> {
  if (!signal) return work
  return new Promise((resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
    work.then(resolve, reject)
  })
}

/** `fetch` of one process: each call is a step, and so is its response. */
export const fetchOf =
  ({ scheduler, process, end }: Caller, answer: typeof fetch): typeof fetch =>
  async (input, init) => {
    const { pathname, host } = new URL(String(input))
    const name = `${init?.method ?? 'GET'} ${host}${pathname}`
    const fate = await scheduler.enter(process, name, CALL)
    init?.signal?.throwIfAborted()
    const call = () => answer(input, { ...init, signal: null })
    switch (fate) {
      case 'works': {
        const response = await call()
        await orAborted(scheduler.enter(process, '', RESPONSE), init?.signal)
        return response
      }
      case 'is refused for a while':
        return new Response('{}', { status: 503 })
      case 'is lost':
        throw lost()
      case 'answer is lost':
        await call()
        throw lost()
      case 'arrives late':
        setTimeout(
          () => {
            scheduler.tell(host, `a late ${name} arrives`)
            void call().catch(() => {})
          },
          between(0, CALL_IN_FLIGHT_MAX_MS - 1_000),
        )
        throw lost()
      case 'process ends before':
        end()
        return nothing()
      case 'process ends after':
        await call()
        end()
        return nothing()
    }
  }

const TAKEN = { status: 200, body: '', error: null, retryAfterMs: null }
const UNREACHABLE = { status: null, body: null, error: 'unreachable' as const, retryAfterMs: null }

/** The sending of webhooks in one process. `receive` gets the id of each event that arrives. */
export const sendOf =
  ({ scheduler, process, end }: Caller, receive: (id: string) => void): Send =>
  async ({ headers }) => {
    const id = headers['webhook-id']!
    const fate = await scheduler.enter(process, `webhook ${id}`, CALL)
    if (fate === 'process ends before') end()
    if (fate === 'process ends before' || fate === 'is lost' || fate === 'is refused for a while') {
      return fate === 'process ends before' ? nothing() : UNREACHABLE
    }
    receive(id)
    if (fate === 'process ends after') end()
    return fate === 'works' ? TAKEN : fate === 'process ends after' ? nothing() : UNREACHABLE
  }

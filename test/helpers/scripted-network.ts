import type { Act, Adapter, Guarantee, Io, Json, Sent, Wait } from '../../src/platforms/adapter.ts'
import { PublishError } from '../../src/platforms/publish-error.ts'

/** What happens to one attempt at an act. */
export interface Step {
  /** Whether the network carries the call out. */
  accept: boolean
  /** What the caller gets in place of the response. */
  fail?: Error
  /** Fails in `prepare`. */
  early?: boolean
  /** `prepare` asks to be called again after so many milliseconds. */
  laterMs?: number
  /** `publish` says that the network works on the act for so many milliseconds. */
  processingMs?: number
  /** Awaited before the response. */
  meanwhile?: () => unknown
}

type Prepared = { attempt: number }

export interface ScriptedNetwork extends Adapter<Prepared> {
  /** Texts of the published acts, in order. */
  posts: string[]
  /** Every act that was prepared. */
  acts: Act[]
  /** The `saved` state of each call of `prepare`. */
  saved: (Prepared | null)[]
  /** What happens at the next attempts. When none is left, all goes well. */
  steps: Step[]
  /** What happens at the attempts at an act; undefined for the next of `steps`. */
  stepOf: ((act: Act) => Step | undefined) | undefined
  /** What `reconcile` returns; undefined for the truth. */
  says: (() => Promise<Reconciled>) | undefined
  /** How often `reconcile` was called. */
  asked: number
}

export type Reconciled = Sent | 'absent' | 'unknown' | { rejected: string } | { processing: Wait<Prepared> }

export const refusal = (
  code = 'content_refused',
  options: { retryable?: boolean; retryAfterMs?: number; limitKey?: string; needsAttention?: boolean } = {},
) => new PublishError('network.example: no', { code, maybeSent: false, retryable: false, ...options })
export const lost = () =>
  new PublishError('network.example did not answer', { code: 'timeout', maybeSent: true, retryable: true })

/** A network that follows a script and keeps everything it is sent, as often as it is sent. */
export function scriptedNetwork(guarantee: Guarantee = 'reconcilable', concurrency = 4): ScriptedNetwork {
  const ids = new Map<string, Sent>()
  const current = new Map<string, Step>()
  const network: ScriptedNetwork = {
    guarantee,
    concurrency,
    posts: [],
    acts: [],
    saved: [],
    steps: [],
    stepOf: undefined,
    says: undefined,
    asked: 0,
    identify: async () => ({ externalId: '1', username: 'ada', displayName: null }),
    async prepare(act, _io, saved) {
      network.acts.push(act)
      network.saved.push(saved)
      const step = network.stepOf?.(act) ?? network.steps.shift() ?? { accept: true }
      if (step.early) throw step.fail
      const state = { attempt: network.acts.length }
      if (step.laterMs !== undefined) return { later: { state, afterMs: step.laterMs } }
      current.set(act.token, step)
      return { ready: state }
    },
    async publish(act, _io, ready) {
      const { accept, fail, processingMs, meanwhile } = current.get(act.token)!
      if (accept) {
        network.posts.push(act.text)
        ids.set(act.token, { id: `n${network.posts.length}`, url: `https://network.example/n${network.posts.length}` })
      }
      await meanwhile?.()
      if (fail) throw fail
      if (processingMs !== undefined) return { processing: { state: ready, afterMs: processingMs } }
      return ids.get(act.token)!
    },
  }
  if (guarantee !== 'at-most-once') {
    network.reconcile = async (act) => {
      network.asked++
      return network.says ? network.says() : (ids.get(act.token) ?? 'absent')
    }
  }
  return network
}

/** The same network with `before` awaited at the start of each attempt. */
export const beforePrepare = <P extends Json>(
  network: Adapter<P>,
  before: (act: Act, io: Io) => unknown,
): Adapter<P> => ({
  ...network,
  prepare: async (act, io, saved) => {
    await before(act, io)
    return network.prepare(act, io, saved)
  },
})

/** The same network, whose calls fail when their signal aborts. */
export const heedingSignal = <P extends Json>(network: Adapter<P>): Adapter<P> => ({
  ...network,
  publish: (act, io, ready) => {
    const aborted = new Promise<never>((_, reject) => io.signal.addEventListener('abort', () => reject(lost())))
    return Promise.race([network.publish(act, io, ready), aborted])
  },
})

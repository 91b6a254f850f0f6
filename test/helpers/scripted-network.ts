import type { Act, Adapter, Sent, Wait } from '../../src/platforms/contract/adapter.ts'
import type { Guarantee } from '../../src/platforms/contract/guarantee.ts'
import type { Io, Json } from '../../src/platforms/contract/io.ts'
import { PublishError } from '../../src/platforms/contract/publish-error.ts'

/** The course of one attempt at an act. */
export interface Step {
  /** Whether the network carries out the call. */
  isAccepted: boolean
  /** Thrown in place of the response. */
  error?: Error
  /** Throws `error` in `prepare`, before the intent. */
  isEarly?: boolean
  /** `prepare` asks to be called again after this time. */
  laterMs?: number
  /** `publish` reports that the network processes the act for this time. */
  processingMs?: number
  /** Awaited between the call and its response. */
  beforeResponse?: () => unknown
}

type Prepared = { attempt: number }

export interface ScriptedNetwork extends Adapter<Prepared> {
  /** Texts of the published acts, in order. */
  posts: string[]
  /** The act of each call of `prepare`. */
  acts: Act[]
  /** The `saved` state of each call of `prepare`. */
  saved: (Prepared | null)[]
  /** The steps of the next attempts, in order. If none is left, the attempt succeeds. */
  steps: Step[]
  /** Returns the step of an attempt at this act; undefined takes the next one of `steps`. */
  stepOf: ((act: Act) => Step | undefined) | undefined
  /** Replaces the result of `reconcile`, which otherwise is the truth. */
  reconcileWith: (() => Promise<Reconciled>) | undefined
  /** Number of calls of `reconcile`. */
  reconcileCount: number
  /** Texts of the acts that are on the network, by their ids. */
  present: Map<string, string>
  /** The id of each call of `remove`. */
  removals: string[]
  /** The steps of the next calls of `remove`. If none is left, the call succeeds. */
  removalSteps: Step[]
  /** The text of each call of `edit`. */
  edits: string[]
  /** The steps of the next calls of `edit`. If none is left, the call succeeds. */
  editSteps: Step[]
  /** Publishes an edit as a new post, unless the newest version has its text. */
  editsAreNew: boolean
}

type Reconciled = Sent | 'absent' | 'unknown' | { rejected: string } | { processing: Wait<Prepared> }

/** An error response: the call was certainly not carried out. */
export const refusal = (
  code = 'content_refused',
  options: { retryable?: boolean; retryAfterMs?: number; limitKey?: string; needsAttention?: boolean } = {},
) => new PublishError('network.example: no', { code, maybeSent: false, retryable: false, ...options })

/** The error of a connection that was never made. */
export const unreachable = () =>
  new PublishError('network.example: no', { code: 'unreachable', maybeSent: false, retryable: true })

/** The error of a call that may have been carried out. */
export const lostResponse = () =>
  new PublishError('network.example did not answer', { code: 'timeout', maybeSent: true, retryable: true })

/** A network that follows a script, and records every act as often as it receives it. */
export function scriptedNetwork(guarantee: Guarantee = 'reconcilable', concurrency = 4): ScriptedNetwork {
  const ids = new Map<string, Sent>()
  const current = new Map<string, Step>()
  const versions = new Map<string, string[]>()
  const network: ScriptedNetwork = {
    guarantee,
    concurrency,
    posts: [],
    acts: [],
    saved: [],
    steps: [],
    stepOf: undefined,
    reconcileWith: undefined,
    reconcileCount: 0,
    present: new Map(),
    removals: [],
    removalSteps: [],
    edits: [],
    editSteps: [],
    editsAreNew: false,
    identify: async () => ({ externalId: '1', username: 'ada', displayName: null }),
    async prepare(act, _io, saved) {
      network.acts.push(act)
      network.saved.push(saved)
      const step = network.stepOf?.(act) ?? network.steps.shift() ?? { isAccepted: true }
      if (step.isEarly) throw step.error
      const state = { attempt: network.acts.length }
      if (step.laterMs !== undefined) return { later: { state, afterMs: step.laterMs } }
      current.set(act.token, step)
      return { ready: state }
    },
    async publish(act, _io, ready) {
      const { isAccepted, error, processingMs, beforeResponse } = current.get(act.token)!
      if (isAccepted) {
        network.posts.push(act.text)
        const id = `n${network.posts.length}`
        ids.set(act.token, { id, url: `https://network.example/${id}` })
        network.present.set(id, act.text)
      }
      await beforeResponse?.()
      if (error) throw error
      if (processingMs !== undefined) return { processing: { state: ready, afterMs: processingMs } }
      return ids.get(act.token)!
    },
    async remove({ id }) {
      network.removals.push(id)
      const { isAccepted, error, beforeResponse } = network.removalSteps.shift() ?? { isAccepted: true }
      if (isAccepted) network.present.delete(id)
      await beforeResponse?.()
      if (error) throw error
    },
    async edit({ text }, { id }) {
      network.edits.push(text)
      const { isAccepted, error, beforeResponse } = network.editSteps.shift() ?? { isAccepted: true }
      if (isAccepted) {
        const newest = versions.get(id)?.at(-1) ?? id
        const isThere = network.present.get(newest) === text
        const edited = network.editsAreNew && !isThere ? `${newest}e` : newest
        if (edited !== newest) versions.set(id, [...(versions.get(id) ?? []), edited])
        network.present.delete(newest)
        network.present.set(edited, text)
      }
      await beforeResponse?.()
      if (error) throw error
      const newId = versions.get(id)?.at(-1) ?? id
      return { id: newId, url: `https://network.example/${newId}` }
    },
  }
  if (guarantee !== 'at-most-once') {
    network.reconcile = async (act) => {
      network.reconcileCount++
      if (network.reconcileWith) return network.reconcileWith()
      const sent = ids.get(act.token)
      return sent && network.present.has(sent.id) ? sent : 'absent'
    }
  }
  return network
}

/** The same network, with `before` awaited at the start of `prepare`. */
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

/** The same network, whose calls end with a lost response when their signal aborts. */
export const withAbortableCalls = <P extends Json>(network: Adapter<P>): Adapter<P> => ({
  ...network,
  publish: (act, io, ready) => {
    const aborted = new Promise<never>((_, reject) => io.signal.addEventListener('abort', () => reject(lostResponse())))
    return Promise.race([network.publish(act, io, ready), aborted])
  },
})

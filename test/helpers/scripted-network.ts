import { type Act, type Guarantee, PublishError, type Publishing, type Sent } from '../../src/platforms/adapter.ts'

/** What happens at one call. `meanwhile` is awaited before the answer. */
export interface Step {
  /** Whether the network carries the call out. */
  accept: boolean
  /** What the caller gets in place of the answer. */
  fail?: Error
  /** Fails before `intend`. */
  early?: boolean
  meanwhile?: () => unknown
}

export interface ScriptedNetwork extends Publishing {
  /** Texts of what is on the network, in order. */
  posts: string[]
  /** Every act that was to be sent, whatever came of it. */
  acts: Act[]
  /** What happens at the next calls; when there is none left, all goes well. */
  steps: Step[]
  /** What the network says when it is asked; undefined is the truth. */
  says: (() => Promise<Sent | 'absent' | 'unknown'>) | undefined
  asked: number
}

export const refusal = (
  code = 'content_refused',
  options: { retryable?: boolean; retryAfterMs?: number; needsAttention?: boolean } = {},
) => new PublishError('network.example: no', { code, maybeSent: false, retryable: false, ...options })
export const lost = () =>
  new PublishError('network.example did not answer', { code: 'timeout', maybeSent: true, retryable: true })

/** A network that does what a test tells it, and keeps what it was sent, as often as it was sent. */
export function scriptedNetwork(guarantee: Guarantee = 'reconcilable', concurrency = 4): ScriptedNetwork {
  const ids = new Map<string, Sent>()
  const network: ScriptedNetwork = {
    guarantee,
    concurrency,
    posts: [],
    acts: [],
    steps: [],
    says: undefined,
    asked: 0,
    identify: async () => ({ externalId: '1', username: 'ada', displayName: null }),
    async send(act, _credentials, { intend }) {
      network.acts.push(act)
      const { accept, fail, early = false, meanwhile } = network.steps.shift() ?? { accept: true }
      if (early) throw fail
      await intend()
      if (accept) {
        network.posts.push(act.text)
        ids.set(act.token, { id: `n${network.posts.length}`, url: `https://network.example/n${network.posts.length}` })
      }
      await meanwhile?.()
      if (fail) throw fail
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

/** The same network, whose calls end with their signal. */
export const heeding = (network: ScriptedNetwork): Publishing => ({
  ...network,
  send: (act, credentials, io) => {
    const aborted = new Promise<never>((_, reject) => io.signal.addEventListener('abort', () => reject(lost())))
    return Promise.race([network.send(act, credentials, io), aborted])
  },
})

/** The same network, whose calls begin when `gate` opens. */
export const heldBack = (network: ScriptedNetwork, gate: Promise<void>): Publishing => ({
  ...network,
  send: async (...all) => {
    await gate
    return network.send(...all)
  },
})

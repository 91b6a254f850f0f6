/**
 * Steps of sending a webhook at which a worker is killed. `received`: the receiver has got the request. `settling` and
 * `releasing`: the statement that stores the outcome, or that gives the webhook back, waits for a lock.
 */
export const STEPS = ['calling', 'received', 'called', 'settling', 'releasing'] as const
export type Step = (typeof STEPS)[number]

export interface FromWorker {
  type: 'reached'
}

export const KEY = Buffer.alloc(32, 7)

/** Steps of a refresh at which a worker can be killed. `received`: the network has received its call. */
export const STEPS = ['claimed', 'calling', 'received', 'called', 'stored'] as const
type Step = (typeof STEPS)[number]

export interface Kill {
  step: Step
  /** Whether the worker went on before it was killed. */
  isAfter: boolean
}

export type FromWorker =
  | { type: 'ready' | 'idle' }
  | { type: 'step'; step: Exclude<Step, 'received'> }
  | { type: 'error'; message: string }

export type ToWorker = { type: 'go' } | { type: 'work'; now: number }

export const KEY = Buffer.alloc(32, 7)
export const APP = { clientId: 'the-app', clientSecret: 'the-secret-of-the-app' }

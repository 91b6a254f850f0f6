import type { Journal } from '../../../src/engine/delivery/deps.ts'
import { noJournal } from '../../helpers/journal.ts'
import { callWrongly, type WrongResponse } from '../../helpers/wrong-responses.ts'

/**
 * The fault of a process. killed: it ends at a step. suspended: it stands still at a step, until another process has
 * taken its place. A wrong response concerns the call with this number.
 */
export interface Fault {
  step: number
  how: 'killed' | 'suspended' | WrongResponse
}

export const nameOfFault = ({ step, how }: Fault) => `${typeof how === 'string' ? how : how.name} at step ${step}`

/** The dependencies of a process that ends or stands still at a step: a call, or an entry of the journal. */
export function createFaultyProcess(
  { step, how }: Fault,
  { fetch, now }: { fetch: typeof globalThis.fetch; now(): Date },
) {
  let steps = 0
  let isDead = false
  let place: string | undefined
  const stopped = Promise.withResolvers<void>()
  const resumed = Promise.withResolvers<void>()

  const live = () => {
    if (isDead) throw new Error('the process is dead')
  }
  const isReached = (name: string) => {
    live()
    if (typeof how !== 'string' || ++steps !== step) return false
    place = name
    return true
  }
  const end = () => {
    isDead = true
    stopped.resolve()
    live()
  }
  /** A step that takes no time: a process is killed at it, but not suspended. */
  const passNow = (name: string) => {
    if (how !== 'suspended' && isReached(name)) end()
  }
  const pass = async (name: string) => {
    if (!isReached(name)) return
    if (how === 'killed') end()
    stopped.resolve()
    await resumed.promise
  }

  const call: typeof globalThis.fetch = async (input, init) => {
    const name = `${init?.method ?? 'GET'} ${new URL(String(input)).pathname}`
    if (typeof how !== 'string' && ++steps === step) {
      place = name
      return callWrongly(how, fetch, input, init)
    }
    await pass(`before ${name}`)
    // Time has passed while it stood still.
    if (how === 'suspended' && init?.signal?.aborted) throw init.signal.reason
    const response = await fetch(input, init)
    await pass(`after ${name}`)
    return response
  }
  const journal: Journal = {
    ...noJournal,
    editing: () => pass('after the intent of an edit'),
    removing: () => pass('after the intent of a removal'),
    edited: () => passNow('before an edit is stored'),
    removed: () => passNow('before a removal is stored'),
  }
  return {
    fetch: call,
    journal,
    /** The current time, which a dead process does not read. */
    clock: () => {
      live()
      return now()
    },
    /** The same; each look at the clock is a step. */
    countedClock: () => {
      passNow('at its clock')
      return now()
    },
    /** Resolves when the process is dead or stands still. */
    stopped: stopped.promise,
    resume: () => resumed.resolve(),
    /** The step at which the fault happened; undefined if it did not. */
    place: () => place,
    isDead: () => isDead,
  }
}

import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'
import type { Day } from './day.ts'
import { PLANTED } from './planted.ts'

const PLANT = new URL('plant.ts', import.meta.url).href
const DAY_THREAD = new URL('day-thread.ts', import.meta.url)

// Types of Node do not have it.
const { compile } = WebAssembly as unknown as { compile(bytes: Uint8Array): Promise<object> }

/** Compiled once: threads share the code, and what V8 has optimised of it. */
const postgres = await compile(await readFile(new URL('pglite.wasm', import.meta.resolve('@electric-sql/pglite'))))

export interface Order {
  seed: number
  /** The faults that happen, by their numbers. Absent: all. */
  faults?: readonly number[]
  /** A fault of the code. */
  planted?: keyof typeof PLANTED | undefined
}

export type LivedDay = Day & { seed: number }

/** Lives a day in a thread of its own. */
export async function liveDay({ planted, ...order }: Order): Promise<LivedDay> {
  const thread = new Worker(DAY_THREAD, {
    workerData: { ...order, postgres },
    execArgv: planted === undefined ? [] : [`--import=${PLANT}`],
    env: { ...process.env, ...(planted !== undefined && { PLANTED: JSON.stringify(PLANTED[planted]) }) },
  })
  const [day] = (await once(thread, 'message')) as [Day]
  await thread.terminate()
  return { seed: order.seed, ...day }
}

/**
 * Lives days from `seed` on, as many at a time as there are cores, until one breaks a promise. Returns the days, of
 * which the last one may be broken.
 */
export async function liveDays(seed: number, count: number, planted?: Order['planted']): Promise<LivedDay[]> {
  const days: LivedDay[] = []
  let next = seed
  let end = seed + count
  const live = async () => {
    while (next < end) {
      const day = await liveDay({ seed: next++, planted })
      days.push(day)
      if (isBroken(day)) end = Math.min(end, day.seed)
    }
  }
  await Promise.all(Array.from({ length: availableParallelism() }, live))
  return days.filter((day) => day.seed <= end).sort((a, b) => a.seed - b.seed)
}

export const isBroken = ({ breaches }: Day): boolean => breaches.length > 0

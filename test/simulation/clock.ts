import { AsyncResource } from 'node:async_hooks'
import crypto from 'node:crypto'
import { syncBuiltinESMExports } from 'node:module'
import timers from 'node:timers'
import timersPromises from 'node:timers/promises'

// Loaded before everything else: whatever tells the time, waits or draws lots in this process follows the simulation.

const RealDate = globalThis.Date

/** A timer that ends when the simulation has come to its time. */
class Timer {
  at = 0
  readonly #call: () => void
  readonly #ms: number
  readonly repeats: boolean

  constructor(call: () => void, ms: number | undefined, repeats: boolean) {
    this.#call = AsyncResource.bind(call)
    this.#ms = Math.max(1, Math.trunc(ms ?? 0) || 1)
    this.repeats = repeats
    this.refresh()
  }

  refresh(): this {
    pending.delete(this)
    this.at = nowMs + this.#ms
    pending.add(this)
    return this
  }

  run(): void {
    if (this.repeats) this.refresh()
    else pending.delete(this)
    this.#call()
  }

  close = () => void pending.delete(this)
  ref = () => this
  unref = () => this
  hasRef = () => pending.has(this);
  [Symbol.dispose] = this.close
}

/** In the order in which they were set. */
const pending = new Set<Timer>()
let nowMs = 0
let state = 0

/** A number from 0 up to 1: the next one of the seed. https://doi.org/10.1145/2714064.2660195 */
export function draw(): number {
  state = (state + 0x9e3779b9) | 0
  let mixed = state ^ (state >>> 16)
  mixed = Math.imul(mixed, 0x21f0aaad)
  mixed ^= mixed >>> 15
  mixed = Math.imul(mixed, 0x735a2d97)
  return ((mixed ^ (mixed >>> 15)) >>> 0) / 2 ** 32
}

export const chance = (share: number): boolean => draw() < share
export const between = (min: number, max: number): number => min + Math.floor(draw() * (max - min + 1))
export const oneOf = <T>(values: readonly T[]): T => values[between(0, values.length - 1)]!

/** Begins a history: the same seed draws the same lots. No timer of an earlier one is left. */
export function begin(seed: number, startMs: number): void {
  pending.clear()
  state = seed | 0
  nowMs = startMs
}

export const now = (): number => nowMs

/** Runs timers in order, up to the first that does not repeat: true. Without one, sets the time to `untilMs`: false. */
export function advance(untilMs: number): boolean {
  for (;;) {
    let next: Timer | undefined
    for (const timer of pending) if (timer.at <= untilMs && (!next || timer.at < next.at)) next = timer
    nowMs = Math.max(nowMs, next?.at ?? untilMs)
    next?.run()
    if (!next) return false
    // A repeated one finds nothing to do most of the time.
    if (!next.repeats) return true
  }
}

class SimulatedDate extends RealDate {
  constructor(...args: [] | ConstructorParameters<DateConstructor>) {
    super(...((args.length === 0 ? [nowMs] : args) as [number]))
  }
  static override now = () => nowMs
}

const setTimer = (call: (...args: unknown[]) => void, ms?: number, ...args: unknown[]) =>
  new Timer(() => call(...args), ms, false)
const setRepeated = (call: (...args: unknown[]) => void, ms?: number, ...args: unknown[]) =>
  new Timer(() => call(...args), ms, true)
const clear = (timer?: unknown) => (timer instanceof Timer ? timer.close() : undefined)

function pause<T>(ms?: number, value?: T, { signal }: { signal?: AbortSignal } = {}): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => {
      timer.close()
      reject(signal!.reason)
    }
    const timer = new Timer(
      () => {
        signal?.removeEventListener('abort', abort)
        resolve(value as T)
      },
      ms,
      false,
    )
    if (signal?.aborted) abort()
    else signal?.addEventListener('abort', abort, { once: true })
  })
}

function fill<T extends NodeJS.ArrayBufferView>(view: T): T {
  const bytes = new Uint8Array(view.buffer, view.byteOffset, view.byteLength)
  for (let at = 0; at < bytes.length; at++) bytes[at] = draw() * 256
  return view
}

function randomBytes(size: number, done?: (error: null, bytes: Buffer) => void): Buffer | undefined {
  const bytes = fill(Buffer.alloc(size))
  if (!done) return bytes
  process.nextTick(done, null, bytes)
  return undefined
}

function randomUUID() {
  const hex = fill(Buffer.alloc(16)).toString('hex')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20)}`
}

const timing = { setTimeout: setTimer, setInterval: setRepeated, clearTimeout: clear, clearInterval: clear }
Object.assign(globalThis, timing, { Date: SimulatedDate })
Object.assign(timers, timing)
Object.assign(timersPromises, { setTimeout: pause })
Object.assign(crypto, {
  randomBytes,
  randomUUID,
  randomFillSync: fill,
  randomInt: (min: number, max?: number) => (max === undefined ? between(0, min - 1) : between(min, max - 1)),
})
Object.assign(globalThis.crypto, { getRandomValues: fill, randomUUID })
Math.random = draw
performance.now = () => nowMs
AbortSignal.timeout = (ms) => {
  const controller = new AbortController()
  new Timer(() => controller.abort(new DOMException('The operation timed out', 'TimeoutError')), ms, false)
  return controller.signal
}
syncBuiltinESMExports()

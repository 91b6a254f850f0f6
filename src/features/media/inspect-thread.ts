import { once } from 'node:events'
import { totalmem } from 'node:os'
import { extname } from 'node:path'
import { Worker } from 'node:worker_threads'
import { fail } from '../../base/errors.ts'
import type { Inspected, InspectRequest } from './inspected.ts'
import { damaged } from './structure/bytes.ts'

/** Zero if the memory is not limited. */
const memoryBytes = Math.min(totalmem(), process.constrainedMemory() || Infinity)
/**
 * A quarter of what the process may use: the main thread takes up to half, and buffers outside the heap the rest. 128
 * MB hold the tables of four hours at 60 frames per second, 256 MB those of twelve hours at 30.
 */
const HEAP_MB = Math.min(256, Math.floor(memoryBytes / 4 / 2 ** 20))
/**
 * Node ends a thread at its limit with 16 MB of leeway. An array that grows by more than that ends the whole process,
 * so the thread is ended earlier.
 */
const LEEWAY_MB = 64
/**
 * The tables of twelve hours at 30 frames per second take 1.7 s, a live recording of twelve hours and 1 GiB takes 5 s.
 */
export const cpuMaxMsOf = (bytes: number) => 3_000 + (5_000 * bytes) / 2 ** 30
const CPU_CHECK_MS = 20
/**
 * A thread that waits for a disk without a response uses no CPU time. On a busy machine, CPU time passes up to twenty
 * times more slowly than the clock.
 */
export const wallMaxMsOf = (bytes: number) => 20 * cpuMaxMsOf(bytes)
/** To start a thread takes 0.1 s of CPU time. An idle one takes 25 MB. */
const IDLE_MAX_MS = 10_000

export interface InspectLimits {
  /** CPU time, which passes slowly while other work occupies the cores. */
  cpuMaxMs?: number
  wallMaxMs?: number
}

const tooComplex = (needs: string) => fail('file_too_complex', `takes too much ${needs} to read`)

const exited = (code: number) => new Error(`The thread that reads files exited with code ${code}`)

/**
 * A thread that reads one file at a time. A file that keeps it busy, or fills its memory, ends it. It ends itself when
 * there is nothing to read.
 */
export class InspectThread {
  hasEnded = false
  /** It was ended while it waited for the disk, which keeps it. */
  isStuck = false
  readonly #worker: Worker
  #reading: PromiseWithResolvers<Inspected> | undefined
  #failure: Error | undefined
  #idle: NodeJS.Timeout | undefined

  static async start(): Promise<InspectThread> {
    // `.ts` when run from the sources, `.js` when compiled.
    const worker = new Worker(new URL(`./inspect-worker${extname(import.meta.url)}`, import.meta.url), {
      // The default young generation would keep 10 MB more.
      resourceLimits: { maxOldGenerationSizeMb: HEAP_MB + LEEWAY_MB, maxYoungGenerationSizeMb: 4 },
    })
    const thread = new InspectThread(worker)
    await once(worker, 'online')
    return thread
  }

  private constructor(worker: Worker) {
    this.#worker = worker
    // A parser may fail because the thread is being ended.
    worker.on('message', (result: Inspected) => this.hasEnded || this.#reading?.resolve(result))
    worker.on('error', (error: NodeJS.ErrnoException) => {
      this.#failure ??= error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? tooComplex('memory') : error
    })
    worker.on('exit', (code) => {
      this.hasEnded = true
      this.isStuck = false
      this.#failure ??= code === 0 ? damaged('its content cannot be read') : exited(code)
      this.#reading?.reject(this.#failure)
    })
  }

  /**
   * Throws a 400 if the file exceeds the limits, after the thread has ended and its memory is freed, and a 503 if the
   * disk does not respond.
   */
  async read(request: InspectRequest, { cpuMaxMs, wallMaxMs }: Required<InspectLimits>): Promise<Inspected> {
    if (this.#failure) throw this.#failure
    clearTimeout(this.#idle)
    this.#worker.ref()
    const reading = Promise.withResolvers<Inspected>()
    // Before anything is awaited: a thread that exits ends the reading.
    this.#reading = reading
    let cpuBeforeMs: number | undefined
    const check = async () => {
      const [cpuMs, heap] = await Promise.all([this.#cpuMs(), this.#worker.getHeapStatistics()])
      cpuBeforeMs ??= cpuMs
      const isSlow = cpuMs - cpuBeforeMs >= cpuMaxMs
      const isLarge = heap.total_heap_size >= HEAP_MB * 2 ** 20
      if (!(isSlow || isLarge) || this.#reading !== reading) return
      this.#failure ??= tooComplex(isSlow ? 'time' : 'memory')
      this.#end()
    }
    // The thread may exit before it responds.
    const tryCheck = () => check().catch(() => {})
    const timer = setInterval(tryCheck, CPU_CHECK_MS)
    const deadline = setTimeout(() => this.#giveUp(), wallMaxMs)
    try {
      void tryCheck()
      this.#worker.postMessage(request)
      const result = await reading.promise
      clearInterval(timer)
      clearTimeout(deadline)
      this.#reading = undefined
      await this.#renew()
      return result
    } finally {
      clearInterval(timer)
      clearTimeout(deadline)
      this.#reading = undefined
      this.#worker.unref()
      this.#idle = setTimeout(() => this.#end(), IDLE_MAX_MS).unref()
    }
  }

  /** Fails the reading without waiting for the thread, which exits only when the disk responds. */
  #giveUp(): void {
    this.isStuck = true
    this.#failure ??= fail('storage_unavailable')
    this.#reading?.reject(this.#failure)
    this.#end()
  }

  #end(): void {
    this.hasEnded = true
    this.#worker.terminate()
  }

  /** Ends the thread if what a file left in its heap is no room for the next one. V8 collects late. */
  async #renew(): Promise<void> {
    const heap = await this.#worker.getHeapStatistics().catch(() => undefined)
    if (!heap || heap.total_heap_size < (HEAP_MB / 4) * 2 ** 20) return
    this.hasEnded = true
    await this.#worker.terminate()
  }

  async #cpuMs(): Promise<number> {
    // Added in Node 24.6. Older versions measure elapsed time instead, which includes the time of other processes.
    if (!this.#worker.cpuUsage) return performance.now()
    const { user, system } = await this.#worker.cpuUsage()
    return (user + system) / 1000
  }
}

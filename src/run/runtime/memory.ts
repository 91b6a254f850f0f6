import { performance } from 'node:perf_hooks'
import { getHeapStatistics, setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import type { Log } from '../../base/log.ts'

/**
 * Returns the memory of garbage to the system, which V8 would keep. After imports it is 40 of 150 MB: without it, an
 * upload can exceed 200 MB, unless the young generation is so small that requests wait for garbage collections.
 * https://nodejs.org/api/v8.html#v8setflagsfromstringflags
 */
export function releaseMemory(): void {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('globalThis.gc') as NodeJS.GCFunction | undefined
  collect?.({ type: 'major', flavor: 'last-resort' })
}

const CHECK_MS = 5_000
/** Above this part of the time, the event loop is busy. */
const IDLE_UTILIZATION_MAX = 0.05
/** A heap that has grown by less is not worth the pause. */
const GROWTH_MIN = 1.5

const readHeapBytes = () => getHeapStatistics().total_heap_size

/**
 * Returns memory to the system after a burst of requests, once the event loop was idle for 5 seconds. A process had 370
 * MB after a minute of load, and 150 MB afterwards. A smaller young generation would keep the memory low during the
 * load too, but costs a tenth of the throughput.
 */
export function releaseMemoryWhenIdle(): { stop(): void } {
  let restBytes = readHeapBytes()
  let wasReleased = false
  let utilization = performance.eventLoopUtilization()
  const timer = setInterval(() => {
    const { utilization: recent } = performance.eventLoopUtilization(utilization)
    utilization = performance.eventLoopUtilization()
    // Pages are returned in the background, so the heap is read at the next check.
    if (wasReleased) restBytes = readHeapBytes()
    wasReleased = recent < IDLE_UTILIZATION_MAX && readHeapBytes() > GROWTH_MIN * restBytes
    if (wasReleased) releaseMemory()
  }, CHECK_MS)
  return { stop: () => clearInterval(timer) }
}

/** A worker takes 0.3 GB, and ffmpeg up to 0.9 GB for a video in 4K. */
const CONVERTING_BYTES = 1.25e9

/** Warns if the memory of this process and its children is limited to less than a conversion may take. */
export function warnOfMemory(log: Pick<Log, 'warn'>, limitBytes = process.constrainedMemory()): void {
  if (limitBytes === 0 || limitBytes >= CONVERTING_BYTES) return
  log.warn({ limitBytes }, 'converting a video in 4K takes 1.25 GB: raise the memory limit, or set FFMPEG to off')
}

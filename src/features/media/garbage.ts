import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

let collect: ((options: { type: 'minor' }) => void) | undefined

/**
 * Frees the memory of unused buffers. V8 sees only their small headers on its own heap, and lets about 50 MB accumulate
 * before it collects. At run time, only an explicit collection frees them earlier.
 */
export function collectBuffers(): void {
  if (!collect) {
    setFlagsFromString('--expose-gc')
    collect = runInNewContext('gc') as typeof collect
  }
  collect?.({ type: 'minor' })
}

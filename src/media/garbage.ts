import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

let collect: ((options: { type: 'minor' }) => void) | undefined

/**
 * Gives the memory of used-up buffers back. V8 counts little of them but their few bytes on its own heap, and lets some
 * fifty megabytes come together before it looks. There is no other way to have it look at run time.
 */
export function collectBuffers(): void {
  if (!collect) {
    setFlagsFromString('--expose-gc')
    collect = runInNewContext('gc') as typeof collect
  }
  collect?.({ type: 'minor' })
}

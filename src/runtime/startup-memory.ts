import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/**
 * Returns the memory that only the start needed to the system: 40 of 150 MB, which V8 would keep. Without it, an upload can
 * exceed 200 MB, unless the young generation is so small that requests wait for garbage collections.
 * https://nodejs.org/api/v8.html#v8setflagsfromstringflags
 */
export function releaseStartupMemory(): void {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('globalThis.gc') as NodeJS.GCFunction | undefined
  collect?.({ type: 'major', flavor: 'last-resort' })
}

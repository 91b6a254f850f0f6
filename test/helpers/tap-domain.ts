import { executionAsyncResource } from 'node:async_hooks'
import { registerHooks } from 'node:module'

// Preloaded by .ci/test.ts: tap gets the class below in place of the package async-hook-domain. That package
// follows each promise with async hooks, which takes a third of the CPU time of tests that call networks.
registerHooks({
  resolve: (specifier, context, next) =>
    specifier === 'async-hook-domain' ? { url: import.meta.url, shortCircuit: true } : next(specifier, context),
})

/** The domains of tests that have not ended. The first one is that of the root. */
const domains = new Set<Domain>()

/** Gives tap uncaught errors, as errors of the test that started last. A process runs one test at a time. */
export class Domain {
  readonly onerror: (error: unknown, origin: string) => void
  readonly #test: { start: bigint } | undefined

  constructor(onerror: Domain['onerror']) {
    this.onerror = onerror
    this.#test = (executionAsyncResource() as { test?: { start: bigint } }).test
    if (domains.size === 0) process.on('uncaughtException', report)
    domains.add(this)
  }

  /** 0 before the test runs. */
  get start(): bigint {
    return this.#test?.start ?? 0n
  }

  destroy(): void {
    domains.delete(this)
    if (domains.size === 0) process.off('uncaughtException', report)
  }
}

const report = (error: unknown, origin: string) =>
  [...domains].reduce((last, next) => (next.start > last.start ? next : last)).onerror(error, origin)

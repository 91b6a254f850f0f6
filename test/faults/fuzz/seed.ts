import fc, { type IAsyncPropertyWithHooks, type Parameters } from 'fast-check'

/**
 * Seed of all random choices. SEED repeats an earlier run, AT only its failure. A failure of commands also needs STEPS,
 * the `replayPath` that it prints.
 */
export const SEED = Number(process.env.SEED ?? Date.now() % 2 ** 31)
const AT = process.env.AT

/** Checks a property. Throws with the smallest counterexample, and how to repeat it. */
export async function hold<T extends [unknown]>(
  property: IAsyncPropertyWithHooks<T>,
  { seed = SEED, ...parameters }: Parameters<T>,
): Promise<void> {
  const { failed, counterexamplePath, errorInstance, numRuns, counterexample } = await fc.check(property, {
    // Fails if more runs are skipped than checked.
    maxSkipsPerRun: 1,
    ...parameters,
    seed,
    ...(AT !== undefined && { path: AT }),
  })
  if (!failed) return
  const replay = `SEED=${seed} AT=${counterexamplePath} (after ${numRuns} runs)`
  const example = String(counterexample?.[0])
  const shown = /^(?:async )?\(/.test(example) ? '' : `${example}\n`
  throw new Error(`${replay}\n${shown}${(errorInstance as Error)?.stack ?? errorInstance}`)
}

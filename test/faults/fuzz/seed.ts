import fc, { type IAsyncPropertyWithHooks, type Parameters } from 'fast-check'

/**
 * What random choices follow from: SEED repeats those of an earlier run, AT its failure alone; one of steps needs STEPS,
 * too, the `replayPath` that is shown with it.
 */
export const SEED = Number(process.env.SEED ?? Date.now() % 2 ** 31)
const AT = process.env.AT

/** Throws where the property does not hold for something, with the least that it does not hold for. */
export async function hold<T extends [unknown]>(
  property: IAsyncPropertyWithHooks<T>,
  { seed = SEED, ...parameters }: Parameters<T>,
): Promise<void> {
  const { failed, counterexamplePath, errorInstance, numRuns, counterexample } = await fc.check(property, {
    // Where most runs say nothing, nothing holds.
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

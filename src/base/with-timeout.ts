/**
 * The result of `work`. Throws the error if it takes longer than `ms`: the work goes on, and nobody waits for it any
 * more.
 */
export async function withTimeout<T>(
  ms: number,
  work: Promise<T>,
  toError = () => new Error(`Took more than ${ms} ms`),
): Promise<T> {
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(() => late.reject(toError()), ms)
  try {
    return await Promise.race([work, late.promise])
  } finally {
    clearTimeout(timer)
  }
}

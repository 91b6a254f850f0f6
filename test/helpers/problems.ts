import { inspect, isDeepStrictEqual } from 'node:util'

/** Collects what is wrong in a loop, which asserts once after it: `t.strictSame(problems, [])`. */
export function collectProblems() {
  const problems: string[] = []
  /** Adds a problem with both values, unless they are the same. Returns whether they are. */
  const check = (actual: unknown, expected: unknown, name: string): boolean => {
    const isSame = isDeepStrictEqual(actual, expected)
    if (!isSame) problems.push(`${name}: expected ${show(expected)}, got ${show(actual)}`)
    return isSame
  }
  return { problems, check }
}

export type Check = ReturnType<typeof collectProblems>['check']

const show = (value: unknown) => inspect(value, { depth: null, breakLength: Number.POSITIVE_INFINITY })

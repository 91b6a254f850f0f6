import { inspect, isDeepStrictEqual } from 'node:util'

/** Collects the problems of a loop. Assert once after the loop: `t.strictSame(problems, [])`. */
export function collectProblems() {
  const problems: string[] = []
  /** Adds a problem with both values, unless they are the same. Returns whether they are. */
  const check = (actual: unknown, expected: unknown, name: string): boolean => {
    const isSame = isDeepStrictEqual(actual, expected)
    if (!isSame) problems.push(`${name}: expected ${show(expected)}, got ${show(actual)}`)
    return isSame
  }
  /** Compares the keys of `expected` alone. */
  const checkPart = (actual: object, expected: object, name: string): boolean => {
    const part = Object.fromEntries(Object.keys(expected).map((key) => [key, actual[key as keyof typeof actual]]))
    return check(part, { ...expected }, name)
  }
  return { problems, check, checkPart }
}

export type Findings = ReturnType<typeof collectProblems>
export type Check = Findings['check']

const show = (value: unknown) => inspect(value, { depth: null, breakLength: Number.POSITIVE_INFINITY })

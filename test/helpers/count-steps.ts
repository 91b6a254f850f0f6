import { Session } from 'node:inspector'
import { setFlagsFromString } from 'node:v8'

/**
 * A function that counts the steps which `run` takes: executions of blocks of code in files whose path contains
 * `folder`, and characters and backtracks of regular expressions. Steps do not depend on the speed of the machine.
 *
 * V8 counts blocks by its precise coverage, in functions that are first called after this function. A regular expression
 * counts the characters from its start to the end of its match, and its backtracks, rounded up to a power of two.
 */
export function stepCounter(folder: string): (run: () => void) => number {
  const session = new Session()
  session.connect()
  post(session, 'Profiler.enable')
  post(session, 'Profiler.startPreciseCoverage', { callCount: true, detailed: true })
  return (run) => {
    // Resets the counters.
    post(session, 'Profiler.takePreciseCoverage')
    let steps = countRegexSteps(run)
    for (const { url, functions } of post(session, 'Profiler.takePreciseCoverage').result) {
      if (!url.includes(folder)) continue
      for (const { ranges } of functions) for (const { count } of ranges) steps += count
    }
    return steps
  }
}

function countRegexSteps(run: () => void): number {
  const { exec } = RegExp.prototype
  let steps = 0
  // By specification, match, matchAll, replace and test call exec too.
  RegExp.prototype.exec = function (text) {
    const start = this.lastIndex
    const match = exec.call(this, text)
    steps += match ? match.index + match[0].length - start : 0
    steps += backtracksOf(this, text, start, exec)
    return match
  }
  try {
    run()
  } finally {
    RegExp.prototype.exec = exec
  }
  return steps
}

interface Coverage {
  result: { url: string; functions: { ranges: { count: number }[] }[] }[]
}

function post(session: Session, method: string, params?: object): Coverage {
  let outcome: Coverage | undefined
  // The callback runs before `post` returns, since the session belongs to this thread.
  session.post(method, params, (error, result) => {
    if (error) throw error
    outcome = result as Coverage
  })
  return outcome!
}

type Limited = (pattern: string, flags: string, backtracksMax: number) => RegExp

let createLimited: Limited | undefined
const limited = new Map<string, RegExp>()

/** The smallest power of two that is enough as the maximum of backtracks. */
function backtracksOf(regex: RegExp, text: string, start: number, exec: typeof regex.exec): number {
  setFlagsFromString('--allow-natives-syntax')
  createLimited ??= new Function('p', 'f', 'l', 'return %NewRegExpWithBacktrackLimit(p, f, l)') as Limited
  for (let max = 1; ; max *= 2) {
    const key = `${max}/${regex.source}/${regex.flags}`
    // The second alternative always matches, so that no match means that the limit was reached.
    const twin = limited.get(key) ?? createLimited(`(?:${regex.source})|${regex.sticky ? '' : '$'}`, regex.flags, max)
    limited.set(key, twin)
    twin.lastIndex = start
    if (exec.call(twin, text)) return max
  }
}

import { Session } from 'node:inspector'
import { setFlagsFromString } from 'node:v8'

/**
 * Returns a function that counts the steps of `run`, so that a test can compare work without measuring time.
 *
 * A step is an execution of a block of code in a file whose path contains `folder`. V8 counts them by its precise
 * coverage, in functions that are first called after `stepCounter`.
 *
 * A match of a regular expression adds the characters up to its end, and its backtracks, rounded up to a power of two.
 */
export function stepCounter(folder: string): (run: () => void) => number {
  const session = new Session()
  session.connect()
  post(session, 'Profiler.enable')
  post(session, 'Profiler.startPreciseCoverage', { callCount: true, detailed: true })
  return (run) => {
    // Resets the counts.
    post(session, 'Profiler.takePreciseCoverage')
    // V8 itself ends this optimisation, which backtracks less, once a process has enough code of expressions.
    setFlagsFromString('--no-regexp-optimization')
    let steps: number
    try {
      steps = countRegexSteps(run)
    } finally {
      setFlagsFromString('--regexp-optimization')
    }
    for (const { url, functions } of post(session, 'Profiler.takePreciseCoverage').result) {
      if (!url.includes(folder)) continue
      for (const { ranges } of functions) for (const { count } of ranges) steps += count
    }
    return steps
  }
}

interface Coverage {
  result: { url: string; functions: { ranges: { count: number }[] }[] }[]
}

function post(session: Session, method: string, params?: object): Coverage {
  let response: Coverage | undefined
  // The callback runs before `post` returns, since the session belongs to this thread.
  session.post(method, params, (error, result) => {
    if (error) throw error
    response = result as Coverage
  })
  return response!
}

const exec = RegExp.prototype.exec

function countRegexSteps(run: () => void): number {
  let steps = 0
  // By specification, match, matchAll, replace and test call exec too.
  RegExp.prototype.exec = function (text) {
    RegExp.prototype.exec = exec
    try {
      const start = this.lastIndex
      const match = this.exec(text)
      const consumed = match ? match.index + match[0].length - start : 0
      steps += consumed + countBacktracks(this, text, start)
      return match
    } finally {
      RegExp.prototype.exec = counting
    }
  }
  const counting = RegExp.prototype.exec
  try {
    run()
  } finally {
    RegExp.prototype.exec = exec
  }
  return steps
}

/** The smallest power of two that is enough as the maximum of backtracks. */
function countBacktracks(regex: RegExp, text: string, start: number): number {
  for (let max = 1; ; max *= 2) {
    const limited = withBacktrackLimit(regex, max)
    limited.lastIndex = start
    if (limited.exec(text)) return max
  }
}

const limitedExpressions = new Map<string, RegExp>()
let create: ((source: string, flags: string, backtracksMax: number) => RegExp) | undefined

/** The expression with an alternative that always matches: there is no match if it reaches the limit. */
function withBacktrackLimit({ source, flags, sticky }: RegExp, max: number): RegExp {
  const key = `${max}/${source}/${flags}`
  const known = limitedExpressions.get(key)
  if (known) return known
  setFlagsFromString('--allow-natives-syntax')
  create ??= new Function('source', 'flags', 'max', 'return %NewRegExpWithBacktrackLimit(source, flags, max)') as never
  const limited = create!(`(?:${withGroups(source, flags)})|${sticky ? '' : '$'}`, flags, max)
  limitedExpressions.set(key, limited)
  return limited
}

const classes = /\\[pPu]\{[^}]*\}|\\.|\[(?:\\.|[^\]\\])*\]/gs
const nestedClasses = /\\[pPu]\{[^}]*\}|\\.|\[(?:\\.|\[[^\]]*\]|[^\]\\[])*\]/gs

/** V8 does not count the backtracks of a loop over one class of characters, such as \w+. It counts those of (\w)+. */
const withGroups = (source: string, flags: string) =>
  source.replace(flags.includes('v') ? nestedClasses : classes, (found) =>
    /^(?:\[|\\[pwsd])/i.test(found) ? `(${found})` : found,
  )

import { readFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'

/** One change of one line. */
export interface Mutant {
  file: string
  /** Counted from 0. */
  line: number
  before: string
  after: string
}

/** Replaces one match. The pattern has the flag `g`. */
export type Rule = [found: RegExp, replaced: string]

/** Operators, conditions, constants and statements of TypeScript. */
export const CODE_RULES: Rule[] = [
  [/ === /g, ' !== '],
  [/ !== /g, ' === '],
  [/ < /g, ' <= '],
  [/ <= /g, ' < '],
  [/ >= /g, ' > '],
  [/ > /g, ' >= '],
  [/ && /g, ' || '],
  [/ \|\| /g, ' && '],
  [/ \?\? /g, ' && '],
  [/ \+ /g, ' - '],
  [/ - /g, ' + '],
  [/ \? /g, ' || true ? '],
  [/\(!/g, '('],
  [/: null\b/g, ': 1'],
  [/\btrue\b/g, 'false'],
  [/\bfalse\b/g, 'true'],
  [/(?<![\w.'$-])0(?![\w.])/g, '1'],
  [/(?<![\w.'$-])[1-9][\d_]*(?![\w.])/g, '0'],
  [/Math\.max\(/g, 'Math.min('],
  [/Math\.min\(/g, 'Math.max('],
  [/^ +if \(.*\) (return|throw|continue)\b.*$/g, ''],
  [/^ +(await )?[\w.]+\(.*\)$/g, ''],
]

/** Conditions and locks of SQL. */
export const SQL_RULES: Rule[] = [
  [/ and /g, ' or '],
  [/ or /g, ' and '],
  [/ is null\b/g, ' is not null'],
  [/ is not null\b/g, ' is null'],
  [/\bnot exists\b/g, 'exists'],
  [/(?<=^ *(where|and|or|on|when)\b[^=]*) = /g, ' <> '],
  [/\bcoalesce\(/g, 'nullif('],
  [/\bgreatest\(/g, 'least('],
  [/\bleast\(/g, 'greatest('],
  [/\bfor (no key )?update( of \w+)?\b/g, ''],
  [/ skip locked\b/g, ''],
]

/** All mutants of a file, line by line. Types, comments and imports are not mutated, nor what then fails to parse. */
export function listMutants(file: string, rules: readonly Rule[]): Mutant[] {
  const source = readFileSync(file, 'utf8').split('\n')
  // Types become spaces, so that columns stay.
  const code = stripTypeScriptTypes(source.join('\n')).split('\n')
  return code.flatMap((text, line) => {
    if (/^\s*(\*|\/|--|import\b)/.test(text)) return []
    const before = source[line]!
    return rules
      .flatMap(([found, replaced]) =>
        [...text.matchAll(found)].map(
          ({ index, 0: match }) => before.slice(0, index) + replaced + before.slice(index + match.length),
        ),
      )
      .filter((after) => parses(source.with(line, after).join('\n')))
      .map((after) => ({ file, line, before, after }))
  })
}

function parses(source: string): boolean {
  try {
    stripTypeScriptTypes(source)
    return true
  } catch {
    return false
  }
}

/** Evenly chosen mutants. */
export const sample = <T>(mutants: readonly T[], count: number): T[] =>
  Array.from({ length: count }, (_, index) => mutants[Math.floor((index * mutants.length) / count)]!)

/** The environment of a process that runs with the mutant. */
export const withMutant = (mutant: Mutant) => ({
  ...process.env,
  MUTANT: JSON.stringify(mutant),
  NODE_OPTIONS: `${process.env.NODE_OPTIONS ?? ''} --import=${new URL('mutate.ts', import.meta.url)}`,
})

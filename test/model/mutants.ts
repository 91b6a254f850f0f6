import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

/** One change of one line. */
interface Mutant {
  file: string
  /** Counted from 0. */
  line: number
  before: string
  after: string
}

const FILES = ['decide.ts', 'owner-rules.ts'].map((name) => `src/engine/delivery/${name}`)

/** Each replaces the first place that it finds in a line. */
const RULES: [found: RegExp, replaced: string][] = [
  [/ === /, ' !== '],
  [/ !== /, ' === '],
  [/ < /, ' <= '],
  [/ <= /, ' < '],
  [/ >= /, ' > '],
  [/ > /, ' >= '],
  [/ && /, ' || '],
  [/ \|\| /, ' && '],
  [/ \+ 1\b/, ' + 0'],
  [/: 0\b/, ': 1'],
  [/: null\b/, ': 1'],
  [/\btrue\b/, 'false'],
  [/\bfalse\b/, 'true'],
  [/Math\.max\(/, 'Math.min('],
  [/\(!/, '('],
  [/^ {2}if \(.*\) return .*$/, ''],
  [/state: 'queued'/, "state: 'unconfirmed'"],
  [/state: 'unconfirmed'/, "state: 'queued', retryInMs: 1, isOpen: false, isWaiting: false"],
  [/state: 'published'/, "state: 'failed'"],
  [/state: 'failed'/, "state: 'published'"],
  [/state: 'publishing'/, "state: 'published'"],
  [/state: 'missed'/, "state: 'failed'"],
  [/state: 'removing'/, "state: 'removed'"],
]

/** All mutants, line by line. Types, comments and imports are not mutated. */
export const listMutants = (): Mutant[] =>
  FILES.flatMap((file) => {
    const lines = readFileSync(file, 'utf8').split('\n')
    const isCode = (line: string) =>
      !/^\s*(\*|\/)|^(import|export interface|interface|type)|: Allowed|=> For</.test(line)
    return lines.flatMap((before, line) =>
      isCode(before) && /[=(:]/.test(before)
        ? RULES.filter(([found]) => found.test(before)).map(([found, replaced]) => {
            return { file, line, before, after: before.replace(found, replaced) }
          })
        : [],
    )
  })

/** How the search finds a mutant: the first promise that it breaks, with its history; undefined if it does not. */
export function findMutant(mutant: Mutant): string | undefined {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ['--import', './test/model/mutate.ts', 'test/model/find.ts'],
    { encoding: 'utf8', env: { ...process.env, MUTANT: JSON.stringify(mutant) } },
  )
  return status === 0 ? undefined : stdout || stderr
}

import { spawn } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Mutant } from './mutants.ts'

/** A test file, and the code that it runs. */
export interface TestFile {
  file: string
  ms: number
  /** The counts of V8, by the URL of each module that mutants change. */
  covered: Map<string, Range[]>
}

interface Range {
  startOffset: number
  endOffset: number
  count: number
}

interface Run {
  passed: boolean
  ms: number
}

/** Beyond this many times its usual duration, and these milliseconds, a test waits for what never happens. */
const LIMIT = { factor: 5, ms: 20_000 }

/** Runs one test file, up to its first failure. */
export function runTest(file: string, env: NodeJS.ProcessEnv, limitMs: number): Promise<Run> {
  const startedAt = performance.now()
  const child = spawn(process.execPath, [file], {
    stdio: 'ignore',
    timeout: limitMs,
    killSignal: 'SIGKILL',
    env: { ...env, TAP_BAIL: '1', TAP_TIMEOUT: '1800' },
  })
  return new Promise((resolve) => {
    child.on('close', (code) => resolve({ passed: code === 0, ms: performance.now() - startedAt }))
  })
}

/** Runs a test file that has to pass, and reads from V8 which code it runs. */
export async function readTestFile(file: string, folders: string[], env: NodeJS.ProcessEnv): Promise<TestFile> {
  const counts = mkdtempSync(join(process.env.TEST_RECORD_DIR!, 'coverage-'))
  // Functions from the compile cache are counted as a whole.
  const counting = { ...env, NODE_V8_COVERAGE: counts, NODE_DISABLE_COMPILE_CACHE: '1' }
  const { passed, ms } = await runTest(file, counting, 600_000)
  if (!passed) throw new Error(`without a mutant, ${file} must pass`)
  const roots = folders.map((folder) => `${pathToFileURL(resolve(folder))}/`)
  const covered = new Map<string, Range[]>()
  for (const name of readdirSync(counts)) {
    const { result } = JSON.parse(readFileSync(join(counts, name), 'utf8')) as {
      result: { url: string; functions: { ranges: Range[] }[] }[]
    }
    for (const { url, functions } of result) {
      if (!roots.some((root) => url.startsWith(root))) continue
      // A test may start several processes.
      covered.set(
        `${url}#${name}`,
        functions.flatMap(({ ranges }) => ranges),
      )
    }
  }
  rmSync(counts, { recursive: true })
  return { file, ms, covered }
}

/** Whether the test runs the code that the mutant changes. */
export function runs({ covered }: TestFile, { file, line, before, after }: Mutant): boolean {
  const source = readFileSync(file, 'utf8')
  const lineStart = source.split('\n').slice(0, line).join('\n').length + (line > 0 ? 1 : 0)
  const column = [...before].findIndex((character, index) => character !== after[index])
  const offset = lineStart + Math.max(column, before.search(/\S/))
  const url = `${pathToFileURL(resolve(file))}#`
  return [...covered].some(([key, ranges]) => key.startsWith(url) && innermost(ranges, offset) > 0)
}

/** The count of the smallest range around the offset. */
function innermost(ranges: Range[], offset: number): number {
  const around = ranges.filter(({ startOffset, endOffset }) => startOffset <= offset && offset < endOffset)
  return around.sort((a, b) => a.endOffset - a.startOffset - (b.endOffset - b.startOffset))[0]?.count ?? 0
}

/** The first test that fails with the mutant, the fastest first. */
export async function findMutant(tests: TestFile[], mutant: Mutant, env: NodeJS.ProcessEnv): Promise<string | null> {
  const candidates = tests.filter((test) => runs(test, mutant)).sort((a, b) => a.ms - b.ms)
  for (const { file, ms } of candidates) {
    if (!(await runTest(file, env, Math.ceil(LIMIT.factor * ms + LIMIT.ms))).passed) return file
  }
  return null
}

/** Works on as many items at a time as there are cores. */
export async function forEach<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const left = [...items]
  const next = async () => {
    for (let item = left.shift(); item !== undefined; item = left.shift()) await work(item)
  }
  const ends = await Promise.allSettled(Array.from({ length: availableParallelism() }, next))
  for (const end of ends) if (end.status === 'rejected') throw end.reason
}

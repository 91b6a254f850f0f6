import { spawn } from 'node:child_process'
import { globSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { parse } from 'yaml'
import { findLeaks } from '../test/helpers/leaks.ts'
import { withPostgres } from '../test/helpers/postgres.ts'
import { groupFiles } from './groups.ts'

const CACHE = join(process.cwd(), 'node_modules/.cache')

/** Runs all tests, or the files and folders in the arguments, on a real Postgres, and prints the counts in the last line. */
const { code, output, leaks } = await withPostgres(async (scratch) => {
  const record = join(scratch, 'record')
  mkdirSync(record)
  // Inside of the checkout: tap writes results to paths relative to it.
  mkdirSync(CACHE, { recursive: true })
  const groups = mkdtempSync(join(CACHE, 'tests-'))
  try {
    return { ...(await runTap(scratch, groups, record)), leaks: findLeaks(record) }
  } finally {
    rmSync(groups, { recursive: true })
  }
})

for (const [, name, reason] of output.matchAll(/^ *ok \d+ - (.*?) # SKIP (.*)$/gm)) {
  process.stdout.write(`skipped: ${name}: ${reason}\n`)
}

// The reporter shows failures too, but its output may be cut off at the end.
for (const [failure] of output.matchAll(/^( *)not ok .*\n(?:\1 .*\n)*/gm)) process.stdout.write(failure)

for (const leak of leaks) process.stdout.write(`${leak}\n`)

/** tap ends its stream with `# { total: 12, pass: 11, fail: 1 }`. */
const closing = output.match(/^# \{ total: .*\}$/gm)?.at(-1) ?? ''
const count = (name: string) => Number(new RegExp(`${name}: (\\d+)`).exec(closing)?.[1] ?? 0)
const failed = Math.max(count('fail'), code === 0 ? 0 : 1) + leaks.length
process.stdout.write(`${count('pass')} passed, ${failed} failed\n`)
process.exitCode = failed > 0 ? 1 : 0

async function runTap(scratch: string, groups: string, record: string) {
  const outputFile = join(scratch, 'output.tap')
  const { include, timeout } = parse(readFileSync('.taprc', 'utf8'))
  const options = process.argv.slice(2).filter((argument) => argument.startsWith('-'))
  const named = process.argv.slice(2).filter((argument) => !argument.startsWith('-'))
  const files = named.length > 0 ? named.flatMap(filesOf) : globSync(include)
  // A file that runs alone needs no runner: starting tap takes longer than most files.
  const isAlone = files.length === 1 && options.length === 0
  const [command, parameters] = isAlone
    ? [process.execPath, files]
    : ['tap', [`--output-file=${outputFile}`, ...options, ...groupFiles(files, groups)]]
  const tap = spawn(command, parameters, {
    stdio: ['inherit', isAlone ? openSync(outputFile, 'w') : 'inherit', 'inherit'],
    // Compiled sources make processes start sooner.
    env: {
      NODE_COMPILE_CACHE: join(CACHE, 'node'),
      ...process.env,
      // Before tap's own arguments, which import tap.
      NODE_OPTIONS: `${process.env.NODE_OPTIONS ?? ''} --import=${pathToFileURL('test/helpers/tap-domain.ts')}`,
      TEST_RECORD_DIR: record,
      ...(isAlone && { TAP_TIMEOUT: String(timeout) }),
    },
  })
  // This process continues, to stop Postgres.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => tap.kill(signal))
  const code = await new Promise<number | null>((resolve) => tap.on('close', resolve))
  return { code, output: readFileSync(outputFile, 'utf8') }
}

function filesOf(path: string): string[] {
  if (!statSync(path).isDirectory()) return [path]
  const files = globSync(`${path}/*.test.ts`)
  if (files.length === 0) throw new Error(`${path} has no tests`)
  return files
}

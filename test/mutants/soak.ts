import { globSync, mkdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { withPostgres } from '../helpers/postgres.ts'
import { report } from '../helpers/report.ts'
import { CODE_RULES, listMutants, type Mutant, SQL_RULES, sample, withMutant } from './mutants.ts'
import { findMutant, forEach, readTestFile, runs, type TestFile } from './tests.ts'

/**
 * Changes one operator, condition, constant or statement at a time, and runs the tests that run the changed code, the
 * fastest first, until one fails or waits for too long. A mutant that survives is a test that is missing, or code that
 * does nothing. Exits with 1 if more than 5 % survive: `node test/mutants/soak.ts [COUNT]`, evenly chosen.
 */
const [count = '200'] = process.argv.slice(2)

const SURVIVORS_MAX = 0.05

const FOLDERS = ['src/engine/delivery', 'src/engine/journal', 'src/features/posts', 'db/queries/delivery']
const TESTS = ['delivery', 'deliveries', 'journal', 'posts']

const all = FOLDERS.flatMap((folder) => globSync(`${folder}/**/*.ts`))
  .sort()
  .flatMap((file) => listMutants(file, file.startsWith('db/') ? [...CODE_RULES, ...SQL_RULES] : CODE_RULES))

const { log } = console
const rows = await withPostgres(async (scratch) => {
  process.env.TEST_RECORD_DIR = join(scratch, 'record')
  process.env.NODE_OPTIONS = `--import=${pathToFileURL(resolve('test/helpers/tap-domain.ts'))}`
  process.env.NODE_COMPILE_CACHE = resolve('node_modules/.cache/node')
  mkdirSync(process.env.TEST_RECORD_DIR)
  const tests: TestFile[] = []
  await forEach(
    TESTS.flatMap((folder) => globSync(`test/${folder}/!(*.slow).test.ts`)),
    async (file) => void tests.push(await readTestFile(file, FOLDERS, process.env)),
  )
  const tried: { line: string; after: string; outcome: string }[] = []
  await forEach(sample(all, Number(count)), async (mutant) => {
    const row = { ...describe(mutant), outcome: await outcomeOf(tests, mutant) }
    log(`${row.outcome}\t${row.line}\t${row.after}`)
    tried.push(row)
  })
  return tried
})
const survivors = rows.filter(({ outcome }) => !outcome.endsWith('.test.ts'))
report('mutants', survivors, { of: all.length, tried: rows.length, survived: survivors.length })
process.exitCode = survivors.length > SURVIVORS_MAX * rows.length ? 1 : 0

async function outcomeOf(tests: TestFile[], mutant: Mutant): Promise<string> {
  const found = await findMutant(tests, mutant, withMutant(mutant))
  return found ?? (tests.some((test) => runs(test, mutant)) ? 'survives' : 'no test runs it')
}

function describe({ file, line, after }: Mutant) {
  return { line: `${file}:${line + 1}`, after: after.trim().slice(0, 80) }
}

import { spawnSync } from 'node:child_process'
import { globSync } from 'node:fs'
import { report } from '../helpers/report.ts'
import { CODE_RULES, listMutants, type Mutant, SQL_RULES, sample, withMutant } from './mutants.ts'

/**
 * Changes one operator, condition, constant or statement at a time, and runs the tests of its area. A mutant that these
 * miss gets all tests: one that survives is a test that is missing, or code that does nothing. Exits with 1 if more
 * than 5 % survive: `node test/mutants/soak.ts [COUNT]`, evenly chosen.
 */
const [count = '200'] = process.argv.slice(2)

const SURVIVORS_MAX = 0.05

/** The tests that find most mutants of a folder. */
const AREAS = [
  { folder: 'src/engine/delivery', tests: ['test/delivery', 'test/deliveries', 'test/journal'] },
  { folder: 'src/engine/journal', tests: ['test/journal', 'test/delivery'] },
  { folder: 'src/features/posts', tests: ['test/posts'] },
  { folder: 'db/queries/delivery', tests: ['test/delivery', 'test/deliveries', 'test/journal', 'test/db'] },
]

const passes = (tests: string[], env?: NodeJS.ProcessEnv) =>
  spawnSync('npm', ['test', '-s', '--', ...tests, '--bail', '--timeout=600'], { env, stdio: 'ignore' }).status === 0

function outcomeOf(mutant: Mutant, tests: string[]): 'area' | 'all' | 'survives' {
  const env = withMutant(mutant)
  if (!passes(tests, env)) return 'area'
  return passes([], env) ? 'survives' : 'all'
}

const all = AREAS.flatMap(({ folder, tests }) =>
  globSync(`${folder}/**/*.ts`)
    .sort()
    .flatMap((file) => listMutants(file, file.startsWith('db/') ? [...CODE_RULES, ...SQL_RULES] : CODE_RULES))
    .map((mutant) => ({ mutant, tests })),
)
for (const { tests } of AREAS) {
  if (!passes(tests)) throw new Error(`without a mutant, ${tests.join(' ')} must pass`)
}
const { log } = console
const rows = sample(all, Number(count)).map(({ mutant, tests }) => {
  const row = {
    line: `${mutant.file}:${mutant.line + 1}`,
    after: mutant.after.trim().slice(0, 80),
    outcome: outcomeOf(mutant, tests),
  }
  log(`${row.outcome}\t${row.line}\t${row.after}`)
  return row
})
const survivors = rows.filter(({ outcome }) => outcome === 'survives')
report('mutants', survivors, { of: all.length, tried: rows.length, survived: survivors.length })
process.exitCode = survivors.length > SURVIVORS_MAX * rows.length ? 1 : 0

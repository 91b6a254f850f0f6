import { report } from '../helpers/report.ts'
import { sample } from '../mutants/mutants.ts'
import { findMutant, listDecidingMutants } from './mutants.ts'
import { SCENARIOS } from './scenarios.ts'
import { search } from './search.ts'

/**
 * Searches deeper, and then for mutants, evenly chosen. Exits with 1 if a promise is broken, or a mutant is not
 * found: `node test/model/soak.ts [DEPTH [MUTANTS]]`.
 */
const [depth = '13', count = '20'] = process.argv.slice(2)
const { log } = console

let isBroken = false
const rows = SCENARIOS.map((scenario) => {
  const found = search(scenario, scenario.isRestored ? Number(depth) - 3 : Number(depth))
  const { broken, reached: _, ...counts } = found
  if (broken) {
    isBroken = true
    log(`${scenario.name}: ${broken.promise}\n  ${broken.history.join('\n  ')}`)
  }
  return { scenario: scenario.name, ...counts, isWhole: String(counts.isWhole), broken: broken?.promise ?? '' }
})
report('model', rows)

const all = listDecidingMutants()
const found = sample(all, Number(count)).map((mutant) => {
  const [promise, ...history] = findMutant(mutant)?.trim().split('\n') ?? []
  isBroken ||= promise === undefined
  return {
    line: `${mutant.file.split('/').at(-1)}:${mutant.line + 1}`,
    after: mutant.after.trim().slice(0, 80),
    found: promise ?? 'no',
    steps: history.length,
  }
})
report('model-mutants', found, { of: all.length })
process.exitCode = isBroken ? 1 : 0

import { SCENARIOS } from './scenarios.ts'
import { listUnreached, search, UNREACHABLE } from './search.ts'

// Run by mutants.ts with a mutated file. Exits with 1, and prints why, if a search finds the mutant.

const { log } = console
const DEPTHS = [6, 8, 10]

function find(): string | undefined {
  const reached = new Set<string>()
  for (const depth of DEPTHS) {
    for (const scenario of SCENARIOS) {
      const { broken, ...found } = search(scenario, scenario.isRestored ? depth - 2 : depth)
      if (broken) return `${broken.promise}\n${broken.history.join('\n')}`
      for (const each of found.reached) reached.add(each)
    }
  }
  const unreached = listUnreached(reached).filter((name) => !UNREACHABLE.includes(name))
  return unreached.length > 0 ? `never: ${unreached.join(', ')}` : undefined
}

const found = find()
if (found !== undefined) log(found)
process.exitCode = found === undefined ? 0 : 1

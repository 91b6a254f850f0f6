import { spawnSync } from 'node:child_process'
import { CODE_RULES, listMutants, type Mutant, type Rule, withMutant } from '../mutants/mutants.ts'

/** Changes of the state that a function decides. */
const STATE_RULES: Rule[] = [
  [/state: 'queued'/g, "state: 'unconfirmed'"],
  [/state: 'unconfirmed'/g, "state: 'queued', retryInMs: 1, isOpen: false, isWaiting: false"],
  [/state: 'published'/g, "state: 'failed'"],
  [/state: 'failed'/g, "state: 'published'"],
  [/state: 'publishing'/g, "state: 'published'"],
  [/state: 'missed'/g, "state: 'failed'"],
  [/state: 'removing'/g, "state: 'removed'"],
]

/** All mutants of the functions that decide what follows. */
export const listDecidingMutants = (): Mutant[] =>
  ['decide.ts', 'owner-rules.ts'].flatMap((name) =>
    listMutants(`src/engine/delivery/${name}`, [...CODE_RULES, ...STATE_RULES]),
  )

/** How the search finds a mutant: the first promise that it breaks, with its history; undefined if it does not. */
export function findMutant(mutant: Mutant): string | undefined {
  const { status, stdout, stderr } = spawnSync(process.execPath, ['test/model/find.ts'], {
    encoding: 'utf8',
    env: withMutant(mutant),
  })
  return status === 0 ? undefined : stdout || stderr
}

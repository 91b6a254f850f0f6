import t from 'tap'
import { findMutant, listDecidingMutants } from './mutants.ts'
import { SCENARIOS } from './scenarios.ts'
import { listUnreached, search, UNREACHABLE } from './search.ts'

// soak.ts searches deeper.

const DEPTH = 10
/** A backup may be taken after each step, so that there are many more states. */
const RESTORED_DEPTH = 8

t.test('no history of two workers, an owner, a network and a backup breaks a promise', async (t) => {
  const reached = new Set<string>()
  for (const scenario of SCENARIOS) {
    const found = search(scenario, scenario.isRestored ? RESTORED_DEPTH : DEPTH)
    t.equal(found.broken, undefined, scenario.name)
    t.comment(`${scenario.name}: ${found.states} states, ${found.steps} steps, depth ${found.depth}`)
    for (const each of found.reached) reached.add(each)
  }
  t.strictSame(listUnreached(reached), UNREACHABLE, 'every transition of the table is reached')
})

t.test('a search finds a wrong decision, and prints the shortest history that shows it', async (t) => {
  const forgets = { before: "'queued', retryInMs, isOpen: true", after: "'queued', retryInMs, isOpen: false" }
  const mutant = listDecidingMutants().find(
    ({ before, after }) => before.includes(forgets.before) && after.includes(forgets.after),
  )!
  const found = findMutant(mutant)!.trim().split('\n')
  t.strictSame(found, [
    'act 1 may be out, and is forgotten',
    'the post is scheduled for now',
    'worker 0: claims → publishing',
    'worker 0: calls → publishing',
    'worker 0: the response is lost: timeout → queued',
  ])
})

import t from 'tap'
import type { Tally } from './audit.ts'
import { KINDS } from './protocol.ts'
import { runFaults } from './run.ts'

// The soak does the same with more faults, and prints how long the service took to recover.
t.test('after every kind of fault under load, no write is lost or duplicated, and the service recovers', async (t) => {
  const { tallies, acknowledged, breaches } = await runFaults(t, { plan: [...KINDS], pauseMs: 100, writes: 500 })
  t.strictSame(breaches, [], `${acknowledged} acknowledged writes`)
  const sum = (countOf: (tally: Tally) => number) =>
    [...tallies.values()].reduce((total, tally) => total + countOf(tally), 0)
  t.ok(sum(({ unavailable }) => unavailable) > 0, 'some responses were 503')
  const timedOut = sum(({ timedOut }) => timedOut)
  t.equal(timedOut, 0, 'every request got a response, or its connection broke')
  for (const kind of KINDS) t.ok(tallies.get(kind)!.recoveries.length > 0, `${kind}: the service recovered`)
})

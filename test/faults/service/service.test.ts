import t from 'tap'
import { KINDS } from './protocol.ts'
import { runFaults } from './run.ts'

// `node test/faults/service/soak.ts` does more of each, and says how long everything took.
t.test(
  'whatever breaks under load: nothing acknowledged is lost, nothing done twice, and the service is back',
  async (t) => {
    const { tallies, acknowledged, breaches } = await runFaults(t, {
      plan: [...KINDS],
      pauseMs: 100,
      writes: 500,
    })
    t.strictSame(breaches, [], `${acknowledged} acknowledged writes`)
    const sum = (of: (tally: NonNullable<ReturnType<typeof tallies.get>>) => number) =>
      [...tallies.values()].reduce((all, tally) => all + of(tally), 0)
    t.ok(sum(({ unavailable }) => unavailable) > 0, 'meanwhile there were answers of 503')
    t.equal(
      sum(({ hung }) => hung),
      0,
      'and everybody had an answer',
    )
    for (const kind of KINDS) t.ok(tallies.get(kind)!.recoveries.length > 0, `${kind}: it was over`)
  },
)

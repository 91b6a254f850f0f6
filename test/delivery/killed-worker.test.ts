import t from 'tap'
import { STEPS } from '../faults/workers/protocol.ts'
import { createScenario } from '../faults/workers/scenario.ts'

// `make test-faults` kills more workers, in more ways: test/faults/workers.
t.test('no act is lost or sent twice when the worker is killed once at each step', async (t) => {
  const plan = STEPS.map((step) => ({ trouble: 'at' as const, step, nth: 1 }))
  const scenario = await createScenario(t, { posts: 24 })
  const report = await scenario.run({ plan, workers: 1 })
  t.strictSame(await scenario.findBreaches(report), [])
  t.strictSame(report.left, [], 'every planned kill was carried out')
})

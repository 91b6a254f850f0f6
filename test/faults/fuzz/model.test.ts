import t from 'tap'
import { serviceFollowsModel } from './model/property.ts'
import { coverage, startService } from './model/service.ts'
import { hold, SEED } from './seed.ts'

t.test('after any sequence of requests, the service is in the state that the model predicts', async (t) => {
  t.comment(`SEED=${SEED}`)
  await hold(serviceFollowsModel(await startService(t)), { numRuns: 100 })
  const count = [...coverage.responses.values()].reduce((sum, times) => sum + times, 0)
  t.ok(count > 2_000, `${count} responses`)
})

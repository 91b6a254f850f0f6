import t from 'tap'
import { createStage, met, playThrough } from './commands.ts'
import { hold, SEED } from './seed.ts'

t.test('step by step, the service does what the model says', async (t) => {
  t.comment(`SEED=${SEED}`)
  await hold(playThrough(await createStage(t)), { numRuns: 60 })
  t.comment(`${met.length} answers`)
  t.ok(met.length > 500)
})

import t from 'tap'
import { createStage, met, playThrough } from './commands.ts'
import { hold, SEED } from './seed.ts'

t.test('step by step, the service does what the model says', async (t) => {
  t.comment(`SEED=${SEED}`)
  await hold(playThrough(await createStage(t)), { numRuns: 40, interruptAfterTimeLimit: 120_000 })
  const count = [...met.answers.values()].reduce((sum, one) => sum + one, 0)
  t.ok(count > 500, `${count} answers`)
})

import { writeFileSync } from 'node:fs'
import t from 'tap'
import { createKilled, takeSlots } from './slots.ts'

/** The soak sets both. */
const { KILLS = '6', SOAK_REPORT } = process.env

t.test('processes that are killed take each slot of a queue once, and skip none', async (t) => {
  const result = await takeSlots(await createKilled(t), Number(KILLS))
  if (SOAK_REPORT) writeFileSync(SOAK_REPORT, JSON.stringify(result))
  t.strictSame(result.breaches, [])
  t.ok(result.kills > 0)
  const [[refused, count] = []] = Object.entries(result.responses).filter(([outcome]) => outcome !== '201')
  t.match(refused, /^409 x \(@ada\)/)
  t.strictSame([result.responses[201], count], [100, 100])
})

import t from 'tap'
import { isBroken, liveDay, liveDays } from './run.ts'

t.setTimeout(600_000)

t.test('the same seed leads to the same history, and days keep all promises', async (t) => {
  const [first, again] = await Promise.all([liveDay({ seed: 3 }), liveDay({ seed: 3 })])
  const other = await liveDay({ seed: 4 })
  t.equal(first.history.join('\n'), again.history.join('\n'))
  t.not(first.history.join('\n'), other.history.join('\n'))
  t.strictSame([...first.breaches, ...other.breaches], [])
})

t.test('days find that the code gives a slot twice', async (t) => {
  const days = await liveDays(8, 20, 'a slot is given twice')
  t.ok(days.some(isBroken), `${days.length} days`)
})

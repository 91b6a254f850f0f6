import t from 'tap'
import { inPieces } from '../../src/base/http/pieces.ts'

function* piece() {
  const endsAt = performance.now() + 2
  while (performance.now() < endsAt);
  yield
}

t.test('many short works leave turns to other requests, as one long work does', async (t) => {
  let turns = 0
  const count = () => {
    turns += 1
    counting = setImmediate(count)
  }
  let counting = setImmediate(count)
  for (let work = 0; work < 20; work++) await inPieces(piece())
  clearImmediate(counting)
  t.ok(turns >= 5, `${turns} turns`)
})

t.test('a transaction is not kept waiting', async (t) => {
  let hasTurned = false
  const turning = setImmediate(() => {
    hasTurned = true
  })
  for (let work = 0; work < 5; work++) await inPieces(piece(), { canPause: false })
  clearImmediate(turning)
  t.notOk(hasTurned)
})

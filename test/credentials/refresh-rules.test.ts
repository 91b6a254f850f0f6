import t from 'tap'
import { afterRefreshFailure, mayRefresh, type Situation } from '../../src/engine/credentials/refresh-rules.ts'

const MINUTE = 60_000
const fresh: Situation = { afterLostResponse: 'single-use', wasLost: false, expiredForMs: -MINUTE, failures: 0 }

t.test('the pauses between failures grow up to an hour', async (t) => {
  const pauses = [0, 1, 2, 3, 9].map((failures) => {
    return afterRefreshFailure({ ...fresh, failures }, { result: 'not_sent' }).retryInMs
  })
  t.same(pauses, [30_000, 120_000, 600_000, 3_600_000, 3_600_000])
})

t.test('a network may ask for a longer pause, up to a day', async (t) => {
  const pause = (retryAfterMs: number) => afterRefreshFailure(fresh, { result: 'not_sent', retryAfterMs })
  t.hasStrict(pause(1_000), { retryInMs: 30_000 })
  t.hasStrict(pause(300_000), { retryInMs: 300_000 })
  t.hasStrict(pause(1e12), { retryInMs: 86_400_000 })
})

t.test('after a lost response, a refresh is tried again unless that could revoke the access token', async (t) => {
  const alive = { ...fresh, wasLost: true }
  const expired = { ...alive, expiredForMs: 0 }
  const unknown = { ...alive, expiredForMs: null }
  for (const afterLostResponse of ['repeatable', 'single-use'] as const) {
    for (const situation of [fresh, alive, expired, unknown]) t.ok(mayRefresh({ ...situation, afterLostResponse }))
    t.same(afterRefreshFailure({ ...expired, afterLostResponse }, { result: 'unknown' }), {
      retryInMs: 30_000,
      isHeld: false,
      isLost: true,
    })
  }
  const afterLostResponse = 'revokes-reuse'
  t.ok(mayRefresh({ ...fresh, afterLostResponse }))
  t.notOk(mayRefresh({ ...alive, afterLostResponse }))
  t.notOk(mayRefresh({ ...unknown, afterLostResponse }))
  t.ok(mayRefresh({ ...expired, afterLostResponse }))
})

t.test('where reuse revokes, an access token that has expired is tried until the network responds', async (t) => {
  const lost: Situation = { ...fresh, afterLostResponse: 'revokes-reuse', wasLost: true, expiredForMs: 0 }
  for (const result of ['unknown', 'not_sent'] as const) {
    t.same(afterRefreshFailure(lost, { result }), { retryInMs: 30_000, isHeld: true, isLost: true })
  }
  t.hasStrict(afterRefreshFailure({ ...lost, wasLost: false }, { result: 'unknown' }), { isHeld: true, isLost: true })
})

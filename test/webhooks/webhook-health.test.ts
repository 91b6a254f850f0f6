import t from 'tap'
import { type Health, healthAfter, type Result } from '../../src/features/webhooks/webhook-health.ts'

const START = Date.parse('2026-11-20T00:00:00Z')
const HOUR = 3_600_000

const NEW: Health = {
  failingSince: null,
  failures: 0,
  warnings: 0,
  healthyAt: null,
  isSlow: false,
  restMs: null,
  disabledReason: null,
  event: null,
}

const at = (hours: number, result: Partial<Result> = {}): Result => ({
  endedAt: new Date(START + hours * HOUR),
  durationMs: 10,
  queuedAt: new Date(START),
  isSuccess: false,
  isGone: false,
  retryAfterMs: null,
  ...result,
})

/** The health after attempts, and the events that they led to. */
function after(results: Result[]): { health: Health; events: [hours: number, type: string][] } {
  let health = NEW
  const events: [number, string][] = []
  for (const result of results) {
    // A webhook is given back with its event, and claimed again without.
    health = healthAfter({ ...health, event: null, restMs: null }, result)
    if (health.event) events.push([(result.endedAt.getTime() - START) / HOUR, health.event.type])
  }
  return { health, events }
}

const hourly = (hours: number, result?: Partial<Result>) =>
  Array.from({ length: hours + 1 }, (_, hour) => at(hour, result))

t.test(
  'after 5 days without a success a webhook is disabled; its owner is warned after 1 day and after 4',
  async (t) => {
    const { health, events } = after(hourly(120))
    t.strictSame(events, [
      [24, 'webhook.failing'],
      [96, 'webhook.failing'],
      [120, 'webhook.disabled'],
    ])
    t.strictSame([health.disabledReason, health.failingSince], ['failing', new Date(START)])
  },
)

t.test('a success in between begins anew', async (t) => {
  const { health, events } = after([...hourly(119), at(119.5, { isSuccess: true }), at(130), at(140)])
  t.strictSame(events.at(-1), [96, 'webhook.failing'])
  t.strictSame([health.disabledReason, health.failures], [null, 2])
  t.strictSame(health.failingSince, new Date(START + 119.5 * HOUR), 'not when an older event was queued')
})

t.test('a webhook with few attempts is not disabled', async (t) => {
  const { health } = after(Array.from({ length: 19 }, (_, index) => at(index * 24)))
  t.equal(health.disabledReason, null)
  t.equal(healthAfter(health, at(480)).disabledReason, 'failing')
})

t.test('a webhook rests longer after each failure, and for as long as the receiver asks', async (t) => {
  const rests: (number | null)[] = []
  let health = NEW
  for (let count = 0; count < 10; count++) {
    health = healthAfter(health, at(0))
    rests.push(health.restMs)
  }
  t.strictSame(rests, [500, 1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000, 60_000])
  t.equal(healthAfter(NEW, at(0, { retryAfterMs: 90_000 })).restMs, 90_000)
  t.equal(healthAfter(health, at(0, { isSuccess: true })).restMs, null)
})

t.test('a 410 disables a webhook immediately', async (t) => {
  const { health, events } = after([at(1, { isGone: true })])
  t.equal(health.disabledReason, 'gone')
  t.strictSame(events, [[1, 'webhook.disabled']])
})

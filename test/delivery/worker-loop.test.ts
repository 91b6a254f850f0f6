import { syncBuiltinESMExports } from 'node:module'
import { mock } from 'node:test'
import t, { type Test } from 'tap'
import type { Publisher } from '../../src/delivery/publisher.ts'
import { work } from '../../src/delivery/worker-loop.ts'

/** A worker of a publisher that only keeps what it was told. `tick` lets that many milliseconds go by. */
async function start(t: Test, parts: Partial<Publisher> = {}) {
  mock.timers.enable({ apis: ['setTimeout', 'setInterval'] })
  // So that what was imported by name is meant as well.
  syncBuiltinESMExports()
  t.teardown(() => {
    mock.timers.reset()
    syncBuiltinESMExports()
  })
  const told: string[] = []
  const publisher: Publisher = {
    claim: async () => {
      told.push('claim')
      return 0
    },
    nextDueInMs: async () => undefined,
    renew: async () => void told.push('renew'),
    settled: () => new Promise(() => {}),
    drain: async (options = { calls: true }) => void told.push(options.calls ? 'drain all' : 'drain'),
    idle: async () => {},
    ...parts,
  }
  const log = {
    info: (_facts: object, message: string) => told.push(message),
    warn: (_facts: object, message: string) => told.push(message),
    error: (_facts: object, message: string) => told.push(message),
  }
  const stop = Promise.withResolvers<void>()
  const working = work(publisher, log, stop.promise, async () => 0)
  /** Lets all go on that waits for no timer. */
  const settle = async () => {
    for (let turn = 0; turn < 10; turn++) await new Promise(setImmediate)
  }
  const tick = async (ms: number) => {
    mock.timers.tick(ms)
    await settle()
  }
  await settle()
  const since = () => told.splice(0)
  return { told, since, stop: stop.resolve, working, tick, settle }
}

t.test(
  'a worker looks twice a second, or when the next delivery is due, and at once when there was something',
  async (t) => {
    let found = 3
    let dueInMs: number | undefined
    const claims: number[] = []
    const worker = await start(t, {
      claim: async () => {
        claims.push(found)
        return found > 0 ? found-- : 0
      },
      nextDueInMs: async () => dueInMs,
    })
    t.same(claims, [3, 2, 1, 0], 'until nothing is left')
    await worker.tick(499)
    t.equal(claims.length, 4)
    dueInMs = 40
    await worker.tick(1)
    t.equal(claims.length, 5)
    dueInMs = 60_000
    await worker.tick(40)
    t.equal(claims.length, 6, 'what is due sooner is not late')
    await worker.tick(500)
    t.equal(claims.length, 7, 'what was written meanwhile is found')
    worker.stop()
    await worker.working
  },
)

t.test('a worker looks again as soon as a delivery has ended', async (t) => {
  let ended = Promise.withResolvers<void>()
  let claims = 0
  const worker = await start(t, {
    claim: async () => {
      claims++
      return 0
    },
    settled: () => ended.promise,
  })
  const before = ended
  ended = Promise.withResolvers()
  before.resolve()
  await worker.settle()
  t.equal(claims, 2)
  worker.stop()
  await worker.working
})

t.test('a worker renews its leases four times before they would end, also after a renewal that failed', async (t) => {
  let renewals = 0
  const worker = await start(t, {
    renew: async () => {
      if (++renewals === 1) throw new Error('the database is away')
    },
  })
  for (const count of [1, 2, 3]) {
    await worker.tick(5_000)
    t.equal(renewals, count)
  }
  t.same(
    worker.told.filter((message) => message.includes('renewed')),
    ['leases could not be renewed'],
  )
  worker.stop()
  await worker.working
  await worker.tick(60_000)
  t.equal(renewals, 3, 'and none when it has stopped')
})

t.test('a worker goes on when the database is back, and says both once', async (t) => {
  let isAway = true
  const worker = await start(t, {
    claim: async () => {
      if (isAway) throw new Error('the database is away')
      return 0
    },
  })
  await worker.tick(500)
  await worker.tick(500)
  t.same(worker.since(), ['due deliveries cannot be claimed'])
  isAway = false
  await worker.tick(500)
  await worker.tick(500)
  t.same(worker.since(), ['due deliveries are claimed again'])
  worker.stop()
  await worker.working
})

t.test('a worker that is told to stop takes nothing more, and ends when nothing is under way', async (t) => {
  const worker = await start(t)
  worker.since()
  worker.stop()
  await worker.working
  t.same(worker.since(), ['drain', 'drain all'])
})

t.test('a worker that is told to stop lets what is under way end, and cuts off what does not', async (t) => {
  const never = new Promise<void>(() => {})
  const told: string[] = []
  const worker = await start(t, {
    idle: () => never,
    drain: async ({ calls } = { calls: true }) => {
      told.push(calls ? 'drain all' : 'drain')
      if (!calls) await never
    },
  })
  worker.stop()
  await worker.settle()
  await worker.tick(3_999)
  t.same(told, [], 'it may still end')
  await worker.tick(1)
  t.same(told, ['drain'], 'what was not sent is given back')
  await worker.tick(3_999)
  t.same(told, ['drain'], 'a call that was made may still be answered')
  await worker.tick(1)
  t.same(told, ['drain', 'drain all'])
  await worker.working
})

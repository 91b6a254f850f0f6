import { syncBuiltinESMExports } from 'node:module'
import { mock } from 'node:test'
import t, { type Test } from 'tap'
import type { Publisher } from '../../src/engine/delivery/publisher.ts'
import { work } from '../../src/run/worker/loop.ts'
import { publish } from '../../src/run/worker/publish.ts'

/** Runs the loop of a worker on a publisher that records its calls. `tick` advances the mocked timers by `ms`. */
async function start(t: Test, parts: Partial<Publisher> = {}) {
  mock.timers.enable({ apis: ['setTimeout', 'setInterval'] })
  // Named imports of the mocked functions change only when the exports are synchronized.
  syncBuiltinESMExports()
  t.teardown(() => {
    mock.timers.reset()
    syncBuiltinESMExports()
  })
  const records: string[] = []
  const publisher: Publisher = {
    claim: async () => {
      records.push('claim')
      return 0
    },
    isReady: () => true,
    renew: async () => void records.push('renew'),
    settled: () => new Promise(() => {}),
    stop: () => void records.push('stop'),
    drain: async (options = { calls: true }) => void records.push(options.calls ? 'drain all' : 'drain'),
    idle: async () => {},
    close: async () => {},
    ofUser: () => publisher,
    changes: {
      begin: async () => false,
      settled: () => new Promise(() => {}),
      drain: async () => {},
      idle: async () => {},
    },
    ...parts,
  }
  const log = {
    info: (_facts: object, message: string) => records.push(message),
    warn: (_facts: object, message: string) => records.push(message),
    error: (_facts: object, message: string) => records.push(message),
  }
  const stop = Promise.withResolvers<void>()
  const working = work([publish(publisher, log)], log, stop.promise)
  /** Runs everything that does not wait for a timer. */
  const settle = async () => {
    for (let turn = 0; turn < 10; turn++) await new Promise(setImmediate)
  }
  const tick = async (ms: number) => {
    mock.timers.tick(ms)
    await settle()
  }
  await settle()
  const takeRecords = () => records.splice(0)
  return { records, takeRecords, stop: stop.resolve, working, tick, settle }
}

t.test('a worker claims again immediately after it found some, and twice a second until it may publish', async (t) => {
  let found = 3
  const claims: number[] = []
  const worker = await start(t, {
    claim: async () => {
      claims.push(found)
      return found > 0 ? found-- : 0
    },
    isReady: () => false,
  })
  t.same(claims, [3, 2, 1, 0], 'claims repeat until one finds nothing')
  await worker.tick(499)
  t.equal(claims.length, 4)
  await worker.tick(1)
  t.equal(claims.length, 5)
  worker.stop()
  await worker.working
})

t.test('a worker claims again when a delivery ends', async (t) => {
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

t.test('a worker renews its leases every five seconds, also after a failed renewal', async (t) => {
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
    worker.records.filter((message) => message.includes('renewed')),
    ['leases could not be renewed'],
  )
  worker.stop()
  await worker.working
  await worker.tick(60_000)
  t.equal(renewals, 3, 'a stopped worker renews nothing')
})

t.test('a worker logs once that the database is away, after two failures, and once that it is back', async (t) => {
  let isAway = true
  const worker = await start(t, {
    claim: async () => {
      if (isAway) throw new Error('the database is away')
      return 0
    },
  })
  t.same(worker.takeRecords(), [], 'a single failure is no outage')
  await worker.tick(500)
  await worker.tick(500)
  t.same(worker.takeRecords(), ['due deliveries cannot be claimed'])
  isAway = false
  await worker.tick(500)
  await worker.tick(500)
  t.same(worker.takeRecords(), ['due deliveries are claimed again'])
  worker.stop()
  await worker.working
})

t.test('a stopping worker claims nothing more, and ends when no delivery is running', async (t) => {
  const worker = await start(t)
  worker.takeRecords()
  worker.stop()
  await worker.working
  t.same(worker.takeRecords(), ['stop', 'drain', 'drain all'])
})

t.test('a stopping worker lets deliveries end for eight seconds, and then aborts them', async (t) => {
  const never = new Promise<void>(() => {})
  const records: string[] = []
  const worker = await start(t, {
    idle: () => never,
    drain: async ({ calls } = { calls: true }) => {
      records.push(calls ? 'drain all' : 'drain')
      if (!calls) await never
    },
  })
  worker.stop()
  await worker.settle()
  await worker.tick(3_999)
  t.same(records, [], 'deliveries may still end')
  await worker.tick(1)
  t.same(records, ['drain'], 'deliveries without a call are given back')
  await worker.tick(3_999)
  t.same(records, ['drain'], 'a call may still get its response')
  await worker.tick(1)
  t.same(records, ['drain', 'drain all'])
  await worker.working
})

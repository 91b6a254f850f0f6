import t from 'tap'
import type { RefreshDeps } from '../../src/engine/credentials/refresh.ts'
import { whenReady, work } from '../../src/run/worker/loop.ts'
import { refresh } from '../../src/run/worker/tasks.ts'
import { createRefreshWorld } from '../helpers/refresh-world.ts'
import { lostResponse } from '../helpers/scripted-network.ts'
import { until } from '../helpers/until.ts'

const HOUR = 3_600_000

const run = (deps: RefreshDeps, stop: Promise<unknown>, isReady = () => true) =>
  work([whenReady(isReady, refresh(deps))], deps.log, stop)

t.test('a network that does not respond holds up no other', async (t) => {
  const { connect, deps, steps, calls, refreshed, time } = await createRefreshWorld(t)
  for (const externalId of ['1', '2', '3', '4', '5']) await connect({ externalId })
  await connect({ platform: 'linkedin' })
  time.now = new Date(time.now.getTime() + 1.7 * HOUR)
  const response = Promise.withResolvers<void>()
  const stop = Promise.withResolvers<void>()
  for (let number = 1; number <= 4; number++) steps.push({ beforeResponse: () => response.promise })
  const running = run(deps, stop.promise)
  await until('the account on the other network is refreshed', () => refreshed.length === 1)
  t.hasStrict(refreshed, [{ platform: 'linkedin', outcome: 'refreshed' }])
  t.equal(calls.length, 5, 'a worker refreshes four accounts of one network at a time')
  response.resolve()
  await until('all accounts are refreshed', () => refreshed.length === 6)
  stop.resolve()
  await running
})

t.test('a worker that stops ends the refresh that it has begun', async (t) => {
  const { connect, deps, steps, refreshed, time } = await createRefreshWorld(t)
  await connect()
  time.now = new Date(time.now.getTime() + 1.7 * HOUR)
  const stop = Promise.withResolvers<void>()
  steps.push({ beforeResponse: () => stop.resolve() })
  await run(deps, stop.promise)
  t.hasStrict(refreshed, [{ outcome: 'refreshed' }])
})

t.test('a worker that stops does not wait for a network that does not respond', async (t) => {
  const { connect, deps, steps, refreshed, time } = await createRefreshWorld(t)
  await connect()
  time.now = new Date(time.now.getTime() + 1.7 * HOUR)
  const stop = Promise.withResolvers<void>()
  const aborted = (signal: AbortSignal) =>
    new Promise((_, reject) => signal.addEventListener('abort', () => reject(lostResponse())))
  steps.push({
    beforeResponse(signal) {
      stop.resolve()
      return aborted(signal)
    },
  })
  await run(deps, stop.promise)
  t.hasStrict(refreshed, [{ outcome: 'unknown' }])
})

t.test('nothing is refreshed before the worker is ready, and a failing database ends nothing', async (t) => {
  const { connect, deps, calls, refreshed, time } = await createRefreshWorld(t)
  await connect()
  time.now = new Date(time.now.getTime() + 1.7 * HOUR)
  const stop = Promise.withResolvers<void>()
  let checks = 0
  const isReady = () => {
    if (++checks > 2) return true
    t.same(calls, [])
    return false
  }
  let claims = 0
  const clock = () => {
    if (++claims <= 2) throw new Error('The database is away')
    return time.now
  }
  const running = run({ ...deps, clock }, stop.promise, isReady)
  await until('the account is refreshed', () => refreshed.length === 1)
  t.hasStrict(refreshed, [{ outcome: 'refreshed' }])
  t.ok(checks > 4)
  stop.resolve()
  await running
})

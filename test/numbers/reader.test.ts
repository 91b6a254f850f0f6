import { setTimeout as pause } from 'node:timers/promises'
import t from 'tap'
import { sequenceEvents } from '../../db/queries/events/sequence.ts'
import { createReader } from '../../src/engine/numbers/reader.ts'
import { claimNextTurn, discover, takeTurn } from '../../src/engine/numbers/turn.ts'
import { createMetricsWorld, DAY, HOUR, MINUTE } from '../helpers/metrics-world.ts'
import { callsOf } from '../helpers/network-world.ts'
import { until } from '../helpers/until.ts'

type World = Awaited<ReturnType<typeof createMetricsWorld>>

const readings = ({ mastodon }: World) => callsOf(mastodon, 'GET /api/v1/statuses').length

t.test('another worker takes over the turn of one that was killed, and no earlier', async (t) => {
  const world = await createMetricsWorld(t)
  const { connect, publish, read, metricsOf, deps, advance } = world
  const id = await publish({ accountIds: [await connect('mastodon')] })
  await read()
  advance(15 * MINUTE)
  const lost = await claimNextTurn(deps)
  t.ok(lost)
  t.equal(await read(MINUTE), 0)
  t.equal(await read(2 * MINUTE), 1)
  t.not((await metricsOf(id))[0].fetchedAt, null)
  // The killed one was only suspended.
  await takeTurn(deps, lost!)
  t.equal(await read(MINUTE), 0, 'the pause of the account still holds')
})

t.test('an account that is being published to, or has to rest, is left to publishing', async (t) => {
  const world = await createMetricsWorld(t)
  const { connect, publish, read, db, time } = world
  const account = await connect('mastodon')
  await publish({ accountIds: [account] })
  await read()
  const accounts = db.updateTable('accounts').where('id', '=', account)
  await accounts.set({ availableAt: new Date(time.now.getTime() + HOUR) }).execute()
  t.equal(await read(30 * MINUTE), 0)
  t.equal(await read(HOUR), 1)
})

t.test('a quota that publishing needs is not used up', async (t) => {
  const { connect, read, db, time } = await createMetricsWorld(t)
  const account = await connect('youtube')
  await db.insertInto('metricTurns').values({ accountId: account, platform: 'youtube', nextAt: time.now }).execute()
  const day = time.now.toISOString().slice(0, 10)
  await db.insertInto('metricCalls').values({ platform: 'youtube', day, calls: 3_300 }).execute()
  t.equal(await read(), 0)
  t.equal(await read(DAY), 1, 'until the next day')
})

t.test('a post that was published before METRICS was on is read too', async (t) => {
  const world = await createMetricsWorld(t)
  const { connect, publish, read, metricsOf, advance, db } = world
  const id = await publish({ accountIds: [await connect('mastodon')] })
  advance(3 * DAY)
  await sequenceEvents(db)
  t.equal(await read(), 1)
  t.not((await metricsOf(id))[0].fetchedAt, null)
})

t.test('a reader works on its own, and ends when it is told to', async (t) => {
  const world = await createMetricsWorld(t)
  const { connect, publish, deps, db, advance, mastodon } = world
  await publish({ accountIds: [await connect('mastodon')] })
  await sequenceEvents(db)
  await discover(deps)
  advance(15 * MINUTE)
  const hanging = Promise.withResolvers<void>()
  mastodon.faults.push({ on: 'GET /api/v1/statuses', instead: () => hanging.resolve() })
  const reader = createReader(deps)
  t.equal(await reader.begin(), true)
  await hanging.promise
  t.equal(await reader.begin(), false, 'the account is being read')
  const ended = await Promise.race([reader.drain().then(() => 'ended'), pause(60_000, 'hangs', { ref: false })])
  t.equal(ended, 'ended')
  const next = createReader(deps)
  const before = readings(world)
  await until(
    'the account is read again',
    async () => {
      advance(5 * MINUTE)
      await next.begin()
      await next.drain()
      return readings(world)
    },
    { isMet: (count) => count > before },
  )
})

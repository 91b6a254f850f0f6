import { writeFileSync } from 'node:fs'
import t from 'tap'
import type { PlatformId } from '../../../schemas/platform.ts'
import { TURN_LEASE_MS } from '../../../src/engine/numbers/timing.ts'
import { claimNextTurn, takeTurn } from '../../../src/engine/numbers/turn.ts'
import { checkDelivery } from '../../../src/features/deliveries/check-delivery.ts'
import { NETWORKS } from '../../../src/platforms/networks.ts'
import { isRead } from '../../../src/platforms/offered-metrics.ts'
import { createMetricsWorld, MINUTE, publishMeasured } from '../../helpers/metrics-world.ts'
import { createFaultyProcess } from './faulty-process.ts'

// Real adapters read the numbers of a post, and check that it is there. Each process dies at each step. The next one
// has to tell the numbers of the network, and that the post is shown.

/** Set by soak.ts: a file for the results. */
const { SOAK_REPORT } = process.env

const results: Record<string, string | number>[] = []

const READ = (Object.keys(NETWORKS) as PlatformId[]).filter((id) => id !== 'sandbox' && isRead(NETWORKS[id].metrics))

for (const platform of READ) {
  t.test(platform, async (t) => {
    const world = await createMetricsWorld(t, 'paid')
    const { ada, db, deps, time, read, metricsOf } = world
    const { id, account, reported } = await publishMeasured(world, platform)
    const offered = NETWORKS[platform].metrics.offered.filter(({ accounts }) => accounts !== 'members')
    const numbersOf = (counts: typeof reported) =>
      Object.fromEntries(offered.map(({ metric, native }) => [metric, counts[native]]))
    const result = { network: platform, kills: 0, 'false numbers': 0, 'false gone': 0 }
    results.push(result)
    const verify = async (name: string) => {
      const [{ values, goneAt, error }] = await metricsOf(id)
      const isFalse = offered.some(({ metric, native }) => values[metric] !== reported[native])
      if (isFalse) result['false numbers']++
      if (goneAt !== null) result['false gone']++
      t.hasStrict({ values, goneAt, error }, { values: numbersOf(reported), goneAt: null, error: null }, name)
    }
    const createProcess = (step: number) => {
      for (const native of Object.keys(reported)) reported[native]! += 10
      if (platform === 'mastodon') Object.assign(world.mastodon.statuses[0]!, reported)
      return createFaultyProcess({ step, how: 'killed' }, { fetch: deps.fetch, now: () => time.now })
    }
    const die = async (process: ReturnType<typeof createProcess>, work: Promise<unknown>) => {
      await work.catch((error: unknown) => {
        if (!process.isDead()) throw error
      })
      if (process.isDead()) result.kills++
      return process.isDead()
    }

    await read(15 * MINUTE)
    for (let step = 1, isHit = true; isHit; step++) {
      const { nextFetchAt } = (await metricsOf(id))[0]
      world.advance(Date.parse(nextFetchAt) - time.now.getTime())
      const turn = await claimNextTurn(deps)
      const process = createProcess(step)
      isHit = await die(process, takeTurn({ ...deps, fetch: process.fetch, clock: process.countedClock }, turn!))
      await read(TURN_LEASE_MS + 1_000)
      // A turn that was stored is not repeated at once.
      await verify(`a turn, killed at step ${step}`)
    }
    for (let step = 1, isHit = true; isHit; step++) {
      const process = createProcess(step)
      const now = () => process.countedClock().getTime()
      const context = { ...deps, mode: 'paid' as const, fetch: process.fetch, now }
      const restart = () =>
        db
          .updateTable('deliveryMetrics')
          .set({ attemptedAt: new Date(0) })
          .execute()
      await restart()
      isHit = await die(process, checkDelivery(context, { userId: ada.id, id, keyId: null }, account))
      await restart()
      const { body } = await ada.call('POST', `/posts/${id}/deliveries/${account}/check`)
      t.equal(body.result, 'shown', `a check, killed at step ${step}`)
      await verify(`a check, killed at step ${step}`)
    }
    t.ok(result.kills > 0)
  })
}

t.teardown(() => {
  if (SOAK_REPORT) writeFileSync(SOAK_REPORT, JSON.stringify(results))
})

import type { Test } from 'tap'
import { sequenceEvents } from '../../db/queries/events/sequence.ts'
import { listReadPlatforms, type MetricsMode } from '../../src/post-metrics/mode.ts'
import { claimNextTurn, discover, type TurnDeps, takeTurn } from '../../src/post-metrics/turn.ts'
import { startMetrics } from '../networks/fakes/metrics.ts'
import { repeating } from './connect-oauth.ts'
import { createNetworkWorld } from './network-world.ts'

/** A world whose networks are fakes, and a reader of numbers whose clock only the test advances. */
export async function createMetricsWorld(
  t: Test,
  mode: MetricsMode = 'on',
  createNetworks?: Parameters<typeof createNetworkWorld>[2],
) {
  const numbers = await startMetrics(t)
  const fetch: typeof globalThis.fetch = (input, init) =>
    numbers.takes(input as string, init) ? numbers.fetch(input, init) : world.fetch(input, init)
  const world: Awaited<ReturnType<typeof createNetworkWorld>> = await createNetworkWorld(
    t,
    { postMetrics: mode, fetch },
    createNetworks,
  )
  const ada = repeating(world.ada)
  const { db, networks, keyring, app, time, work, post } = world
  const deps: TurnDeps = {
    ...{ db, networks, fetch, openCredentials: keyring.open, log: app.log, platforms: listReadPlatforms(mode) },
    clock: () => time.now,
    now: () => time.now.getTime(),
  }

  /** Advances the time by `ms`. Then a worker finds new posts and reads what is due. Returns the number of turns. */
  async function read(ms = 0): Promise<number> {
    world.advance(ms)
    while ((await sequenceEvents(db)).count > 0);
    while (await discover(deps));
    let turns = 0
    for (let turn = await claimNextTurn(deps); turn; turn = await claimNextTurn(deps)) {
      await takeTurn(deps, turn)
      turns++
    }
    return turns
  }

  return {
    ...world,
    ada,
    deps,
    numbers,
    read,
    /** Creates a post, and publishes it. Returns its id. */
    async publish(body: object): Promise<string> {
      const id = await post({ caption: 'Whales', ...body })
      await work()
      return id
    },
    /** The numbers of the accounts of a post. */
    async metricsOf(id: string, query = '') {
      const { status, body } = await ada.call('GET', `/posts/${id}/metrics${query}`)
      if (status !== 200) throw new Error(`${status} ${body.error}`)
      return body.data
    },
  }
}

export const MINUTE = 60_000
export const HOUR = 60 * MINUTE
export const DAY = 24 * HOUR

/** The reasons of the numbers that are null, by the name of the number. */
export const reasonsOf = ({ unavailable }: { unavailable: { metric: string; reason: string }[] }) =>
  Object.fromEntries(unavailable.map(({ metric, reason }) => [metric, reason]))

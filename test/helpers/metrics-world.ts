import type { Test } from 'tap'
import { sequenceEvents } from '../../db/queries/events/sequence.ts'
import type { PlatformId, PostType } from '../../schemas/platform.ts'
import { listReadPlatforms, type MetricsMode } from '../../src/engine/numbers/mode.ts'
import { claimNextTurn, discover, type TurnDeps, takeTurn } from '../../src/engine/numbers/turn.ts'
import { NETWORKS } from '../../src/platforms/networks.ts'
import { sceneOf } from '../networks/fakes/all.ts'
import { MEASURED, type Numbers, startMetrics } from '../networks/fakes/metrics.ts'
import type { Options } from './app.ts'
import { repeating } from './connect-oauth.ts'
import { kindsOf, uploadFiles } from './network-scene.ts'
import { createNetworkWorld } from './network-world.ts'

/** A world whose networks are fakes, and a reader of numbers whose clock only the test advances. */
export async function createMetricsWorld(
  t: Test,
  mode: MetricsMode = 'on',
  createNetworks?: Parameters<typeof createNetworkWorld>[2],
  options: Options = {},
) {
  const numbers = await startMetrics(t)
  const fetch: typeof globalThis.fetch = (input, init) =>
    numbers.takes(input as string, init) ? numbers.fetch(input, init) : world.fetch(input, init)
  const world: Awaited<ReturnType<typeof createNetworkWorld>> = await createNetworkWorld(
    t,
    { ...options, postMetrics: mode, fetch },
    createNetworks,
  )
  const ada = repeating(world.ada)
  const { db, networks, keyring, app, time, post } = world
  const deps: TurnDeps = {
    db,
    networks,
    fetch,
    openCredentials: keyring.open,
    log: app.log,
    platforms: listReadPlatforms(mode),
    clock: () => time.now,
    now: () => time.now.getTime(),
  }

  /** Publishes what is due, and ends the rests of accounts: a refresh reads the database's clock, which is behind. */
  async function work(ms?: number): Promise<void> {
    await world.work(ms)
    await db.updateTable('accounts').set({ availableAt: null }).where('availableAt', '<=', time.now).execute()
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
    work,
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

type World = Awaited<ReturnType<typeof createMetricsWorld>>

/** Publishes a post, and gives it numbers on its network: 11, 12 and so on. */
export async function publishMeasured(world: World, platform: PlatformId, postType?: PostType) {
  const { connect, publish, readDelivery, ada, linkedin } = world
  const account =
    platform === 'linkedin'
      ? await ada.account('linkedin', { credentials: linkedin.organization, externalId: linkedin.organization.author! })
      : await connect(platform)
  const kind = kindsOf(platform).find((kind) => kind.act !== 'comment' && (!postType || kind.postType === postType))!
  const id = await publish({
    accountIds: [account],
    postType: kind.postType,
    mediaIds: await uploadFiles(world, kind),
    accountOverrides: [{ accountId: account, fields: { ...sceneOf(platform)?.fields } }],
  })
  for (let looks = 0; looks < 10 && (await readDelivery(id)).state !== 'published'; looks++) await world.work(MINUTE)
  const { externalId } = await readDelivery(id)
  const { offered } = NETWORKS[platform].metrics
  const reported: Numbers = Object.fromEntries(offered.map(({ native }, index) => [native, 11 + index]))
  if (MEASURED.includes(platform)) world.numbers.storeOf(platform).posts.set(externalId!, reported)
  if (platform === 'bluesky') for (const key of world.bluesky.posts.keys()) world.bluesky.counts.set(key, reported)
  if (platform === 'mastodon') Object.assign(world.mastodon.statuses[0]!, reported)
  return { id, account, externalId: externalId!, reported }
}

export const MINUTE = 60_000
export const HOUR = 60 * MINUTE
export const DAY = 24 * HOUR

/** The reasons of the numbers that are null, by the name of the number. */
export const reasonsOf = ({ unavailable }: { unavailable: { metric: string; reason: string }[] }) =>
  Object.fromEntries(unavailable.map(({ metric, reason }) => [metric, reason]))

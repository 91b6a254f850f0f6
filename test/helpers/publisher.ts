import { sql } from 'kysely'
import type { Db } from '../../db/client.ts'
import { claimDeliveries } from '../../db/queries/delivery/claim.ts'
import type { Delivery } from '../../schemas/delivery.ts'
import type { PlatformId } from '../../schemas/platform.ts'
import type { Deps } from '../../src/delivery/deps.ts'
import { createPublisher, type Publisher } from '../../src/delivery/publisher.ts'
import { CLAIMED } from '../../src/delivery/states.ts'
import { LEASE_MS } from '../../src/delivery/timing.ts'
import { folderStorage } from '../../src/storage/folder.ts'
import { createWorld, type Options, type Person, type World } from './app.ts'
import type { Teardown } from './database.ts'

/** Silent. */
export const noLog: Deps['log'] = { info: () => {}, warn: () => {}, error: () => {} }

export interface Desk extends World {
  ada: Person
  /** What o'clock it is for publishers. */
  time: { now: Date }
  /** Another worker. */
  publisher(deps?: Partial<Deps>): Publisher
  /** An account that has credentials. */
  connected(platform: PlatformId): Promise<string>
  /** Writes a post that is due. Gives its id. */
  post(body: object): Promise<string>
  /** What has become of a post on its only account, or the one that is named. */
  delivery(postId: string, accountId?: string): Promise<Delivery>
  status(postId: string): Promise<string>
  /** Lets a worker do all that is due, and what becomes due by that, until nothing is. Time goes on by `ms` before. */
  work(ms?: number): Promise<void>
}

/** A world with a user, and publishers whose clock stands still unless a test moves it. They log where the world does. */
export async function createDesk(
  t: Teardown,
  networks: NonNullable<Options['networks']>,
  options: Options = {},
): Promise<Desk> {
  const world = await createWorld(t, { ...options, networks })
  const ada = await world.user()
  const time = { now: new Date() }
  const publisher = (deps: Partial<Deps> = {}) =>
    createPublisher({
      db: world.db,
      networks: world.networks,
      storage: folderStorage(world.mediaDir),
      openCredentials: world.keyring.open,
      fetch: world.fetch,
      latenessMaxMs: 86_400_000,
      clock: () => time.now,
      uptimeMs: () => time.now.getTime(),
      pause: async () => {},
      log: world.app.log,
      ...deps,
    })
  const desk: Desk = {
    ...world,
    ada,
    time,
    publisher,
    connected: (platform) => ada.account(platform, { credentials: {} }),
    async post(body) {
      const { status, body: created } = await ada.call('POST', '/posts', {
        scheduledAt: new Date(time.now.getTime() - 1).toISOString(),
        ...body,
      })
      if (status !== 201) throw new Error(created.error)
      // It is due by the database's clock, which goes on, and counts in microseconds.
      const { now } = (await sql<{ now: Date }>`select now() + interval '1 millisecond' as now`.execute(world.db))
        .rows[0]!
      if (now > time.now) time.now = now
      return created.id
    },
    async delivery(postId, accountId) {
      const { body } = await ada.call('GET', `/posts/${postId}`)
      const target = body.targets.find((target: { accountId: string }) => !accountId || target.accountId === accountId)
      return target.delivery
    },
    status: async (postId) => (await ada.call('GET', `/posts/${postId}`)).body.status,
    async work(ms = 0) {
      time.now = new Date(time.now.getTime() + ms)
      const worker = publisher()
      do await worker.idle()
      while ((await worker.claim()) > 0)
    },
  }
  return desk
}

/** Claims as a worker does. */
export const claimDue = (db: Db, values: { platforms: string[]; slots: number[]; now: Date | null }) =>
  claimDeliveries(db, { ...values, leaseMs: LEASE_MS, state: CLAIMED })

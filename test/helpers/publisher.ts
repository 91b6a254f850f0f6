import { sql } from 'kysely'
import type { Db } from '../../db/client.ts'
import { claimDeliveries } from '../../db/queries/delivery/claim.ts'
import type { Delivery } from '../../schemas/delivery.ts'
import type { PlatformId } from '../../schemas/platform.ts'
import type { Deps } from '../../src/engine/delivery/deps.ts'
import { CLAIMED } from '../../src/engine/delivery/machine.ts'
import { createPublisher, type Publisher } from '../../src/engine/delivery/publisher.ts'
import { logSettled } from '../../src/engine/delivery/settled.ts'
import { LEASE_MS } from '../../src/engine/delivery/timing.ts'
import { fileAddress } from '../../src/features/media/file-address.ts'
import { publishedFiles } from '../../src/features/media/published-files.ts'
import type { Networks } from '../../src/platforms/adapters.ts'
import { createWorld, mediaOptions, type Options, type Person, type World } from './app.ts'
import type { Teardown } from './database.ts'
import { noJournal } from './journal.ts'

/** `networks` take the place of those with the same ids. */
type WorkerDeps = Partial<Omit<Deps, 'networks'>> & { networks?: Partial<Networks> }

export interface DeliveryWorld extends World {
  ada: Person
  /** The current time of all workers. */
  time: { now: Date }
  /** Creates another worker. */
  createWorker(deps?: WorkerDeps): Publisher
  /** Creates an account with credentials. Returns its id. */
  connectAccount(platform: PlatformId): Promise<string>
  /** Creates a post that is due. Returns its id. */
  post(body: object): Promise<string>
  /** Reads the delivery of a post to its only account, or to `accountId`. */
  readDelivery(postId: string, accountId?: string): Promise<Delivery>
  readStatus(postId: string): Promise<string>
  /** Advances the time by `ms`. Then a new worker claims and carries out deliveries until none is due. */
  work(ms?: number): Promise<void>
  /** Advances the time by `ms`. Then a new worker removes and edits what is due. */
  change(ms?: number): Promise<void>
  /** As if no lost call could arrive any more by the database's clock, which is behind that of the workers. */
  endFlights(): Promise<unknown>
}

/**
 * How far the clock of the workers is ahead of the database's, which sets `createdAt`. Posts are due when they are
 * created, and on a slow machine no time passes for the workers.
 */
const AHEAD_MS = 300_000

/** The public address of the service in tests. */
export const PUBLIC_URL = 'https://postroom.example'

/** A world with a user, and with workers whose clock only the test advances. They log where the world does. */
export async function createDeliveryWorld(
  t: Teardown,
  networks: NonNullable<Options['networks']>,
  options: Options = {},
): Promise<DeliveryWorld> {
  const world = await createWorld(t, { ...options, networks })
  const ada = await world.user()
  const time = { now: new Date(Date.now() + AHEAD_MS) }
  const createWorker = workersOf(world, time, options)
  return {
    ...world,
    ada,
    time,
    createWorker,
    connectAccount: (platform) => ada.account(platform, { credentials: {} }),
    async post(body) {
      const { status, body: created } = await ada.call('POST', '/posts', {
        scheduledAt: new Date(time.now.getTime() - AHEAD_MS).toISOString(),
        ...body,
      })
      if (status !== 201) throw new Error(created.error)
      // The database's clock sets `createdAt`, in microseconds: without this step, the post may be due after
      // `time.now`.
      const { now } = (await sql<{ now: Date }>`select now() + interval '1 millisecond' as now`.execute(world.db))
        .rows[0]!
      if (now > time.now) time.now = now
      return created.id
    },
    async readDelivery(postId, accountId) {
      const { body } = await ada.call('GET', `/posts/${postId}`)
      const target = body.targets.find((target: { accountId: string }) => !accountId || target.accountId === accountId)
      return target.delivery
    },
    readStatus: async (postId) => (await ada.call('GET', `/posts/${postId}`)).body.status,
    work: workWith(createWorker, time),
    change: changeWith(createWorker, time),
    endFlights: () =>
      world.db
        .updateTable('postTargets')
        .set({ lostCallAt: new Date(0) })
        .where('lostCallAt', 'is not', null)
        .execute(),
  }
}

/** Returns the function that creates workers of a world, at a time that the test advances. */
export function workersOf(world: World, time: { now: Date }, options: Options = {}) {
  return ({ networks, ...deps }: WorkerDeps = {}) =>
    createPublisher({
      db: world.db,
      networks: networks ? { ...world.networks, ...networks } : world.networks,
      storage: publishedFiles({ ...mediaOptions(world.mediaDir), ...options.media, db: world.db }),
      addressOf: (file) => fileAddress(PUBLIC_URL, world.keyring, file),
      journal: noJournal,
      openCredentials: world.keyring.open,
      sealCredentials: world.keyring.seal,
      fetch: world.fetch,
      latenessMaxMs: 86_400_000,
      attemptsKeptMs: null,
      clock: () => time.now,
      uptimeMs: () => time.now.getTime(),
      pause: async () => {},
      log: world.app.log,
      report: logSettled(world.app.log),
      reportChange: () => {},
      ...deps,
    })
}

/** Returns the function that advances the time, and then lets a new worker carry out what is due. */
export const workWith =
  (createWorker: () => Publisher, time: { now: Date }) =>
  async (ms = 0): Promise<void> => {
    time.now = new Date(time.now.getTime() + ms)
    const worker = createWorker()
    do await worker.idle()
    while ((await worker.claim()) > 0)
  }

/** Returns the function that advances the time, and then lets a new worker change what is due. */
const changeWith =
  (createWorker: () => Publisher, time: { now: Date }) =>
  async (ms = 0): Promise<void> => {
    time.now = new Date(time.now.getTime() + ms)
    const { changes } = createWorker()
    do await changes.idle()
    while (await changes.begin())
  }

/** Claims due deliveries with the lease and state that a worker gives them. */
export const claimDue = (db: Db, values: { platforms: string[]; slots: number[]; now: Date | null }) =>
  claimDeliveries(db, { ...values, leaseMs: LEASE_MS, state: CLAIMED })

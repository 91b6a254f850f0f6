import type { Event } from '../../schemas/event.ts'
import { moveNextClock } from '../../src/engine/sandbox-clock/mover.ts'
import { createWorld, type Options, type Person, type World } from './app.ts'
import type { Teardown } from './database.ts'
import { readAllEvents } from './events.ts'
import { workersOf } from './publisher.ts'
import { until } from './until.ts'

const RUNNING = new AbortController().signal

/** A world with a user who has no account yet, and with what workers do for clocks. */
export async function createClockWorld(t: Teardown, options: Options & { latenessMaxMs?: number } = {}) {
  const world = await createWorld(t, options)
  return { ...world, ...clockWorldOf(world, await world.user('Ada'), options) }
}

/** The parts of a test of clocks, for a user of a world. */
export function clockWorldOf(world: World, ada: Person, { latenessMaxMs = 86_400_000 } = {}) {
  const createWorker = workersOf(world, { now: new Date(0) })
  const publisher = createWorker({ clock: () => null, uptimeMs: () => performance.now(), latenessMaxMs })
  const deps = { db: world.db, publisher, log: world.app.log }

  /** Moves clocks until none has to move. */
  async function work(): Promise<void> {
    while (await moveNextClock(deps, RUNNING));
  }

  const readClock = async (): Promise<{ isSet: boolean; now: string; target: string | null }> =>
    (await ada.call('GET', '/sandbox/clock')).body

  return {
    ada,
    work,
    readClock,
    /** Adds an account on the sandbox. Returns its id. */
    connect: () => ada.account('sandbox', { credentials: { username: 'ada' } }),
    /** Schedules a post. Returns its id. */
    async schedule(accountId: string, scheduledAt: string, more: object = {}): Promise<string> {
      const post = { accountIds: [accountId], caption: `at ${scheduledAt}`, scheduledAt, ...more }
      const { status, body } = await ada.call('POST', '/posts', post)
      if (status !== 201) throw new Error(JSON.stringify(body))
      return body.id
    },
    /** Sets the target of the clock, and moves it until it is there. */
    async moveTo(now: string): Promise<void> {
      const { status, body } = await ada.call('PUT', '/sandbox/clock', { now })
      if (status !== 202) throw new Error(JSON.stringify(body))
      const isThere = async () => {
        await work()
        return (await readClock()).target === null
      }
      await until('the clock is there', isThere)
    },
    /** The events of posts, deliveries and the clock. */
    events: async (): Promise<Event[]> =>
      (await readAllEvents(world.db, ada)).filter(({ type }) => /^(?:post|delivery|sandbox)\./.test(type)),
  }
}

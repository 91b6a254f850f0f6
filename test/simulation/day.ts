import { sql } from 'kysely'
import type { Db } from '../../db/client.ts'
import type { PlatformId } from '../../schemas/platform.ts'
import { createWorldOn } from '../helpers/app.ts'
import type { Teardown } from '../helpers/database.ts'
import { daily } from '../helpers/queue.ts'
import { sceneOf, startFakeNetworks } from '../networks/fakes/all.ts'
import { between, chance, now } from './clock.ts'
import {
  API_STATEMENTS,
  asSeenBy,
  type Database,
  type DatabaseFate,
  readMigrated,
  startDatabase,
  WORKER_STATEMENTS,
} from './database.ts'
import { Lookout } from './lookout.ts'
import { fetchOf, sendOf } from './network.ts'
import { Owner } from './owner.ts'
import { findBreaches } from './promises.ts'
import { createProcess, type Fates, type Process, Scheduler, type SchedulerOptions } from './scheduler.ts'
import { createTasks } from './worker.ts'

const START_MS = Date.UTC(2027, 2, 27)
const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
/** Readings of numbers take most steps of a day. */
const DAY_WITH_NUMBERS_MS = 4 * HOUR_MS
/** The longest time after the day: the slots of its posts, and the last attempts at a webhook. */
const SETTLING_MS = 20 * DAY_MS

const WORKERS = 2
/** The longest pause between two acts of the owner. */
const ACTS_PAUSE_MAX_MS = 2 * HOUR_MS
const RESTART_MAX_MS = 60_000

/** Networks of each guarantee. */
const NETWORKS = ['bluesky', 'mastodon', 'telegram', 'discord', 'x', 'facebook', 'threads'] as const

export interface Day {
  history: string[]
  /** Broken promises, in words. */
  breaches: string[]
  /** The numbers of the faults that happened. */
  faults: number[]
}

/** Lives a day, and what follows it until nothing is under way. The same seed leads to the same history. */
export async function simulate({ seed, faults }: Omit<SchedulerOptions, 'startMs'>, postgres?: object): Promise<Day> {
  const endings: (() => unknown)[] = []
  const t: Teardown = { teardown: (end) => void endings.unshift(end) }
  const files = await readMigrated()
  const scheduler = new Scheduler({ seed, faults, startMs: START_MS })
  const database = await startDatabase(files, postgres)
  const { db, stop } = database
  try {
    const world = await createSimulatedWorld(t, scheduler, database)
    for (let number = 1; number <= WORKERS; number++) world.startWorker(number)
    await live(scheduler, db, world)
    const found = { ...world, db, told: world.owner.told }
    const breaches = (await findBreaches(found)).map((breach) => scheduler.name(breach))
    return { history: scheduler.history, breaches, faults: scheduler.faults }
  } finally {
    scheduler.sources.clear()
    const close = async () => {
      for (const end of endings) await end()
    }
    await scheduler.until(close())
    await stop()
  }
}

type World = Awaited<ReturnType<typeof createSimulatedWorld>>

async function createSimulatedWorld(t: Teardown, scheduler: Scheduler, database: Database) {
  const fakes = await startFakeNetworks(t)
  // GoToSocial ignores the Idempotency-Key: a status that is sent twice is there twice.
  if (chance(0.5)) fakes.mastodon.flavour = 'gotosocial'
  const lookout = new Lookout(database.db)
  const received: string[] = []
  const viewOf = (process: Process, fates: Fates<DatabaseFate>, endProcess: () => void) =>
    asSeenBy(database, {
      enter: () => scheduler.enter(process, '', fates),
      tell: (what) => scheduler.tell(process.name, what),
      endProcess,
    })

  const api = createProcess('api')
  const world = await createWorldOn(
    t,
    viewOf(api, API_STATEMENTS, () => {}),
    { fetch: fakes.answer, webhookUrls: { allowsHttp: false, isReachable: async () => true } },
  )
  const accounts = new Map<PlatformId, string>()
  const prepare = async () => {
    const ada = await world.user()
    for (const platform of NETWORKS) {
      const id = await ada.account(platform, sceneOf(platform)!.account(fakes[platform]))
      accounts.set(platform, id)
      await ada.call('PUT', `/accounts/${id}/schedule`, daily('09:00', '12:00', '18:00'))
    }
    await ada.call('POST', '/webhooks', { url: 'https://receiver.example/events' })
    return ada
  }
  const ada = await scheduler.until(prepare())

  const readsNumbers = chance(0.05)

  /** Starts a worker, and another one after its end. */
  const startWorker = (number: number): void => {
    const process = createProcess(`worker ${number}`, { canBeSuspended: true })
    const end = () => {
      scheduler.end(process)
      for (const rounds of sources) scheduler.sources.delete(rounds)
      setTimeout(startWorker, between(1, RESTART_MAX_MS), number)
    }
    const caller = { scheduler, process, end }
    const tasks = createTasks(world, {
      db: viewOf(process, WORKER_STATEMENTS, end),
      fetch: fetchOf(caller, fakes.answer),
      send: sendOf(caller, (id) => received.push(id)),
      readsNumbers,
      tell: (what) => scheduler.tell(process.name, what),
    })
    const sources = tasks.map((task) => lookout.roundsOf(process, task))
    for (const rounds of sources) scheduler.sources.add(rounds)
  }
  const owner = new Owner(ada, [...accounts.values()], scheduler)
  return { accounts, fakes, lookout, received, startWorker, owner, readsNumbers }
}

async function live(scheduler: Scheduler, db: Db, { fakes, lookout, owner, readsNumbers }: World): Promise<void> {
  const endMs = START_MS + (readsNumbers ? DAY_WITH_NUMBERS_MS : DAY_MS)
  const act = () => {
    if (now() < endMs) setTimeout(act, between(1, ACTS_PAUSE_MAX_MS))
    // Often, requests come in short succession.
    for (let count = between(1, 2); count > 0; count--) void owner.act()
  }
  act()
  while (now() < endMs + SETTLING_MS) {
    const isDay = now() < endMs
    scheduler.hasFaults = isDay
    // Now and then, time passes while steps wait.
    while ((await scheduler.step()) && !(isDay && chance(0.02)));
    const nextMs = await lookout.look()
    if (!isDay && !scheduler.isWaiting && !lookout.hasWork && !(await isUnderWay(db))) return
    const isBusy = lookout.hasWork || scheduler.nextStepMs === 0
    // A step that waits for longer than its lease is that of a process which was suspended.
    const passesMs = isBusy
      ? between(1, chance(0.1) ? 60_000 : 1_000)
      : Math.min(nextMs, scheduler.nextStepMs, drawPauseMs(isDay))
    await scheduler.pass(now() + passesMs)
    fakes.setTime(new Date(now()))
    await lookout.look()
  }
}

const drawPauseMs = (isDay: boolean): number => (isDay ? between(1, chance(0.5) ? 20_000 : 1_200_000) : 6 * HOUR_MS)

async function isUnderWay(db: Db): Promise<boolean> {
  const { rows } = await sql`
    select from post_targets where state in ('queued', 'publishing', 'removing')
    union all select from delivery_changes
    union all select from webhook_deliveries where state = 'pending'
    limit 1`.execute(db)
  return rows.length > 0
}

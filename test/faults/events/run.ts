import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { EVERYONE } from '../../../db/queries/events/stream.ts'
import type { Teardown } from '../../helpers/database.ts'
import { until } from '../../helpers/until.ts'
import { findBreaches } from './audit.ts'
import { type Counts, createPosts, type Follower, follow } from './clients.ts'
import { startWorld, type World } from './world.ts'

/**
 * The processes that are killed: a worker or Postgres at any time; or both workers or Postgres in the middle of a
 * transaction that has locked a stream and gives positions.
 */
const KINDS = ['worker', 'numbering workers', 'Postgres', 'numbering Postgres'] as const
type Kind = (typeof KINDS)[number]

const FOLLOWERS = 2
/** Up to this time after followers go on, the next kill comes. */
const PAUSE_MAX_MS = 1_000
/** A delivery whose worker died is claimed again when its lease has ended, and reconciled 30 seconds later. */
const DRAIN_TIMEOUT_MS = 300_000

export interface Result {
  row: Record<string, string | number>
  breaches: string[]
}

/**
 * Kills workers and Postgres in turn, `count` times in all, while posts are published. Two programs follow each user,
 * and two follow all users.
 */
export async function runKills(t: Teardown, count: number, { isPooled }: { isPooled: boolean }): Promise<Result> {
  const world = await startWorld(t, isPooled)
  const counts: Counts = { responses: {}, breaches: [] }
  const followers = [...world.people, world.program].flatMap((person) =>
    Array.from({ length: FOLLOWERS }, (): Follower => ({ person, seen: [] })),
  )
  const [writing, reading] = [new AbortController(), new AbortController()]
  const writers = world.people.map((person) => createPosts(world.url, person, counts, writing.signal))
  const readers = followers.map((follower) => follow(world.url, follower, counts, reading.signal))
  try {
    for (let number = 0; number < count && counts.breaches.length === 0; number++) {
      await untilAllSeeMore(followers, counts)
      await sleep(Math.random() * PAUSE_MAX_MS)
      await kill(world, KINDS[number % KINDS.length]!)
    }
    await untilAllSeeMore(followers, counts)
    writing.abort()
    await Promise.all(writers)
    await untilDrained(world, followers, counts)
  } finally {
    for (const controller of [writing, reading]) controller.abort()
  }
  await Promise.all(readers)
  const ended = [world.api, ...world.workers].filter(
    ({ child }) => child.exitCode !== null || child.signalCode !== null,
  )
  const breaches = [
    ...counts.breaches,
    ...ended.map(({ output }) => `A process ended by itself: ${output.stderr}`),
    ...(await findBreaches(world.db, world.people, followers)),
  ]
  return { row: { ...(await countsOf(world)), ...countResponses(counts), breaches: breaches.length }, breaches }
}

async function untilAllSeeMore(followers: Follower[], { breaches }: Counts): Promise<void> {
  const before = followers.map(({ seen }) => seen.length)
  await until(
    'each follower sees another event',
    () => breaches.length > 0 || followers.every(({ seen }, index) => seen.length > before[index]!),
  )
}

async function kill({ db, postgres, workers, startWorker }: World, kind: Kind): Promise<void> {
  const holder = await postgres.openClient()
  if (kind.startsWith('numbering')) {
    await holder.query('begin')
    // Reads go on.
    await holder.query('lock table events in share row exclusive mode')
    const waiting = sql`select from pg_locks where relation = 'events'::regclass and not granted`
    await until('a sequencer waits to insert events', async () => (await waiting.execute(db)).rows.length > 0)
  }
  if (kind.endsWith('Postgres')) await postgres.restartedBy(() => postgres.signal('SIGKILL'))
  else {
    const killed = workers.splice(0, kind === 'worker' ? 1 : workers.length)
    await Promise.all(killed.map((worker) => worker.stop('SIGKILL')))
    await holder.end()
    for (const _ of killed) await startWorker()
  }
}

/** Waits until every delivery is settled, every event has a position, and every follower has seen the last one. */
const untilDrained = ({ db }: World, followers: Follower[], { breaches }: Counts) =>
  until(
    'all posts are settled, and all followers have seen the last event',
    async () => {
      if (breaches.length > 0) return 'a breach'
      const { rows } = await sql<{ open: number; unnumbered: number }>`
        select (select count(*) from post_targets where state in ('waiting', 'queued', 'publishing')) as open,
          (select count(*) from event_outbox) as unnumbered`.execute(db)
      const streams = await db.selectFrom('eventStreams').select(['userId', 'last']).execute()
      const lastOf = new Map(streams.map(({ userId, last }) => [userId, Number(last)]))
      const behind = followers.filter(({ person, seen }) => seen.length < lastOf.get(person.userId ?? EVERYONE)!)
      return { ...rows[0]!, behind: behind.length }
    },
    {
      timeoutMs: DRAIN_TIMEOUT_MS,
      intervalMs: 200,
      isMet: (left) => left === 'a breach' || Object.values(left).every((number) => number === 0),
    },
  )

async function countsOf({ db }: World) {
  const { rows } = await sql<Record<string, number>>`
    select (select count(*) from posts) as posts, (select count(*) from post_targets) as deliveries,
      (select count(*) from events) as events`.execute(db)
  return rows[0]!
}

const countResponses = ({ responses }: Counts) =>
  Object.fromEntries(
    Object.entries(responses).map(([status, count]) => [status === '0' ? 'broken' : `${status}s`, count]),
  )

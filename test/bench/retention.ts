import { readFileSync } from 'node:fs'
import { sql } from 'kysely'
import { connect, type Db } from '../../db/client.ts'
import { newId } from '../../db/id.ts'
import { listPosts } from '../../db/queries/posts/list.ts'
import { sweepIfDue } from '../../src/features/retention/sweeper.ts'
import { mediaOptions } from '../helpers/app.ts'
import { noLog } from '../helpers/log-record.ts'
import { postgresPids } from '../helpers/processes.ts'
import { report } from '../helpers/report.ts'
import { withDatabase } from './comparison.ts'
import { createPeople, type Person, vacuumDatabase } from './data.ts'
import { cpuSeconds } from './processes.ts'
import { median } from './rounds.ts'

/**
 * Measures the sweep of one day: it removes the oldest day of each kind of row. The posts of a year are published, with
 * the attempts of 90 days. The sandbox calls, two events of each post and their deliveries to a webhook are those of 30
 * days. One user has half of the posts. `node test/bench/retention.ts [POSTS] [USERS]`.
 */
const [posts = 10_000_000, users = 1_000] = process.argv.slice(2).map(Number)

const DAY_MS = 86_400_000
const DAYS = { postsMs: 365, attemptsMs: 90, sandboxCallsMs: 30, eventsMs: 31 }
/** All but the oldest day. */
const RETENTION = {
  postsMs: (DAYS.postsMs - 1) * DAY_MS,
  attemptsMs: (DAYS.attemptsMs - 1) * DAY_MS,
  sandboxCallsMs: (DAYS.sandboxCallsMs - 1) * DAY_MS,
  unusedMediaMs: null,
  eventsMs: (DAYS.eventsMs - 1) * DAY_MS,
}
const ROWS_PER_INSERT = 100_000
const RUNS = 201

/** A UUIDv7 of the time in `at`. */
const ID = sql`(overlay(gen_random_uuid()::text placing
  regexp_replace(lpad(to_hex((extract(epoch from at) * 1000)::bigint), 12, '0'), '^(.{8})', '\\1-') || '-7' from 1))::uuid`

/** Inserts posts in the order of their times, spread over a year. The first user has every other one. */
async function load(db: Db, people: Person[]): Promise<void> {
  const ids = people.map(({ userId }) => userId)
  const accounts = people.map(({ accountIds }) => accountIds[0]!)
  await sql`set session_replication_role = replica`.execute(db)
  // A user's webhook has the id of the user.
  await sql`
    insert into webhooks (id, user_id, url, payload, key_id, data_key, data, secret_start)
    select id, id, 'https://example.com/hook', 'full', '', '', '', '' from unnest(${ids}::uuid[]) as id`.execute(db)
  for (let begin = 0; begin < posts; begin += ROWS_PER_INSERT) {
    await sql`
      with item as materialized (
        select *, ${ID} as id
        from (
          select number, case when number % 2 = 0 then 1 else 1 + number / 2 % ${ids.length}::integer end as person,
            now() - make_interval(days => ${DAYS.postsMs}) * (1 - number::float8 / ${posts}::integer) as at
          from generate_series(${begin}::integer, ${Math.min(begin + ROWS_PER_INSERT, posts) - 1}::integer) as number
        ) as item
      ),
      owned as materialized (
        select item.*, (${ids}::uuid[])[person] as user_id, (${accounts}::uuid[])[person] as account_id from item
      ),
      post as (
        insert into posts (user_id, id, caption, post_type, status, scheduled_at, created_at, updated_at)
        select user_id, id, 'The lighthouse keeper writes about the sea, the weather and the ships that pass. ' || number,
          'post', 'published', at, at, at from owned
      ),
      delivery as (
        insert into post_targets (user_id, post_id, account_id, platform, state, due_at, started_at, published_at, attempts, sent)
        select user_id, id, account_id, 'sandbox', 'published', at, at, at, 1,
          jsonb_build_array(jsonb_build_object('id', id, 'url', 'https://sandbox.invalid/posts/' || id)) from owned
      ),
      attempt as (
        insert into delivery_attempts (user_id, post_id, account_id, number, act, started_at, intended_at, finished_at, outcome)
        select user_id, id, account_id, 1, 1, at, at, at, 'published' from owned
        where at > now() - make_interval(days => ${DAYS.attemptsMs})
      ),
      event as (
        insert into events (user_id, position, id, type, occurred_at, numbered_at, post_id, account_ids, data)
        select user_id, 2 * number::bigint + nth, ${ID}, type, at, at, owned.id, array[account_id],
          jsonb_build_object('platform', 'sandbox', 'username', 'ada', 'state', 'published', 'acts', 1, 'attempt', 1,
            'externalUrl', 'https://sandbox.invalid/posts/' || owned.id)
        from owned, (values (0, 'delivery.published'), (1, 'post.settled')) as each(nth, type)
        where at > now() - make_interval(days => ${DAYS.eventsMs})
        returning user_id, id, occurred_at
      ),
      webhook_delivery as (
        insert into webhook_deliveries
          (webhook_id, event_id, state, queued_at, due_at, attempts, attempted_at, duration_ms, response_status)
        select user_id, id, 'delivered', occurred_at, occurred_at, 1, occurred_at, 80, 204 from event
      )
      insert into sandbox_calls (id, account_id, token, accepted, content, received_at)
      select ${ID}, account_id, gen_random_uuid(), true, '{"kind": "post", "text": "The lighthouse keeper"}', at from owned
      where at > now() - make_interval(days => ${DAYS.sandboxCallsMs})`.execute(db)
  }
  await sql`set session_replication_role = origin`.execute(db)
}

/**
 * Milliseconds that a process has spent on a processor, regardless of other processes:
 * https://docs.kernel.org/scheduler/sched-stats.html
 */
const onCpuMs = (pid: number) => Number(readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')[0]) / 1e6

/** The process of the only connection. The pool replaces a connection that was idle for ten seconds. */
const backendOf = async (db: Db) =>
  (await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(db)).rows[0]!.pid

/**
 * Microseconds of Postgres' CPU for a page: the newest of the user with half of the posts, and the last, beside the
 * removed posts.
 */
async function measureLists(db: Db, userId: string) {
  const pid = await backendOf(db)
  const time = async (cursor: string) => {
    const times: number[] = []
    for (let run = 0; run < RUNS; run++) {
      const begun = onCpuMs(pid)
      await listPosts(db, { userId, cursor, limit: 25, offset: 0 })
      times.push((onCpuMs(pid) - begun) * 1000)
    }
    return { first: Math.round(times[0]!), p50: Math.round(median(times)) }
  }
  const [newest, last] = [await time(newId()), await time((await findOldest(db, userId)).id)]
  return { 'newest page µs': newest.p50, 'last page µs': last.p50, 'last page, first time µs': last.first }
}

/** The tenth post from the end of the list. */
const findOldest = (db: Db, userId: string) =>
  db
    .selectFrom('posts')
    .select('id')
    .where('userId', '=', userId)
    .orderBy('id')
    .offset(10)
    .limit(1)
    .executeTakeFirstOrThrow()

await withDatabase(async ({ url, dataDir, scratch }) => {
  const people = await createPeople(url, users)
  // One connection, so that the CPU time of its backend is that of one statement after the other.
  const db = connect({ url, poolMax: 1 })
  await load(db, people)
  await vacuumDatabase(url)
  const before = await measureLists(db, people[0]!.userId)

  const pid = await backendOf(db)
  const statements: { ms: number; cpuMs: number }[] = []
  let lastCpuMs = onCpuMs(pid)
  const readCpu = () => ({
    postgres: cpuSeconds(postgresPids(dataDir))!,
    worker: process.cpuUsage().user / 1e6 + process.cpuUsage().system / 1e6,
  })
  const cpuBefore = readCpu()
  const deps = {
    library: { db, ...mediaOptions(scratch) },
    retention: RETENTION,
    clock: () => null,
    marking: {},
    // The rest is 99 times as long as the statement.
    pause: async (ms: number) => {
      const cpuMs = onCpuMs(pid)
      statements.push({ ms: ms / 99, cpuMs: cpuMs - lastCpuMs })
      lastCpuMs = cpuMs
    },
    log: noLog,
  }
  const begun = performance.now()
  const removed = await sweepIfDue(deps, new AbortController().signal)
  const seconds = (performance.now() - begun) / 1000
  const cpuAfter = readCpu()
  const after = await measureLists(db, people[0]!.userId)
  const vacuumBefore = readCpu()
  await vacuumDatabase(url)
  const vacuum = readCpu().postgres - vacuumBefore.postgres
  const vacuumed = await measureLists(db, people[0]!.userId)
  await db.destroy()

  const cpu = cpuAfter.postgres - cpuBefore.postgres + cpuAfter.worker - cpuBefore.worker
  const max = (key: 'ms' | 'cpuMs') => Number(Math.max(...statements.map((each) => each[key])).toFixed(1))
  report(
    'retention',
    [
      {
        posts,
        'removed: posts': removed!.posts,
        attempts: removed!.attempts,
        'sandbox calls': removed!.sandboxCalls,
        events: removed!.events,
        'webhook deliveries': removed!.webhookDeliveries,
        statements: statements.length,
        'seconds without rests': Number(seconds.toFixed(1)),
        'Postgres CPU s': Number((cpuAfter.postgres - cpuBefore.postgres).toFixed(1)),
        'worker CPU s': Number((cpuAfter.worker - cpuBefore.worker).toFixed(1)),
        '% of a core in a day': Number(((cpu / 86_400) * 100).toFixed(3)),
        'longest statement ms': max('ms'),
        'longest on CPU ms': max('cpuMs'),
        'vacuum CPU s': Number(vacuum.toFixed(1)),
      },
    ],
    { before, after, vacuumed },
  )
  report('retention-lists', [
    { at: 'before', ...before },
    { at: 'after the sweep', ...after },
    { at: 'after vacuum', ...vacuumed },
  ])
})

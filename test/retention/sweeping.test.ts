import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import t, { type Test } from 'tap'
import { readLastSweep } from '../../db/queries/retention/sweeps.ts'
import { Pace } from '../../src/features/retention/pace.ts'
import { sweepIfDue } from '../../src/features/retention/sweeper.ts'
import { runService } from '../helpers/command.ts'
import { CHILD_ENV } from '../helpers/log-record.ts'
import { endChild } from '../helpers/processes.ts'
import { createDeliveryWorld } from '../helpers/publisher.ts'
import { scriptedNetwork } from '../helpers/scripted-network.ts'
import { DAY_MS, insertOldPosts, sweeperOf, sweepNow } from '../helpers/sweeps.ts'
import { until } from '../helpers/until.ts'

const RETENTION = { postsMs: 30 * DAY_MS, sandboxCallsMs: 30 * DAY_MS }

async function createScene(t: Test, count: number) {
  const world = await createDeliveryWorld(t, { bluesky: scriptedNetwork('exactly-once') })
  const { db, ada } = world
  await insertOldPosts(db, { userId: ada.id, accountId: await ada.account('sandbox'), count })
  const countRows = async () => {
    const { rows } = await sql<{ posts: number; deliveries: number; attempts: number; whole: number }>`
      select (select count(*) from posts) as posts, (select count(*) from post_targets) as deliveries,
        (select count(*) from delivery_attempts) as attempts,
        (select count(*) from delivery_attempts join post_targets using (user_id, post_id, account_id)
          join posts on posts.user_id = post_targets.user_id and posts.id = post_id) as whole`.execute(db)
    return rows[0]!
  }
  return { ...world, countRows }
}

const signal = new AbortController().signal

t.test('one worker sweeps at a time, and the next sweep is due an hour later', async (t) => {
  const world = await createScene(t, 300)
  let overlapping: unknown[] = []
  const pause = async () => {
    overlapping = await Promise.all([1, 2].map(() => sweepIfDue(sweeperOf(world, { retention: RETENTION }), signal)))
  }
  t.equal(await readLastSweep(world.db), null)
  const removed = await sweepIfDue(sweeperOf(world, { retention: RETENTION, pause }), signal)
  t.match(removed, { posts: 300, sandboxCalls: 300 })
  t.strictSame(overlapping, [undefined, undefined])
  t.strictSame(await readLastSweep(world.db), world.time.now)
  const again = () => sweepIfDue(sweeperOf(world), signal)
  world.time.now = new Date(world.time.now.getTime() + 3_599_000)
  t.equal(await again(), undefined)
  world.time.now = new Date(world.time.now.getTime() + 1_000)
  t.match(await again(), { posts: 0 })
})

t.test('publishing and creating go on while a worker sweeps', async (t) => {
  const world = await createScene(t, 400)
  const { ada, db, connectAccount, createWorker } = world
  const account = await connectAccount('bluesky')
  const ids: string[] = []
  const worker = createWorker()
  const pause = async () => {
    const { body } = await ada.call('POST', '/posts', {
      accountIds: [account],
      caption: `post ${ids.length}`,
      scheduledAt: '2020-01-01T00:00:00Z',
    })
    ids.push(body.id)
    await worker.claim()
    await worker.idle()
  }
  t.match(await sweepNow(world, { retention: RETENTION, pause }), { posts: 400 })
  const rows = await db.selectFrom('postTargets').select(['postId', 'state']).orderBy('postId').execute()
  t.strictSame(
    rows,
    ids.map((postId) => ({ postId, state: 'published' })),
  )
  t.ok(ids.length > 8, 'the sweep rested several times')
})

t.test('a sweep that is stopped leaves the rest to the next one, which is due immediately', async (t) => {
  const world = await createScene(t, 400)
  const stopping = new AbortController()
  const pause = async () => {
    if ((await world.countRows()).posts < 400) stopping.abort()
  }
  const options = { retention: RETENTION, pause, signal: stopping.signal }
  t.equal(await sweepNow(world, options), undefined)
  const { posts, deliveries, attempts, whole } = await world.countRows()
  t.ok(posts > 0 && posts < 400)
  t.strictSame([deliveries, attempts, whole], [posts, posts, posts])
  t.equal(await readLastSweep(world.db), null)
  t.match(await sweepIfDue(sweeperOf(world, { retention: RETENTION }), signal), { posts })
})

t.test('a worker that has lost its lease stops sweeping', async (t) => {
  const world = await createScene(t, 400)
  const now = { ms: performance.now() }
  t.intercept(performance, 'now', { value: () => now.ms })
  const pause = async () => {
    now.ms += 30_000
    if ((await world.countRows()).posts < 400)
      await sql`update sweeps set lease_token = gen_random_uuid()`.execute(world.db)
  }
  t.equal(await sweepNow(world, { retention: RETENTION, pause }), undefined)
  t.ok((await world.countRows()).posts > 0)
})

t.test('a long step ends after ten minutes, and continues in a sweep that is due immediately', async (t) => {
  const world = await createScene(t, 400)
  const now = { ms: performance.now() }
  t.intercept(performance, 'now', { value: () => now.ms })
  const pause = async () => {
    now.ms += 200_000
  }
  const removed = await sweepNow(world, { retention: RETENTION, pause })
  t.ok(removed!.posts > 0 && removed!.posts < 400)
  t.ok(await readLastSweep(world.db))
  const rest = await sweepIfDue(sweeperOf(world, { retention: RETENTION }), signal)
  t.equal(rest!.posts, 400 - removed!.posts)
})

t.test('work takes its share of the time, and its batches take less time where it is slow', async (t) => {
  const now = { ms: 0 }
  t.intercept(performance, 'now', { value: () => now.ms })
  const rests: number[] = []
  const pace = new Pace({
    share: 0.01,
    lastsMs: 10_000,
    rest: async (ms) => {
      rests.push(ms)
    },
  })
  const take = (ms: number) =>
    pace.run(async () => {
      now.ms += ms
    })
  await take(100)
  await take(10)
  t.strictSame(rests.map(Math.round), [9_900, 990])
  const { limit } = pace
  await take(51)
  t.ok(pace.limit < limit)
  for (let count = 0; count < 50; count++) await take(100)
  t.equal(pace.limit, 10)
  for (let count = 0; count < 50; count++) await take(1)
  t.equal(pace.limit, 500)
})

t.test('a killed worker leaves every post whole or gone, and another one continues', async (t) => {
  const world = await createScene(t, 5_000)
  const { db, databaseUrl, mediaDir, countRows } = world
  const child = spawn(process.execPath, ['test/retention/sweep-process.ts'], {
    env: { ...CHILD_ENV, DATABASE_URL: databaseUrl, MEDIA_DIR: mediaDir },
    stdio: 'inherit',
  })
  t.teardown(() => endChild(child, 'SIGKILL'))
  await until('some posts are removed', async () => (await countRows()).posts < 5_000)
  await endChild(child, 'SIGKILL')
  const working = async () => {
    const { rows } = await sql`
      select from pg_stat_activity
      where datname = current_database() and state <> 'idle' and pid <> pg_backend_pid()`.execute(db)
    return rows.length
  }
  await until('the last statement of the worker has ended', working, { isMet: (count) => count === 0 })
  const { posts, deliveries, attempts, whole } = await countRows()
  t.ok(posts > 0, 'it was killed before the end')
  t.strictSame([deliveries, attempts, whole], [posts, posts, posts])
  const continued = () => sweepIfDue(sweeperOf({ db, mediaDir }, { retention: RETENTION }), signal)
  t.equal(await continued(), undefined, 'its lease lasts')
  await sql`update sweeps set leased_until = now()`.execute(db)
  t.match(await continued(), { posts })
})

t.test('a worker sweeps when it starts, and logs what it has removed', async (t) => {
  const { db, databaseUrl, mediaDir } = await createScene(t, 20)
  const env = {
    DATABASE_URL: databaseUrl,
    MEDIA_DIR: mediaDir,
    CREDENTIALS_KEY: randomBytes(32).toString('base64'),
    RETENTION_POSTS: '30d',
  }
  const worker = await runService('worker', env)
  t.teardown(() => worker.stop())
  // It rests 99 times as long as each statement takes.
  const line = await until('the sweep is logged', () => /.*"old data removed".*/.exec(worker.output.stderr)?.[0], {
    timeoutMs: 400_000,
  })
  t.match(JSON.parse(line), {
    level: 30,
    removed: { idempotencyKeys: 0, connections: 0, sandboxCalls: 20, posts: 20, attempts: 0, media: 0, files: 0 },
    isComplete: true,
  })
  t.ok(await readLastSweep(db))
})

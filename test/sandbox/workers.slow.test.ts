import { randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import t from 'tap'
import { createKeyring } from '../../src/base/keyring/keyring.ts'
import { createWorld } from '../helpers/app.ts'
import { runService } from '../helpers/command.ts'
import { endChild } from '../helpers/processes.ts'
import { clockWorldOf } from '../helpers/sandbox-clock.ts'
import { until } from '../helpers/until.ts'

const POSTS = 1_000
const KILLS = 3
const QUARTER_MS = 90 * 86_400_000
const START = Date.UTC(2099, 0, 1)

t.test('a quarter with 1,000 posts, by two workers that are killed, beside the posts of others', async (t) => {
  const key = randomBytes(32)
  const world = await createWorld(t, { keyring: createKeyring([key]) })
  const { db, databaseUrl, mediaDir, user } = world
  const { ada, connect, events, readClock } = clockWorldOf(world, await user('Ada'))
  const bob = await user('Bob')
  const others = await bob.account('sandbox', { credentials: { username: 'bob' } })
  const accounts = [await connect(), await connect(), await connect()]
  const times = Array.from({ length: POSTS }, (_, index) =>
    new Date(START + index * (QUARTER_MS / POSTS)).toISOString(),
  )
  const posts = times.map((scheduledAt, index) => ({
    accountIds: [accounts[index % 3]],
    caption: scheduledAt,
    scheduledAt,
  }))
  for (let index = 0; index < POSTS; index += 50) {
    const { status, body } = await ada.call('POST', '/posts/batch', { posts: posts.slice(index, index + 50) })
    if (status !== 201) throw new Error(JSON.stringify(body))
  }

  const startWorker = () =>
    runService('worker', {
      DATABASE_URL: databaseUrl,
      CREDENTIALS_KEY: key.toString('base64'),
      MEDIA_DIR: mediaDir,
      METRICS_PORT: '0',
    })
  const workers = [await startWorker(), await startWorker()]
  t.teardown(() => Promise.all(workers.map(({ child }) => endChild(child, 'SIGKILL'))))
  const countPublished = async () => {
    const { rows } = await sql<{ count: number }>`
      select count(*)::integer as count from post_targets where user_id = ${ada.id} and state = 'published'`.execute(db)
    return rows[0]!.count
  }

  t.equal((await ada.call('PUT', '/sandbox/clock', { now: '2099-04-01T00:00:00Z' })).status, 202)
  for (let kill = 1; kill <= KILLS; kill++) {
    await until('some are published', countPublished, { isMet: (count) => count >= (kill * POSTS) / (KILLS + 2) })
    const { body: due } = await bob.call('POST', '/posts', {
      accountIds: [others],
      caption: `${kill}`,
      scheduledAt: new Date().toISOString(),
    })
    await until(
      'a post of another user is published',
      async () => (await bob.call('GET', `/posts/${due.id}`)).body.status === 'published',
    )
    t.ok((await readClock()).target, 'while the clock moves')
    await Promise.all(workers.splice(0).map(({ child }) => endChild(child, 'SIGKILL')))
    // The lease of the clock ends by the real time, which takes longer than this test.
    await sql`update sandbox_clocks set leased_until = now() where leased_until is not null`.execute(db)
    workers.push(await startWorker(), await startWorker())
  }
  await until('the clock is there', async () => (await readClock()).target === null)

  const published = (await events()).filter(({ type }) => type === 'delivery.published')
  t.strictSame(
    published.map(({ timestamp }) => timestamp),
    times,
    'each is published at its time, in order',
  )
  t.strictSame(
    published.map(({ data }) => (data as { publishedAt: string }).publishedAt),
    times,
  )
  const { rows: calls } = await sql<{ count: number }>`
    select count(*)::integer as count from sandbox_calls where account_id = any(${accounts}::uuid[]) group by token`.execute(
    db,
  )
  t.strictSame(
    calls.map(({ count }) => count),
    times.map(() => 1),
    'and sent once',
  )
  t.match((await events()).at(-1), { type: 'sandbox.clock_reached', timestamp: '2099-04-01T00:00:00.000Z' })
})

import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import t from 'tap'
import { connect, type Db } from '../../db/client.ts'
import { type NextWork, readNextWork } from '../../db/queries/next-work.ts'
import { PLATFORM_IDS } from '../../schemas/platform-ids.ts'
import { runService } from '../helpers/command.ts'
import { createDatabase } from '../helpers/database.ts'
import { createDeliveryWorld } from '../helpers/publisher.ts'
import { scriptedNetwork } from '../helpers/scripted-network.ts'
import { until } from '../helpers/until.ts'
import { createWebhookWorld, startReceiver } from '../webhooks/scene.ts'

const HOUR = 3_600_000

/** The state of each kind of work: that it is due, that it is due later, or nothing. */
async function look(db: Db) {
  const [next] = await readNextWork(db, { platforms: [...PLATFORM_IDS], metricsAfterMs: 0 })
  const describe = (inMs: number | null) => (inMs === null ? undefined : inMs <= 0 ? 'due' : 'later')
  return Object.fromEntries(
    Object.entries(next as NextWork).flatMap(([kind, inMs]) => (describe(inMs) ? [[kind, describe(inMs)]] : [])),
  )
}

t.test('a worker that has nothing to do sends a few statements a second', async (t) => {
  const url = await createDatabase(t)
  const db = connect({ url })
  t.teardown(() => db.destroy())
  const worker = await runService('worker', {
    DATABASE_URL: url,
    CREDENTIALS_KEY: Buffer.alloc(32, 1).toString('base64'),
  })
  t.teardown(() => worker.stop('SIGKILL'))
  const count = async () => {
    const { rows } = await sql<{ count: number }>`
      select sum(xact_commit + xact_rollback)::float8 as count from pg_stat_database
      where datname = current_database()`.execute(db)
    return rows[0]!.count
  }
  await until(
    'a worker has at most 20 transactions in five seconds',
    async () => {
      const before = await count()
      await sleep(5_000)
      return (await count()) - before
    },
    { isMet: (transactions) => transactions > 0 && transactions <= 20, timeoutMs: 60_000 },
  )
})

t.test('a look finds the deliveries and credentials that are due next', async (t) => {
  const { db, ada, connectAccount } = await createDeliveryWorld(t, { mastodon: scriptedNetwork() })
  const accountIds = [await connectAccount('mastodon')]
  const post = (ms: number) =>
    ada.call('POST', '/posts', { accountIds, caption: 'Hi', scheduledAt: new Date(Date.now() + ms).toISOString() })
  await post(HOUR)
  t.strictSame(await look(db), { deliveries: 'later', events: 'due' })
  await post(0)
  t.strictSame(await look(db), { deliveries: 'due', events: 'due' })
  await db.deleteFrom('eventOutbox').execute()
  await db
    .updateTable('postTargets')
    .set({ claimableAt: new Date(Date.now() + HOUR) })
    .execute()
  t.strictSame(await look(db), { deliveries: 'later' })
  await db.updateTable('postTargets').set({ parked: true }).execute()
  t.strictSame(await look(db), { deliveries: 'due' }, 'a parked delivery waits for its account alone')
  await db.updateTable('postTargets').set({ parked: false, claimableAt: null }).execute()
  const refresh = (refreshAt: unknown, refreshLeaseUntil: Date | null = null) =>
    db
      .updateTable('accountCredentials')
      .set({ refreshAt: refreshAt as Date, refreshLeaseUntil })
      .execute()
  await refresh(sql`'infinity'`)
  t.strictSame(await look(db), {})
  await refresh(new Date())
  t.strictSame(await look(db), { refreshes: 'due' })
  await refresh(new Date(), new Date(Date.now() + HOUR))
  t.strictSame(await look(db), { refreshes: 'later' }, 'another worker refreshes them')
  await refresh(null)
  const [target] = await db.selectFrom('postTargets').select(['userId', 'postId', 'accountId']).execute()
  const change = { ...target!, kind: 'remove', nextAt: new Date() }
  await db.insertInto('deliveryChanges').values(change).execute()
  t.strictSame(await look(db), { changes: 'due' })
})

t.test('a look finds events, words, webhooks, numbers and videos that are due', async (t) => {
  const world = await createWebhookWorld(t)
  const { db, ada, hook, emit } = world
  const { id } = await hook(await startReceiver(t))
  await db.deleteFrom('eventOutbox').execute()
  const readEvents = () =>
    sql`update metrics_cursor set position = (select last from event_streams order by last desc limit 1)`.execute(db)
  await readEvents()
  t.strictSame(await look(db), {})
  await emit()
  t.strictSame(await look(db), { webhooks: 'due', metrics: 'due' })
  const set = (values: object) => db.updateTable('webhooks').set(values).where('id', '=', id).execute()
  await set({ leasedUntil: new Date(Date.now() + HOUR) })
  t.strictSame(await look(db), { webhooks: 'later', metrics: 'due' }, 'another worker sends to it')
  await set({ disabledAt: new Date(), disabledReason: 'owner' })
  await readEvents()
  t.strictSame(await look(db), {}, 'nothing is sent to a disabled webhook')
  await db
    .insertInto('metricTurns')
    .values({ accountId: await ada.account(), platform: 'x', nextAt: new Date() })
    .execute()
  const { body: post } = await ada.call('POST', '/posts', { accountIds: [await ada.account()] })
  await db.deleteFrom('eventOutbox').execute()
  await db.insertInto('postWordsDue').values({ userId: ada.id, postId: post.id }).execute()
  const media = await ada.media({ mimeType: 'video/mp4' })
  await db
    .insertInto('renditionJobs')
    .values({ userId: ada.id, mediaId: media, target: 't', spec: '{}', neededAt: new Date() })
    .execute()
  t.strictSame(await look(db), { words: 'due', metrics: 'due', renditions: 'due' })
})

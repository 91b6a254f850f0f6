import { fork } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import t, { type Test } from 'tap'
import { connect, type Db } from '../../../db/client.ts'
import type { DeliveryState } from '../../../schemas/delivery.ts'
import { folderJournalFiles } from '../../../src/base/storage/journal.ts'
import { releaseDeliveries } from '../../../src/engine/delivery/hold.ts'
import { finishRestore } from '../../../src/engine/journal/restore.ts'
import { createWorld } from '../../helpers/app.ts'
import { copyDatabase } from '../../helpers/backup.ts'
import { CHILD_ENV } from '../../helpers/log-record.ts'
import { endChild } from '../../helpers/processes.ts'
import { type Breach, findWrongOutcome } from '../../helpers/promises.ts'
import { until } from '../../helpers/until.ts'
import { type FakeNetworks, IDS, type NetworkId, ruleOf, startNetworks } from './network.ts'
import { createWorker, openNetworks } from './worker.ts'

// Workers are killed at any moment, and their database is lost with them. An earlier backup is restored beside the
// journal. Each sentence of `restore finish` about a delivery has to be true, and nothing may be sent twice.

/** Number of kills. */
const KILLS = Number(process.env.KILLS ?? 6)
const { SOAK_REPORT } = process.env

const POSTS = 120
const ACCOUNTS = 40
/** The longest time for which workers send before they are killed: about as long as they need for all posts. */
const SENDING_MAX_MS = 2_500
/** At the quiet pace, posts are due over this time. */
const QUIET_MS = 3_000

interface Result {
  pace: 'backlog' | 'quiet'
  workers: number
  deliveries: number
  sent: number
  'sent twice': number
  'false words': number
  'queryable, but unconfirmed': number
  unconfirmed: number
  'unconfirmed, not sent': number
}
const results: Result[] = []

interface Row {
  postId: string
  platform: NetworkId
  state: DeliveryState
  sent: unknown[]
  acts: string[]
}

for (let kill = 0; kill < KILLS; kill++) {
  const pace = kill % 3 === 2 ? 'quiet' : 'backlog'
  const workers = 1 + (kill % 2)
  t.test(`kill ${kill + 1}: ${workers} workers, ${pace}`, async (t) => {
    const result = await restoreAfterKill(t, pace, workers)
    results.push(result)
    t.equal(result['sent twice'], 0, 'sent twice')
    t.equal(result['false words'], 0, 'false words')
    t.equal(result['queryable, but unconfirmed'], 0, 'queryable, but unconfirmed')
  })
}

t.teardown(() => {
  if (SOAK_REPORT) writeFileSync(SOAK_REPORT, JSON.stringify(results))
})

async function restoreAfterKill(t: Test, pace: Result['pace'], workers: number): Promise<Result> {
  const networks = await startNetworks(t)
  const { shown } = networks
  const { db, databaseUrl, mediaDir, write } = await createScene(t)
  await write(1)
  await publishAll(createWorker(db, mediaDir, networks.url), db)
  const first = networks.shown.size
  await write(POSTS)
  if (pace === 'quiet') await spreadDueTimes(db)
  const backupTaken = new Date()
  const backup = await copyDatabase(t, db, databaseUrl)

  const children = Array.from({ length: workers }, () =>
    fork(new URL('./worker-process.ts', import.meta.url), [databaseUrl, mediaDir, networks.url], {
      // Drops the loaders of tap.
      execArgv: [],
      env: CHILD_ENV,
    }),
  )
  for (const child of children) t.teardown(() => endChild(child, 'SIGKILL'))
  await until('a worker sends', () => shown.size > first)
  await sleep(randomInt(SENDING_MAX_MS))
  await Promise.all(children.map((child) => endChild(child, 'SIGKILL')))
  await untilArrived(networks)
  const sent = shown.size

  const restored = connect({ url: backup, poolMax: 4 })
  t.teardown(() => restored.destroy())
  t.equal(await createWorker(restored, mediaDir, networks.url).claim(), 0, 'nothing is claimed before restore finish')
  const options = { db: restored, files: folderJournalFiles(mediaDir), networks: openNetworks(restored, networks.url) }
  await finishRestore(options, { backupTaken, isDryRun: false })
  const said = await readRows(restored)
  const falseWords = checkAll(said, networks).filter(({ kind }) => kind === 'false state')

  await releaseDeliveries(restored, null)
  await publishAll(createWorker(restored, mediaDir, networks.url), restored)
  const rows = await readRows(restored)
  const breaches = [...falseWords, ...checkAll(rows, networks)]
  for (const { text } of breaches) t.comment(text)
  const count = (wanted: Breach['kind']) => breaches.filter(({ kind }) => kind === wanted).length
  const unconfirmed = rows.filter(({ state }) => state === 'unconfirmed')
  const result: Result = {
    pace,
    workers,
    deliveries: rows.length,
    sent,
    'sent twice': count('sent twice'),
    'false words': count('false state'),
    'queryable, but unconfirmed': count('guarantee'),
    unconfirmed: unconfirmed.length,
    'unconfirmed, not sent': unconfirmed.filter(
      ({ platform, acts, sent }) => !shown.has(`${platform} ${acts[sent.length]}`),
    ).length,
  }
  t.comment(JSON.stringify(result))
  return result
}

/** A connection that the kernel has, and the server not yet, is not counted. */
async function untilArrived({ settled }: FakeNetworks): Promise<void> {
  let quiet = 0
  const isQuiet = async () => {
    quiet = (await settled()) ? quiet + 1 : 0
    return quiet === 20
  }
  await until('all calls have arrived', isQuiet, { intervalMs: 20 })
}

async function createScene(t: Test) {
  const { db, databaseUrl, mediaDir, user } = await createWorld(t)
  const ada = await user()
  const accounts = await Promise.all(
    Array.from({ length: ACCOUNTS }, async (_, number) =>
      Promise.all(IDS.map((id) => ada.account(id, { username: `${id}${number}`, credentials: {} }))),
    ),
  )
  let number = 0
  /** Creates posts that are due. Every sixth has a second act. */
  const write = async (count: number) => {
    for (const end = number + count; number < end; number++) {
      const accountIds = accounts[number % ACCOUNTS]
      const comment = number % 6 === 5 ? { firstComment: `comment ${number}` } : {}
      const scheduledAt = new Date().toISOString()
      const { status, body } = await ada.call('POST', '/posts', {
        caption: `post ${number}`,
        accountIds,
        scheduledAt,
        ...comment,
      })
      if (status !== 201) throw new Error(JSON.stringify(body))
    }
  }
  return { db, databaseUrl, mediaDir, write }
}

const spreadDueTimes = (db: Db) =>
  sql`
    update post_targets set due_at = due.at, claimable_at = due.at
    from (
      select ctid as row_id, now() + row_number() over (order by post_id) * ${QUIET_MS} / count(*) over () * interval '1 ms' as at
      from post_targets where state = 'queued') as due
    where post_targets.ctid = due.row_id`.execute(db)

/** Publishes until no delivery is left to be sent. */
async function publishAll(worker: ReturnType<typeof createWorker>, db: Db): Promise<void> {
  const isOver = async () => {
    await worker.claim()
    await worker.idle()
    const { rows } = await sql`select from post_targets where state in ('queued', 'publishing') limit 1`.execute(db)
    return rows.length === 0
  }
  await until('everything is sent', isOver)
  await worker.close()
}

async function readRows(db: Db): Promise<Row[]> {
  const { rows } = await sql<Row>`
    select post_id, platform, state, sent,
      array_remove(array[posts.caption, posts.first_comment], null) as acts
    from post_targets join posts on posts.user_id = post_targets.user_id and posts.id = post_targets.post_id
    order by post_id, platform`.execute(db)
  return rows
}

/** Compares deliveries with what their networks show. */
const checkAll = (rows: Row[], { shown }: FakeNetworks): Breach[] =>
  rows.flatMap(({ platform, state, sent, acts }) =>
    findWrongOutcome(
      {
        name: `${platform} ${acts[0]}`,
        state,
        acts: acts.length,
        sent: sent.length,
        rules: [ruleOf(platform)],
        isRestored: true,
      },
      acts.map((text) => shown.get(`${platform} ${text}`) ?? 0),
    ),
  )

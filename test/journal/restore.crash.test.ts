import t, { type Test } from 'tap'
import { connect, type Db } from '../../db/client.ts'
import { folderJournalFiles, type JournalFiles } from '../../src/base/storage/journal.ts'
import { openJournal } from '../../src/engine/journal/journal.ts'
import { isAhead, timeOf } from '../../src/engine/journal/journal-text.ts'
import { finishRestore } from '../../src/engine/journal/restore.ts'
import { copyDatabase } from '../helpers/backup.ts'
import { noLog } from '../helpers/log-record.ts'
import { createDeliveryWorld } from '../helpers/publisher.ts'
import { scriptedNetwork } from '../helpers/scripted-network.ts'
import { until } from '../helpers/until.ts'

const ALL = ['x', 'linkedin', 'threads'] as const

/** Networks of each guarantee, workers that keep a journal, and a backup of the database. */
async function setUp(t: Test) {
  const networks = {
    x: scriptedNetwork('reconcilable'),
    linkedin: scriptedNetwork('at-most-once'),
    threads: scriptedNetwork('exactly-once'),
  }
  const world = await createDeliveryWorld(t, networks)
  const { db } = world
  const accountIds = await Promise.all(ALL.map((network) => world.connectAccount(network)))
  const files = folderJournalFiles(world.mediaDir)
  const work = async (on: Db) => {
    const worker = world.createWorker({ db: on, journal: openJournal({ db: on, files, log: noLog }) })
    do await worker.idle()
    while ((await worker.claim()) > 0)
    await worker.close()
  }
  /** Sends like `work`, and is killed while it writes the outcomes of the calls: after the mark, before the segment. */
  const workAndDie = async () => {
    const own = connect({ url: world.databaseUrl, poolMax: 4 })
    const killed = Promise.withResolvers<never>()
    killed.promise.catch(() => {})
    let segments = 0
    const write: JournalFiles['write'] = (id, name, text, from) =>
      isAhead(name) || ++segments === 1 ? files.write(id, name, text, from) : killed.promise
    const journal = openJournal({ db: own, files: { ...files, write }, log: noLog })
    const worker = world.createWorker({ db: own, journal })
    do await worker.idle()
    while ((await worker.claim()) > 0)
    const closed = journal.close()
    await until('the worker writes', () => segments > 1)
    await own.destroy()
    killed.reject(new Error('The worker was killed'))
    await closed
  }
  const post = (caption: string, body: object = {}) => world.post({ caption, accountIds, ...body })
  await post('before the backup')
  await work(db)
  const backUp = async () => ({ takenAt: new Date(), url: await copyDatabase(t, db, world.databaseUrl) })
  /** Restores a backup. Returns the report of `restore finish`, and the states of a post by network. */
  const restore = async ({ takenAt, url }: Awaited<ReturnType<typeof backUp>>, before = async (_db: Db) => {}) => {
    const restored = connect({ url })
    t.teardown(() => restored.destroy())
    await work(restored)
    await before(restored)
    const report = await finishRestore(
      { db: restored, files, networks: world.networks },
      { backupTaken: takenAt, isDryRun: false },
    )
    const statesOf = async (postId: string) => {
      const rows = await restored
        .selectFrom('postTargets')
        .select(['platform', 'state'])
        .where('postId', '=', postId)
        .execute()
      return Object.fromEntries(rows.map(({ platform, state }) => [platform, state]))
    }
    return { report, statesOf, work: () => work(restored) }
  }
  const sentTwice = () =>
    ALL.flatMap((network) => networks[network].posts.filter((text, index, all) => all.indexOf(text) !== index))
  return {
    db,
    files,
    workAndDie,
    networks,
    post,
    work: () => work(db),
    backUp,
    restore,
    sentTwice,
  }
}

t.test('what a worker sent just before it was killed is queried or unconfirmed, and not sent again', async (t) => {
  const { workAndDie, networks, post, backUp, restore, sentTwice } = await setUp(t)
  const sent = await post('sent')
  const commented = await post('commented', { firstComment: 'a comment' })
  const backup = await backUp()
  let comments = 0
  const allCalled = Promise.withResolvers<void>()
  const beforeResponse = () => {
    if (++comments === ALL.length) allCalled.resolve()
    return allCalled.promise
  }
  for (const network of ALL) {
    networks[network].stepOf = ({ kind }) => ({ isAccepted: true, ...(kind === 'comment' && { beforeResponse }) })
  }
  await workAndDie()
  t.ok(ALL.every((network) => networks[network].posts.includes('a comment')))

  const restored = await restore(backup)
  t.equal(restored.report.journal, 'complete')
  const published = { x: 'published', linkedin: 'published', threads: 'published' }
  t.strictSame(await restored.statesOf(sent), published, 'its outcome was written with the next call of the account')
  t.strictSame(await restored.statesOf(commented), { x: 'queued', linkedin: 'unconfirmed', threads: 'queued' })
  await restored.work()
  t.strictSame(sentTwice(), [])
  t.strictSame(await restored.statesOf(commented), { ...published, linkedin: 'unconfirmed' })
})

t.test('a mark that a killed worker did not write leaves the journal complete', async (t) => {
  const { workAndDie, post, work, backUp, restore } = await setUp(t)
  await post('sent')
  const backup = await backUp()
  await workAndDie()
  await post('sent by another')
  await work()
  const { report } = await restore(backup)
  t.equal(report.journal, 'complete')
})

t.test('a call that the backup has with its outcome is not open, although its worker was killed', async (t) => {
  const { db, workAndDie, networks, post, work, backUp, restore, sentTwice } = await setUp(t)
  const sent = await post('sent', { firstComment: 'a comment' })
  networks.linkedin.steps = [{ isAccepted: false, error: new TypeError('a mistake of ours') }]
  const ofLinkedIn = { platform: 'linkedin', postId: sent } as const
  const isKnown = async () => {
    const { state } = await db
      .selectFrom('postTargets')
      .select('state')
      .where((eb) => eb.and(ofLinkedIn))
      .executeTakeFirstOrThrow()
    return state === 'unconfirmed'
  }
  // The journal gets the outcome before the next call.
  const beforeResponse = () => until('the outcome of LinkedIn is stored', isKnown)
  networks.x.stepOf = ({ kind }) => ({ isAccepted: true, ...(kind === 'post' && { beforeResponse }) })
  await workAndDie()
  networks.x.stepOf = undefined
  await db
    .updateTable('postTargets')
    .set({ state: 'failed', intent: null, claimableAt: null })
    .where((eb) => eb.and(ofLinkedIn))
    .execute()
  const backup = await backUp()
  await post('later')
  await work()
  const restored = await restore(backup)
  t.strictSame(await restored.statesOf(sent), { x: 'published', linkedin: 'failed', threads: 'published' })
  t.strictSame(sentTwice(), [])
})

t.test('a journal of an earlier version is read, and what was due when it ends may have been sent', async (t) => {
  const { files, networks, post, work, backUp, restore, sentTwice } = await setUp(t)
  const backup = await backUp()
  const unrecorded = await post('sent, and not recorded')
  const withUnrecorded = await backUp()
  await post('sent')
  await work()
  const [installation] = await files.installations()
  for (const name of await files.list(installation!, '')) {
    const lines = (await files.read(installation!, name)).split('\n').filter((line) => !line.includes(unrecorded))
    const earlier = lines.join('\n').replaceAll(/,"isWrittenAhead":true|"attempt":\d+,/g, '')
    await files.write(installation!, name, earlier)
  }
  t.equal((await restore(backup)).report.notInBackup, 3, 'those of the later post')
  const [last] = (await files.list(installation!, '')).slice(-1)
  const restored = await restore(withUnrecorded, async (db) => {
    const claimableAt = new Date(timeOf(last!) + 2_000)
    await db.updateTable('postTargets').set({ claimableAt }).where('postId', '=', unrecorded).execute()
  })
  t.strictSame(await restored.statesOf(unrecorded), { x: 'queued', linkedin: 'unconfirmed', threads: 'unconfirmed' })
  await restored.work()
  t.strictSame(sentTwice(), [])
  t.ok(networks.x.posts.includes('sent, and not recorded'))
})

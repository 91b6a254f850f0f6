import t, { type Test } from 'tap'
import { connect, type Db } from '../../db/client.ts'
import { folderJournalFiles } from '../../src/base/storage/journal.ts'
import { openJournal } from '../../src/engine/journal/journal.ts'
import { finishRestore } from '../../src/engine/journal/restore.ts'
import { copyDatabase } from '../helpers/backup.ts'
import { noLog } from '../helpers/log-record.ts'
import { createDeliveryWorld } from '../helpers/publisher.ts'
import { refusal, scriptedNetwork } from '../helpers/scripted-network.ts'

/** A published post with a comment, and a backup from before it is taken down. */
async function createScene(t: Test) {
  const bluesky = scriptedNetwork('exactly-once')
  const world = await createDeliveryWorld(t, { bluesky })
  const account = await world.connectAccount('bluesky')
  const files = folderJournalFiles(world.mediaDir)
  const workerOf = (db: Db) => world.createWorker({ db, journal: openJournal({ db, files, log: noLog }) })
  const publish = async (db: Db) => {
    const worker = workerOf(db)
    await worker.claim()
    await worker.idle()
    await worker.close()
  }
  const change = async (db: Db) => {
    const worker = workerOf(db)
    while (await worker.changes.begin()) await worker.changes.idle()
    await worker.close()
  }
  const id = await world.post({ accountIds: [account], caption: 'a', firstComment: 'b' })
  await publish(world.db)
  const backupTaken = new Date()
  const backup = await copyDatabase(t, world.db, world.databaseUrl)
  t.equal((await world.ada.call('POST', `/posts/${id}/remove`)).status, 202)
  const restore = async () => {
    const db = connect({ url: backup })
    t.teardown(() => db.destroy())
    const networks = world.networks
    const { outcomes } = await finishRestore({ db, files, networks }, { backupTaken, isDryRun: false })
    const read = () => db.selectFrom('postTargets').select(['state', 'error', 'sent']).executeTakeFirstOrThrow()
    return { outcomes: outcomes.map(({ outcome }) => outcome), read, change: () => change(db) }
  }
  return { ...world, bluesky, change: () => change(world.db), workerOf: () => workerOf(world.db), restore }
}

t.test('a restored database knows what was taken down since its backup', async (t) => {
  const { bluesky, change, restore } = await createScene(t)
  await change()
  t.equal(bluesky.present.size, 0)
  const restored = await restore()
  t.strictSame(restored.outcomes, ['removed'])
  const { state, sent } = await restored.read()
  t.equal(state, 'removed')
  t.ok((sent as { removedAt?: string }[]).every(({ removedAt }) => removedAt))
  await restored.change()
  t.equal(bluesky.removals.length, 2, 'nothing is removed again')
})

t.test('a removal that was begun before the database was lost goes on', async (t) => {
  const { bluesky, change, restore, time } = await createScene(t)
  bluesky.removalSteps.push(
    { isAccepted: true },
    { isAccepted: true, error: refusal('unreachable', { retryable: true }) },
  )
  await change()
  const restored = await restore()
  t.strictSame(restored.outcomes, ['removing'])
  time.now = new Date(time.now.getTime() + 60_000)
  await restored.change()
  t.hasStrict(await restored.read(), { state: 'removed', error: null })
  t.strictSame(bluesky.removals, ['n2', 'n1', 'n1'])
})

t.test('a restored database knows what could not be taken down', async (t) => {
  const { bluesky, change, restore } = await createScene(t)
  bluesky.removalSteps.push({ isAccepted: false, error: refusal() })
  await change()
  t.strictSame((await restore()).outcomes, ['remove_failed'])
})

import t, { type Test } from 'tap'
import { connect, type Db } from '../../db/client.ts'
import { folderJournalFiles } from '../../src/base/storage/journal.ts'
import { openJournal } from '../../src/engine/journal/journal.ts'
import { finishRestore } from '../../src/engine/journal/restore.ts'
import { copyDatabase } from '../helpers/backup.ts'
import { noLog } from '../helpers/log-record.ts'
import { createDeliveryWorld } from '../helpers/publisher.ts'
import { lostResponse, scriptedNetwork } from '../helpers/scripted-network.ts'

/** A published post, and workers that write a journal. */
async function createScene(t: Test) {
  const x = scriptedNetwork()
  x.editsAreNew = true
  const world = await createDeliveryWorld(t, { x })
  const account = await world.connectAccount('x')
  const files = folderJournalFiles(world.mediaDir)
  const workerOf = (db: Db) => world.createWorker({ db, journal: openJournal({ db, files, log: noLog }) })
  const change = async (db: Db) => {
    world.time.now = new Date(world.time.now.getTime() + 60_000)
    const worker = workerOf(db)
    while (await worker.changes.begin()) await worker.changes.idle()
    await worker.close()
  }
  const id = await world.post({ accountIds: [account], caption: 'a' })
  const publisher = workerOf(world.db)
  await publisher.claim()
  await publisher.idle()
  await publisher.close()
  const edit = async (text: string) =>
    t.equal(
      (await world.ada.call('PATCH', `/posts/${id}/deliveries/${account}`, { text, acceptNewId: true })).status,
      202,
    )
  const backUp = async () => ({
    backup: await copyDatabase(t, world.db, world.databaseUrl),
    backupTaken: new Date(),
  })
  const restore = async ({ backup, backupTaken }: Awaited<ReturnType<typeof backUp>>) => {
    const db = connect({ url: backup })
    t.teardown(() => db.destroy())
    const { networks } = world
    const { outcomes } = await finishRestore({ db, files, networks }, { backupTaken, isDryRun: false })
    const read = () =>
      db.selectFrom('postTargets').select(['state', 'captionOverride', 'edit', 'sent']).executeTakeFirstOrThrow()
    return { outcomes: outcomes.map(({ outcome }) => outcome), read, change: () => change(db) }
  }
  return { ...world, x, edit, change: () => change(world.db), backUp, restore }
}

t.test('a restored database has the new id of a post that was edited since its backup', async (t) => {
  const { x, edit, change, backUp, restore } = await createScene(t)
  const backup = await backUp()
  await edit('b')
  await change()
  t.strictSame([...x.present], [['n1e', 'b']])
  const restored = await restore(backup)
  t.strictSame(restored.outcomes, ['edited'])
  t.hasStrict(await restored.read(), {
    state: 'published',
    captionOverride: null,
    edit: { state: 'failed', error: { code: 'restored' } },
    sent: [{ id: 'n1e', edits: 1 }],
  })
  await restored.change()
  t.equal(x.edits.length, 1)
})

t.test('an edit that the backup has goes on, and one whose call was lost since is marked', async (t) => {
  const { x, edit, change, backUp, restore } = await createScene(t)
  const before = await backUp()
  await edit('b')
  const pending = await backUp()
  x.editSteps.push({ isAccepted: true, error: lostResponse() })
  await change()
  t.hasStrict(await (await restore(before)).read(), { edit: { state: 'failed' }, sent: [{ id: 'n1' }] })
  const restored = await restore(pending)
  t.strictSame(restored.outcomes, [])
  await restored.change()
  t.hasStrict(await restored.read(), { captionOverride: 'b', edit: null, sent: [{ id: 'n1e', edits: 1 }] })
  t.strictSame([...x.present], [['n1e', 'b']])
})

t.test('an earlier edit of the backup does not undo a later one', async (t) => {
  const { x, edit, change, backUp, restore } = await createScene(t)
  await edit('b')
  const backup = await backUp()
  await change()
  await edit('c')
  await change()
  const restored = await restore(backup)
  t.strictSame(restored.outcomes, ['edited'])
  await restored.change()
  t.hasStrict(await restored.read(), { edit: { state: 'failed' }, sent: [{ id: 'n1ee' }] })
  t.strictSame([...x.present.values()], ['c'])
})

import { readFileSync } from 'node:fs'
import t, { type Test } from 'tap'
import { connect, type Db } from '../../db/client.ts'
import { folderJournalFiles } from '../../src/base/storage/journal.ts'
import { openJournal } from '../../src/engine/journal/journal.ts'
import { finishRestore } from '../../src/engine/journal/restore.ts'
import { copyDatabase } from '../helpers/backup.ts'
import { noLog } from '../helpers/log-record.ts'
import { createDeliveryWorld } from '../helpers/publisher.ts'
import { refusal, scriptedNetwork } from '../helpers/scripted-network.ts'
import { upload } from '../helpers/upload.ts'

const THUMBNAIL = 'https://images.example/dusk.png'
const PLAYLIST = 'PLlighthouses1'

/** A video with a comment that its network refuses, a thumbnail and a playlist. Workers keep a journal. */
async function setUp(t: Test) {
  const youtube = scriptedNetwork()
  const world = await createDeliveryWorld(t, { youtube })
  const { ada, app, db } = world
  const files = folderJournalFiles(world.mediaDir)
  /** Claims and sends on a database until nothing is due. */
  const work = async (db: Db) => {
    const worker = world.createWorker({ db, journal: openJournal({ db, files, log: noLog }) })
    do await worker.idle()
    while ((await worker.claim()) > 0)
    await worker.close()
  }
  const accountId = await world.connectAccount('youtube')
  // The journal begins with the first call.
  const post = async (caption: string, more: object = {}) => {
    const { body } = await upload(app, ada, [['file', readFileSync('test/samples/plain.mp4')]])
    return world.post({ caption, accountIds: [accountId], postType: 'video', mediaIds: [body.id], ...more })
  }
  await post('before')
  await work(db)
  youtube.stepOf = ({ kind }) => (kind === 'comment' ? { isAccepted: false, error: refusal() } : { isAccepted: true })
  const fields = { thumbnailUrl: THUMBNAIL, playlistId: PLAYLIST }
  const id = await post('Dusk', { firstComment: 'First!', accountOverrides: [{ accountId, fields }] })
  const backUp = async () => ({ takenAt: new Date(), url: await copyDatabase(t, db, world.databaseUrl) })
  /** Restores a backup, lets workers publish the due deliveries, and returns the delivery. */
  const restore = async ({ takenAt, url }: Awaited<ReturnType<typeof backUp>>) => {
    const restored = connect({ url })
    t.teardown(() => restored.destroy())
    await work(restored)
    await finishRestore({ db: restored, files, networks: world.networks }, { backupTaken: takenAt, isDryRun: false })
    await work(restored)
    const delivery = restored.selectFrom('postTargets').select(['state', 'error', 'sent']).where('postId', '=', id)
    return delivery.executeTakeFirstOrThrow()
  }
  const retry = () => ada.call('POST', `/posts/${id}/deliveries/${accountId}/retry`)
  return { youtube, work: () => work(db), backUp, restore, retry }
}

const SENT = { id: /^n\d$/ }

t.test('an act that was left out since the backup stays left out, and what follows it is not repeated', async (t) => {
  const { youtube, work, backUp, restore } = await setUp(t)
  const backup = await backUp()
  await work()
  t.strictSame(youtube.posts, ['before', 'Dusk', THUMBNAIL, PLAYLIST])
  t.match(await restore(backup), {
    state: 'published',
    error: { code: 'content_refused' },
    sent: [SENT, { id: null, error: { code: 'content_refused' } }, SENT, SENT],
  })
  t.strictSame(youtube.posts, ['before', 'Dusk', THUMBNAIL, PLAYLIST])
})

t.test('an act that a retry has sent since the backup is out, and so is what follows it', async (t) => {
  const { youtube, work, backUp, restore, retry } = await setUp(t)
  await work()
  const backup = await backUp()
  youtube.stepOf = undefined
  t.equal((await retry()).status, 202)
  await work()
  const sent = ['before', 'Dusk', THUMBNAIL, PLAYLIST, 'First!', THUMBNAIL, PLAYLIST]
  t.strictSame(youtube.posts, sent, 'what follows is repeated')
  t.match(await restore(backup), { state: 'published', error: null, sent: [SENT, SENT, SENT, SENT] })
  t.strictSame(youtube.posts, sent)
})

import t from 'tap'
import { connect, type Db } from '../../db/client.ts'
import { findPostWithReadiness } from '../../db/queries/posts/detail.ts'
import { folderJournalFiles } from '../../src/base/storage/journal.ts'
import { openJournal } from '../../src/engine/journal/journal.ts'
import { finishRestore } from '../../src/engine/journal/restore.ts'
import { copyDatabase } from '../helpers/backup.ts'
import { noLog } from '../helpers/log-record.ts'
import { createDeliveryWorld } from '../helpers/publisher.ts'
import { lostResponse, scriptedNetwork } from '../helpers/scripted-network.ts'
import { jpeg, upload } from '../helpers/upload.ts'

t.test('a thread that goes on after a restore publishes each part once, with its own files', async (t) => {
  const mastodon = scriptedNetwork()
  const { ada, app, db, databaseUrl, mediaDir, networks, ...world } = await createDeliveryWorld(t, { mastodon })
  const files = folderJournalFiles(mediaDir)
  /** Claims and sends on a database until nothing is due. */
  const work = async (db: Db) => {
    const worker = world.createWorker({ db, journal: openJournal({ db, files, log: noLog }) })
    do await worker.idle()
    while ((await worker.claim()) > 0)
    await worker.close()
  }
  const account = await world.connectAccount('mastodon')
  // The journal begins with the first call.
  await world.post({ caption: 'before', accountIds: [account] })
  await work(db)
  const images = await Promise.all([1, 2, 3].map((seed) => jpeg(40, 30, seed)))
  const [first, second, third] = await Promise.all(
    images.map(async (image) => (await upload(app, ada, [['file', image]])).body.id as string),
  )
  const threadMedia = [[first], [], [third, second]]
  const id = await world.post({
    accountIds: [account],
    postType: 'thread',
    threadParts: { [account]: ['one', 'two', 'three'] },
    accountOverrides: [{ accountId: account, threadMedia }],
  })
  const backupTaken = new Date()
  const backup = await copyDatabase(t, db, databaseUrl)
  mastodon.stepOf = ({ text }) =>
    text === 'three' ? { isAccepted: false, error: lostResponse() } : { isAccepted: true }
  await work(db)

  const restored = connect({ url: backup })
  t.teardown(() => restored.destroy())
  await work(restored)
  await finishRestore({ db: restored, files, networks }, { backupTaken, isDryRun: false })
  mastodon.stepOf = undefined
  const begun = mastodon.acts.length
  await work(restored)
  t.strictSame(mastodon.posts, ['before', 'one', 'two', 'three'])
  const continued = mastodon.acts.slice(begun).map(({ text, media }) => [text, media.map(({ id }) => id)])
  t.strictSame(continued, [['three', threadMedia[2]]])
  const [post] = await findPostWithReadiness(restored, { userId: ada.id, id })
  t.match(post!.targets, [{ delivery: { state: 'published' }, threadMedia }])
})

import t from 'tap'
import { folderJournalFiles } from '../../src/base/storage/journal.ts'
import { openJournal } from '../../src/engine/journal/journal.ts'
import { finishRestore } from '../../src/engine/journal/restore.ts'
import { noLog } from '../helpers/log-record.ts'
import { createDeliveryWorld } from '../helpers/publisher.ts'
import { scriptedNetwork } from '../helpers/scripted-network.ts'
import { until } from '../helpers/until.ts'

t.test('restore finish waits for the response of a call that is under way', async (t) => {
  const x = scriptedNetwork('at-most-once')
  const { db, mediaDir, networks, connectAccount, post, createWorker } = await createDeliveryWorld(t, { x })
  const files = folderJournalFiles(mediaDir)
  const response = Promise.withResolvers<void>()
  x.steps.push({ isAccepted: true, beforeResponse: () => response.promise })
  await post({ accountIds: [await connectAccount('x')], caption: 'a' })
  const worker = createWorker({ journal: openJournal({ db, files, log: noLog }) })
  await worker.claim()
  await until('the call is made', () => x.posts.length === 1)

  const order: string[] = []
  const finish = (isDryRun: boolean) => finishRestore({ db, files, networks }, { backupTaken: new Date(), isDryRun })
  const finished = finish(false).then(({ outcomes }) => {
    order.push('finished')
    return outcomes
  })
  await until('workers may not send', async () => {
    const row = await db.selectFrom('installation').select('refusedSince').executeTakeFirst()
    return Boolean(row?.refusedSince)
  })
  // Dry runs do not wait: the other one would have ended too.
  for (let run = 0; run < 5; run++) await finish(true)
  order.push('response')
  response.resolve()
  await worker.close()
  t.strictSame(await finished, [], 'what the worker has stored needs no change')
  t.strictSame(order, ['response', 'finished'])
  const { state } = await db.selectFrom('postTargets').select('state').executeTakeFirstOrThrow()
  t.equal(state, 'published')
})

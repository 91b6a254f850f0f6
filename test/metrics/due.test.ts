import t from 'tap'
import { createDeliveryWorld } from '../helpers/publisher.ts'
import { samplesOf } from '../helpers/scrape.ts'
import { scriptedNetwork } from '../helpers/scripted-network.ts'

const MINUTE = 60_000

t.test('the age of the oldest due delivery is shown by network, whatever the delivery waits for', async (t) => {
  const world = await createDeliveryWorld(t, { mastodon: scriptedNetwork(), bluesky: scriptedNetwork('exactly-once') })
  const { app, db, connectAccount, post, createWorker, time } = world
  const scrape = async () => samplesOf((await app.inject('/metrics')).payload)
  const due = (platform: string) => `postroom_deliveries_due{platform="${platform}"}`
  const oldest = (platform: string) => `postroom_deliveries_oldest_due_seconds{platform="${platform}"}`
  // The service compares with the clock of the database.
  time.now = new Date()
  const before = await scrape()
  t.hasStrict(before, { [due('mastodon')]: 0, [oldest('mastodon')]: 0, [due('x')]: 0 })

  const accountId = await connectAccount('mastodon')
  for (const caption of ['one', 'two', 'three']) await post({ accountIds: [accountId], caption })
  await db
    .updateTable('postTargets')
    .set({ claimableAt: new Date(Date.now() - 40 * MINUTE) })
    .execute()
  await db
    .updateTable('accounts')
    .set({ availableAt: new Date(Date.now() + 60 * MINUTE) })
    .execute()
  t.equal(await createWorker().claim(), 0, 'the account rests, so its deliveries are parked')
  const resting = await scrape()
  t.hasStrict(resting, { [due('mastodon')]: 3, [due('bluesky')]: 0, [oldest('bluesky')]: 0 })
  t.ok(resting[oldest('mastodon')]! >= 2400 && resting[oldest('mastodon')]! < 4800)
  t.equal(resting.postroom_deliveries_due_seconds, 0, 'none waits for a worker alone')

  await post({ accountIds: [await connectAccount('bluesky')], caption: 'other' })
  await db
    .updateTable('postTargets')
    .set({ claimableAt: new Date(Date.now() - 90 * MINUTE) })
    .where('platform', '=', 'bluesky')
    .execute()
  const both = await scrape()
  t.hasStrict(both, { [due('mastodon')]: 3, [due('bluesky')]: 1 })
  t.ok(both[oldest('bluesky')]! >= 5400 && both[oldest('bluesky')]! < 7800)
})

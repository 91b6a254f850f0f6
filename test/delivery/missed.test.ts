import { sql } from 'kysely'
import t from 'tap'
import { createDeliveryWorld } from '../helpers/publisher.ts'
import { lostResponse, refusal, scriptedNetwork } from '../helpers/scripted-network.ts'

const MINUTE = 60_000
const DAY = 86_400_000

t.test('a delivery that is due for longer than the limit is missed until its owner retries it', async (t) => {
  const mastodon = scriptedNetwork()
  const { ada, db, connectAccount, post, work, readDelivery, readStatus } = await createDeliveryWorld(t, { mastodon })
  const account = await connectAccount('mastodon')
  const id = await post({ accountIds: [account], caption: 'late' })
  await db.updateTable('postTargets').set({ dueAt: sql<Date>`due_at - interval '24 hours 1 minute'` }).execute()
  await work()
  t.same(mastodon.posts, [])
  t.hasStrict(await readDelivery(id), { state: 'missed', attempts: 0, error: { code: 'too_late' } })
  t.equal(await readStatus(id), 'scheduled')
  t.equal((await ada.call('POST', `/posts/${id}/deliveries/${account}/retry`)).status, 202)
  await work(MINUTE)
  t.same(mastodon.posts, ['late'])
})

t.test('a call that may have been made is reconciled, however late it is', async (t) => {
  const mastodon = scriptedNetwork()
  const { connectAccount, post, work, readDelivery, readStatus } = await createDeliveryWorld(t, { mastodon })
  const id = await post({ accountIds: [await connectAccount('mastodon')], caption: 'out' })
  mastodon.steps.push({ isAccepted: true, error: lostResponse() })
  await work()
  await work(2 * DAY)
  t.hasStrict(await readDelivery(id), { state: 'published', externalId: 'n1', error: null })
  t.equal(await readStatus(id), 'published')
  t.same(mastodon.posts, ['out'])
})

t.test('a first comment that is due for longer than the limit is not sent, and its post stays published', async (t) => {
  const mastodon = scriptedNetwork()
  const { ada, db, connectAccount, post, work, readDelivery, readStatus } = await createDeliveryWorld(t, { mastodon })
  const account = await connectAccount('mastodon')
  const id = await post({ accountIds: [account], caption: 'post', firstComment: 'comment' })
  mastodon.steps.push({ isAccepted: true }, { isAccepted: false, error: refusal('unreachable', { retryable: true }) })
  await work()
  await db.updateTable('postTargets').set({ dueAt: sql<Date>`due_at - interval '24 hours 1 minute'` }).execute()
  await work(MINUTE)
  t.hasStrict(await readDelivery(id), { state: 'published', externalId: 'n1', error: { code: 'too_late' } })
  t.equal(await readStatus(id), 'published')
  t.equal((await ada.call('POST', `/posts/${id}/deliveries/${account}/retry`)).status, 202)
  await work(MINUTE)
  t.same(mastodon.posts, ['post', 'comment'])
})

import t from 'tap'
import { createDeliveryWorld } from '../helpers/publisher.ts'
import { refusal, scriptedNetwork } from '../helpers/scripted-network.ts'
import { untilBlocked } from '../helpers/until.ts'

const MINUTE = 60_000

t.test('a retry affects one delivery only', async (t) => {
  const [mastodon, bluesky] = [scriptedNetwork(), scriptedNetwork()]
  const { ada, connectAccount, post, work, readDelivery, time } = await createDeliveryWorld(t, { mastodon, bluesky })
  const accountIds = [await connectAccount('mastodon'), await connectAccount('bluesky')]
  const [first, second] = accountIds
  const id = await post({ accountIds, caption: 'one' })
  for (const network of [mastodon, bluesky]) network.steps.push({ isAccepted: false, error: refusal() })
  await work()
  t.hasStrict(await ada.call('POST', `/posts/${id}/deliveries/${first}/retry`), { status: 202 })
  time.now = new Date(time.now.getTime() + MINUTE)
  await work()
  t.same([mastodon.posts, bluesky.posts], [['one'], []])
  t.hasStrict(await readDelivery(id, first), { state: 'published', attempts: 2 })
  t.hasStrict(await readDelivery(id, second), { state: 'failed', attempts: 1 })
})

t.test('a retry waits for a worker that is claiming the delivery, and is then rejected', async (t) => {
  const mastodon = scriptedNetwork()
  const { ada, db, connectAccount, post, work } = await createDeliveryWorld(t, { mastodon })
  const account = await connectAccount('mastodon')
  const id = await post({ accountIds: [account], caption: 'one' })
  mastodon.steps.push({ isAccepted: false, error: refusal() })
  await work()
  const { reply } = await db.transaction().execute(async (claim) => {
    await claim.updateTable('postTargets').set({ state: 'publishing' }).execute()
    const reply = ada.call('POST', `/posts/${id}/deliveries/${account}/retry`)
    await untilBlocked(db)
    // Inside an object, so that the transaction does not wait for it.
    return { reply }
  })
  t.hasStrict(await reply, { status: 409, body: { error: 'Delivery is being sent' } })
})

t.test('a delivery that waits for its next attempt can be retried immediately', async (t) => {
  const mastodon = scriptedNetwork()
  const { ada, connectAccount, post, work, readDelivery, time } = await createDeliveryWorld(t, { mastodon })
  const account = await connectAccount('mastodon')
  const id = await post({ accountIds: [account], caption: 'now' })
  mastodon.steps.push({ isAccepted: false, error: refusal('unreachable', { retryable: true }) })
  await work()
  t.hasStrict(await readDelivery(id), { state: 'queued' })
  t.equal((await ada.call('POST', `/posts/${id}/deliveries/${account}/retry`)).status, 202)
  time.now = new Date(time.now.getTime() + MINUTE)
  await work()
  t.same(mastodon.posts, ['now'])
})

t.test('a delivery that is not due yet is not retried', async (t) => {
  const mastodon = scriptedNetwork()
  const { ada, connectAccount, post, readDelivery } = await createDeliveryWorld(t, { mastodon })
  const account = await connectAccount('mastodon')
  const scheduledAt = new Date(Date.now() + 60 * MINUTE).toISOString()
  const id = await post({ accountIds: [account], caption: 'next week', scheduledAt })
  t.hasStrict(await ada.call('POST', `/posts/${id}/deliveries/${account}/retry`), {
    status: 409,
    body: { error: 'Delivery is not due yet: publish the post to send it now' },
  })
  t.hasStrict(await readDelivery(id), { state: 'queued', nextAttemptAt: scheduledAt })
})

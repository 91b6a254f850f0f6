import t from 'tap'
import { createDeliveryWorld } from '../helpers/publisher.ts'
import { lostResponse, refusal, scriptedNetwork } from '../helpers/scripted-network.ts'

const MINUTE = 60_000
const HOUR = 3_600_000

t.test('an account has attention from the first refusal of its credentials until something is sent', async (t) => {
  const mastodon = scriptedNetwork()
  const { db, connectAccount, post, work, readDelivery, time } = await createDeliveryWorld(t, { mastodon })
  const account = await connectAccount('mastodon')
  const attention = async () =>
    (await db.selectFrom('accounts').select('attention').where('id', '=', account).executeTakeFirstOrThrow()).attention
  mastodon.steps.push({ isAccepted: false, error: refusal('unauthorized', { needsAttention: true }), isEarly: true })
  const id = await post({ accountIds: [account], caption: 'unauthorised' })
  await work()
  t.hasStrict(await readDelivery(id), { state: 'failed', error: { code: 'unauthorized' } })
  const since = time.now.toISOString()
  t.same(await attention(), { code: 'unauthorized', message: 'network.example: no', since })
  mastodon.steps.push({ isAccepted: false, error: refusal('unauthorized', { needsAttention: true }) })
  await post({ accountIds: [account], caption: 'unauthorised, too' })
  await work(HOUR)
  t.hasStrict(await attention(), { since }, 'the time of the first refusal')
  await post({ accountIds: [account], caption: 'authorised' })
  await work()
  t.equal(await attention(), null)
})

t.test('a delivery to an account that cannot be published to fails with the reason', async (t) => {
  const mastodon = scriptedNetwork()
  const { ada, db, connectAccount, post, work, readDelivery } = await createDeliveryWorld(t, { mastodon })
  const never = await ada.account('mastodon')
  const gone = await connectAccount('mastodon')
  const id = await post({ accountIds: [never, gone], caption: 'nowhere' })
  await db.updateTable('accounts').set({ disconnectedAt: new Date() }).where('id', '=', gone).execute()
  await work()
  t.hasStrict(await readDelivery(id, never), { state: 'failed', error: { code: 'not_connected' } })
  t.hasStrict(await readDelivery(id, gone), { state: 'failed', error: { code: 'no_access' } })
  t.same(mastodon.acts, [])
})

t.test('credentials that cannot be decrypted are retried, for publishing and for reconcile', async (t) => {
  const mastodon = scriptedNetwork()
  const { ada, connectAccount, post, createWorker, work, readDelivery, time } = await createDeliveryWorld(t, {
    mastodon,
  })
  const broken = createWorker({
    openCredentials: () => {
      throw new Error('the key is not there')
    },
  })
  const error = { code: 'credentials_unreadable', retryable: true }
  const id = await post({ accountIds: [await connectAccount('mastodon')], caption: 'before' })
  await broken.claim()
  await broken.idle()
  t.hasStrict(await readDelivery(id), { state: 'queued', error, history: [{ outcome: 'failed' }] })
  t.hasStrict((await ada.call('GET', '/accounts')).body.data, [{ attention: { code: 'credentials_unreadable' } }])

  mastodon.steps.push({ isAccepted: true, error: lostResponse() })
  const open = await post({ accountIds: [await connectAccount('mastodon')], caption: 'after' })
  await work()
  time.now = new Date(time.now.getTime() + MINUTE)
  await broken.claim()
  await broken.idle()
  t.hasStrict(await readDelivery(open), { state: 'queued', error, history: [{ outcome: 'unknown' }] })
  await work(HOUR)
  t.same(mastodon.posts, ['after', 'before'])
  t.hasStrict(await readDelivery(open), { state: 'published', history: [{ outcome: 'found' }] })
})

t.test('nothing more is sent to an account after it was disconnected', async (t) => {
  const bluesky = scriptedNetwork('exactly-once')
  const { ada, connectAccount, post, work, readDelivery } = await createDeliveryWorld(t, { bluesky })
  const account = await connectAccount('bluesky')
  const threadParts = { [account]: ['one', 'two'] }
  const id = await post({ accountIds: [account], postType: 'thread', threadParts })
  const disconnect = async () => t.equal((await ada.call('DELETE', `/accounts/${account}`)).status, 200)
  bluesky.steps.push({ isAccepted: true, beforeResponse: disconnect })
  await work()
  await work(MINUTE)
  t.same(bluesky.posts, ['one'])
  t.hasStrict(await readDelivery(id), { state: 'failed', externalId: 'n1', error: { code: 'no_access' } })
})

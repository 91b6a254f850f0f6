import t from 'tap'
import { createDeliveryWorld } from '../helpers/publisher.ts'
import { refusal, scriptedNetwork } from '../helpers/scripted-network.ts'

const MINUTE = 60_000
const HOUR = 3_600_000

t.test('the parts of a thread and the first comment are sent in order, each as an act of its own', async (t) => {
  const bluesky = scriptedNetwork('exactly-once')
  const { connectAccount, post, work, readDelivery } = await createDeliveryWorld(t, { bluesky })
  const account = await connectAccount('bluesky')
  const id = await post({
    accountIds: [account],
    postType: 'thread',
    threadParts: { [account]: ['one', 'two'] },
    firstComment: 'and',
  })
  await work()
  t.same(bluesky.posts, ['one', 'two', 'and'])
  const [one, two, and] = bluesky.acts
  t.hasStrict(two, { kind: 'post', parent: { id: 'n1' }, root: { id: 'n1' } })
  t.hasStrict(and, { kind: 'comment', parent: { id: 'n2' }, root: { id: 'n1' } })
  t.equal(new Set([one, two, and].map((act) => act?.token)).size, 3)
  t.ok(
    one!.startedAt < two!.startedAt && two!.startedAt < and!.startedAt,
    'networks derive names and order from the start time',
  )
  t.hasStrict(await readDelivery(id), { state: 'published', attempts: 3, acts: [{}, {}, { externalId: 'n3' }] })
})

t.test('a post that is not a thread sends its caption and ignores thread parts', async (t) => {
  const bluesky = scriptedNetwork('exactly-once')
  const { connectAccount, post, work } = await createDeliveryWorld(t, { bluesky })
  const account = await connectAccount('bluesky')
  await post({ accountIds: [account], caption: 'whole', threadParts: { [account]: ['one', 'two'] } })
  await work()
  t.same(bluesky.posts, ['whole'])
})

t.test('a retried thread continues with its first missing part', async (t) => {
  const bluesky = scriptedNetwork('exactly-once')
  const { ada, connectAccount, post, work, readDelivery, readStatus } = await createDeliveryWorld(t, { bluesky })
  const account = await connectAccount('bluesky')
  const threadParts = { [account]: ['one', 'two', 'three'] }
  const id = await post({ accountIds: [account], postType: 'thread', threadParts })
  bluesky.steps.push({ isAccepted: true }, { isAccepted: false, error: refusal() })
  await work()
  t.hasStrict(await readDelivery(id), { state: 'failed', externalId: 'n1', acts: [{ externalId: 'n1' }] })
  t.equal(await readStatus(id), 'published', 'its first part is published')
  t.equal((await ada.call('POST', `/posts/${id}/deliveries/${account}/retry`)).status, 202)
  await work(MINUTE)
  t.same(bluesky.posts, ['one', 'two', 'three'])
  t.hasStrict(await readDelivery(id), { state: 'published', error: null, acts: [{}, {}, {}] })
})

t.test('a failed first comment leaves its post published, and a retry sends the comment alone', async (t) => {
  const mastodon = scriptedNetwork()
  const { ada, connectAccount, post, work, readDelivery } = await createDeliveryWorld(t, { mastodon })
  const account = await connectAccount('mastodon')
  const id = await post({ accountIds: [account], caption: 'post', firstComment: 'comment' })
  mastodon.steps.push({ isAccepted: true }, { isAccepted: false, error: refusal() })
  await work()
  t.hasStrict(await readDelivery(id), { state: 'published', externalId: 'n1', error: { code: 'content_refused' } })
  const { publishedAt } = await readDelivery(id)
  t.equal((await ada.call('POST', `/posts/${id}/deliveries/${account}/retry`)).status, 202)
  await work(MINUTE)
  t.same(mastodon.posts, ['post', 'comment'])
  t.hasStrict(await readDelivery(id), { state: 'published', error: null, acts: [{}, {}], publishedAt })
  t.hasStrict(await ada.call('POST', `/posts/${id}/deliveries/${account}/retry`), {
    status: 409,
    body: { error: 'Delivery is published' },
  })
})

t.test('a part that is sent resets the count of failures', async (t) => {
  const bluesky = scriptedNetwork('exactly-once')
  const { connectAccount, post, work, readDelivery } = await createDeliveryWorld(t, { bluesky })
  const account = await connectAccount('bluesky')
  const threadParts = { [account]: ['one', 'two'] }
  const id = await post({ accountIds: [account], postType: 'thread', threadParts })
  const unreachable = { isAccepted: false, error: refusal('unreachable', { retryable: true }) }
  bluesky.steps.push(...Array(7).fill(unreachable), { isAccepted: true }, ...Array(7).fill(unreachable))
  for (let hour = 0; hour < 16; hour++) await work(HOUR)
  t.same(bluesky.posts, ['one', 'two'])
  t.hasStrict(await readDelivery(id), { state: 'published', attempts: 16, error: null })
})

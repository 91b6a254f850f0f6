import t, { type Test } from 'tap'
import { createDeliveryWorld } from '../helpers/publisher.ts'
import { lostResponse, refusal, type Step, scriptedNetwork } from '../helpers/scripted-network.ts'

const MINUTE = 60_000
const HOUR = 3_600_000
const accepted: Step = { isAccepted: true }

async function createScene(t: Test, comments: object[]) {
  const mastodon = scriptedNetwork()
  const world = await createDeliveryWorld(t, { mastodon })
  const account = await world.connectAccount('mastodon')
  const id = await world.post({ accountIds: [account], caption: 'post', comments })
  const read = () => world.readDelivery(id)
  const path = `/posts/${id}/deliveries/${account}`
  return { ...world, mastodon, account, id, read, path }
}

t.test('each comment follows after its pause, and the account is free in between', async (t) => {
  const comments = [{ text: 'one' }, { text: 'two', after: 'PT5M' }, { text: 'three', after: 'PT30H' }]
  const { mastodon, work, read, post, account } = await createScene(t, comments)
  await work()
  t.same(mastodon.posts, ['post', 'one'])
  t.hasStrict(await read(), { state: 'queued', error: null })
  await post({ accountIds: [account], caption: 'other' })
  await work(4 * MINUTE)
  t.same(mastodon.posts, ['post', 'one', 'other'])
  await work(2 * MINUTE)
  t.same(mastodon.posts, ['post', 'one', 'other', 'two'])
  await work(31 * HOUR)
  t.same(mastodon.posts.slice(4), ['three'], 'a pause makes no comment late')
  t.hasStrict(await read(), { state: 'published', error: null, acts: [{}, {}, {}, {}] })
  t.same(
    mastodon.acts.filter(({ kind }) => kind === 'comment').map(({ parent }) => parent!.id),
    ['n1', 'n1', 'n1'],
    'comments do not reply to each other',
  )
})

t.test('a comment whose response was lost is published once, and the next one follows it', async (t) => {
  const { mastodon, work, read } = await createScene(t, [{ text: 'one' }, { text: 'two', after: 'PT1M' }])
  mastodon.steps.push(accepted, { isAccepted: true, error: lostResponse() })
  await work()
  await work(HOUR)
  await work(HOUR)
  t.same(mastodon.posts, ['post', 'one', 'two'])
  t.hasStrict(await read(), { state: 'published', error: null, acts: [{}, {}, {}] })
})

t.test('after a comment that fails, the others wait for a retry, which repeats nothing', async (t) => {
  const { ada, mastodon, work, read, path } = await createScene(t, [
    { text: 'one' },
    { text: 'two' },
    { text: 'three' },
  ])
  mastodon.steps.push(accepted, accepted, { isAccepted: false, error: refusal() })
  await work()
  t.same(mastodon.posts, ['post', 'one'])
  t.hasStrict(await read(), { state: 'published', error: { code: 'content_refused' } })
  t.equal((await ada.call('POST', `${path}/retry`)).status, 202)
  await work(MINUTE)
  t.same(mastodon.posts, ['post', 'one', 'two', 'three'])
  t.hasStrict(await read(), { state: 'published', error: null, acts: [{}, {}, {}, {}] })
})

t.test('a delivery can be cancelled during a pause: its post stays published', async (t) => {
  const { ada, mastodon, work, read, path } = await createScene(t, [{ text: 'one', after: 'PT1H' }])
  await work()
  t.equal((await ada.call('POST', `${path}/cancel`)).status, 200)
  await work(2 * HOUR)
  t.same(mastodon.posts, ['post'])
  t.hasStrict(await read(), { state: 'published' })
})

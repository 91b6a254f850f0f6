import t, { type Test } from 'tap'
import { callsOf, createNetworkWorld, VIDEO } from '../helpers/network-world.ts'
import { jpeg } from '../helpers/upload.ts'
import { reset } from '../networks/fakes/network.ts'

const SECOND = 1_000
const PUBLISH = 'POST /v1.0/me/threads_publish'

async function createScene(t: Test) {
  const world = await createNetworkWorld(t)
  const account = await world.connect('threads')
  /** Works until the delivery is finished. */
  const finish = async (id: string) => {
    for (let round = 0; round < 60; round++) {
      await world.work(30 * SECOND)
      const delivery = await world.readDelivery(id)
      if (delivery.state !== 'queued') return delivery
    }
    throw new Error('the delivery does not end')
  }
  return { ...world, account, finish }
}

t.test('Threads: a text waits for its container without a worker, and has its address', async (t) => {
  const { account, post, work, readDelivery, threads } = await createScene(t)
  const fields = { replyControl: 'mentioned_only', topicTag: 'sea' }
  const accountOverrides = [{ accountId: account, captionOverride: 'Thar she blows', fields }]
  const id = await post({ accountIds: [account], accountOverrides })
  await work()
  t.hasStrict(await readDelivery(id), { state: 'queued', attempts: 0, error: null }, 'it waits')
  await work(2 * SECOND)
  t.same(threads.posts, [])
  await work(4 * SECOND)
  const [shown] = threads.posts
  t.hasStrict(shown, { text: 'Thar she blows', parameters: { reply_control: 'mentioned_only', topic_tag: 'sea' } })
  t.hasStrict(await readDelivery(id), {
    state: 'published',
    attempts: 1,
    externalId: shown!.id,
    externalUrl: shown!.permalink,
  })
})

t.test('Threads: files are fetched from the service by signed addresses', async (t) => {
  const { account, post, uploadFile, finish, threads } = await createScene(t)
  const mediaIds = [await uploadFile(await jpeg(40, 30, 1), 'A lighthouse'), await uploadFile(VIDEO)]
  const id = await post({ accountIds: [account], caption: 'Both', mediaIds })
  t.hasStrict(await finish(id), { state: 'published', attempts: 1 })
  t.same(threads.downloads, ['image/jpeg', 'video/mp4'])
  t.hasStrict(threads.posts, [{ media_type: 'CAROUSEL_ALBUM', text: 'Both' }])
})

t.test('Threads: a thread with a lost response continues under the post that was found', async (t) => {
  const { account, post, finish, threads } = await createScene(t)
  const id = await post({
    accountIds: [account],
    postType: 'thread',
    threadParts: { [account]: ['one', 'two', 'three'] },
    firstComment: 'and a comment',
  })
  threads.faults.push({ on: PUBLISH, after: true, instead: reset })
  threads.lag = 2
  t.hasStrict(await finish(id), { state: 'published', error: null })
  const [comment, three, two, one] = threads.posts
  t.same(
    [one, two, three, comment].map((each) => each?.text),
    ['one', 'two', 'three', 'and a comment'],
  )
  t.same(
    [two, three, comment].map((each) => each?.replied_to?.id),
    [one?.id, two?.id, three?.id],
  )
  t.equal(callsOf(threads, PUBLISH).length, 4)
})

t.test('Threads: a post that is live without an id counts as published, and its thread ends there', async (t) => {
  const { account, post, finish, threads, readStatus } = await createScene(t)
  threads.faults.push({ on: PUBLISH, after: true, instead: reset })
  threads.lag = 100
  const single = await post({ accountIds: [account], caption: 'alone' })
  t.hasStrict(await finish(single), { state: 'published', externalId: null, externalUrl: null, error: null })

  threads.faults.push({ on: PUBLISH, after: true, instead: reset })
  const thread = await post({
    accountIds: [account],
    postType: 'thread',
    threadParts: { [account]: ['one', 'two'] },
  })
  t.hasStrict(await finish(thread), { state: 'failed', error: { code: 'parent_unknown' } })
  t.equal(await readStatus(thread), 'published')
  t.same(
    threads.posts.map(({ text }) => text),
    ['one', 'alone'],
  )
})

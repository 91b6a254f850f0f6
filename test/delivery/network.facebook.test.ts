import t from 'tap'
import { callsOf, createNetworkWorld, VIDEO } from '../helpers/network-world.ts'
import { jpeg } from '../helpers/upload.ts'
import { PAGE_ID, throttled } from '../networks/fakes/facebook.ts'
import { graphError } from '../networks/fakes/facebook-errors.ts'
import { broken, reset } from '../networks/fakes/network.ts'

const SECOND = 1_000
const MINUTE = 60_000

const FEED = `POST /v26.0/${PAGE_ID}/feed`

t.test('Facebook: a post and its first comment are published, and the delivery has the address', async (t) => {
  const { connect, post, work, readDelivery, readStatus, facebook } = await createNetworkWorld(t)
  const account = await connect('facebook')
  const id = await post({
    accountIds: [account],
    caption: 'Thar she blows',
    firstComment: 'First!',
    accountOverrides: [{ accountId: account, fields: { link: 'https://example.com/whales' } }],
  })
  await work()
  t.equal(facebook.posts.length, 1)
  const [shown] = facebook.posts
  t.hasStrict(shown, { message: 'Thar she blows', link: 'https://example.com/whales' })
  t.hasStrict(facebook.comments, [{ parent: shown!.id, message: 'First!' }])
  t.hasStrict(await readDelivery(id), {
    state: 'published',
    attempts: 2,
    externalId: shown!.id,
    externalUrl: `https://www.facebook.com/${shown!.id.replace('_', '/posts/')}`,
    error: null,
  })
  t.equal(await readStatus(id), 'published')
})

t.test('Facebook: images are uploaded with their descriptions, and published together', async (t) => {
  const { connect, uploadFile, post, work, readDelivery, facebook } = await createNetworkWorld(t)
  const account = await connect('facebook')
  const mediaIds = [await uploadFile(await jpeg(40, 30, 1), 'A lighthouse'), await uploadFile(await jpeg(30, 40, 2))]
  const id = await post({ accountIds: [account], postType: 'carousel', caption: 'Two', mediaIds })
  facebook.faults.push({ on: FEED, instead: graphError(100, 'Unsupported', { error_subcode: 33 }) })
  await work()
  await work(MINUTE)
  t.hasStrict(await readDelivery(id), { state: 'published', externalId: facebook.posts[0]!.id })
  t.same(
    [...facebook.photos.values()].map(({ altText }) => altText),
    ['A lighthouse', undefined],
  )
  t.equal(facebook.photos.size, 2, 'the second attempt uses the uploads of the first')
  t.same(facebook.posts[0]!.photoIds, [...facebook.photos.keys()])
})

t.test('Facebook: a video gives its worker back during the upload and while it is processed', async (t) => {
  const { connect, uploadFile, post, work, readDelivery, facebook } = await createNetworkWorld(t)
  const account = await connect('facebook')
  facebook.video.processing = 2
  facebook.video.chunkBytes = 1_000
  const id = await post({
    accountIds: [account],
    postType: 'video',
    caption: 'Bars',
    mediaIds: [await uploadFile(VIDEO)],
  })
  await work()
  t.hasStrict(await readDelivery(id), { state: 'queued', attempts: 0 }, 'the id of the video is stored')
  t.equal(callsOf(facebook, '/videos').length, 1)
  await work(SECOND)
  t.hasStrict(await readDelivery(id), { state: 'queued', attempts: 1, publishedAt: null }, 'it is being processed')
  for (let looks = 0; looks < 3; looks++) await work(10 * SECOND)
  const [video] = facebook.video.videos.values()
  t.ok(video!.bytes.equals(VIDEO))
  t.hasStrict(await readDelivery(id), {
    state: 'published',
    attempts: 1,
    externalId: video!.id,
    externalUrl: `https://www.facebook.com/reel/${video!.id}/`,
  })

  facebook.video.processing = 'The video is too short'
  const bad = await post({ accountIds: [account], postType: 'video', mediaIds: [await uploadFile(VIDEO)] })
  await work()
  for (let looks = 0; looks < 3; looks++) await work(10 * SECOND)
  t.hasStrict(await readDelivery(bad), {
    state: 'failed',
    error: { code: 'content_refused', message: 'facebook.com: The video is too short', retryable: false },
  })
})

t.test('Facebook: a lost response is reconciled, also if the post shows late', async (t) => {
  const { connect, uploadFile, post, work, readDelivery, facebook } = await createNetworkWorld(t)
  const account = await connect('facebook')
  facebook.faults.push({ on: FEED, after: true, instead: broken(200) })
  const there = await post({ accountIds: [account], caption: 'there' })
  await work()
  await work(MINUTE)
  t.hasStrict(await readDelivery(there), { state: 'published', attempts: 1, externalId: facebook.posts[0]!.id })

  facebook.listedAfterMs = 2 * MINUTE
  facebook.faults.push({ on: FEED, after: true, instead: { status: 500, body: graphError(2, 'Try again').body } })
  const late = await post({
    accountIds: [account],
    caption: 'late',
    mediaIds: [await uploadFile(await jpeg(40, 30, 1))],
  })
  await work()
  await work(MINUTE)
  t.hasStrict(await readDelivery(late), { state: 'queued', attempts: 1 }, 'it does not show yet')
  await work(2 * MINUTE)
  t.hasStrict(await readDelivery(late), { state: 'published', attempts: 1, externalId: facebook.posts[0]!.id })

  facebook.listedAfterMs = 0
  facebook.faults.push({ on: FEED, instead: reset })
  const absent = await post({ accountIds: [account], mediaIds: [await uploadFile(await jpeg(40, 30, 2))] })
  await work()
  for (let looks = 0; looks < 3; looks++) await work(10 * MINUTE)
  t.hasStrict((await readDelivery(absent)).history, [{ outcome: 'absent' }, { outcome: 'published' }])

  facebook.faults.push({ on: FEED, instead: reset })
  const unknown = await post({ accountIds: [account], caption: 'unknown' })
  await work()
  for (let looks = 0; looks < 3; looks++) await work(10 * MINUTE)
  t.hasStrict(await readDelivery(unknown), { state: 'unconfirmed', attempts: 1, error: { code: 'unknown_outcome' } })
  t.equal(facebook.posts.length, 3, 'a text is never sent twice')
})

t.test('Facebook: a Page rests as long as Facebook asks, and a dead token needs its owner', async (t) => {
  const { connect, post, work, readDelivery, readAccount, facebook, time } = await createNetworkWorld(t)
  const account = await connect('facebook')
  facebook.faults.push({ on: FEED, instead: throttled(1_800) })
  const id = await post({ accountIds: [account], caption: 'patience' })
  await work()
  t.hasStrict(await readDelivery(id), { state: 'queued', error: { code: 'rate_limited' } })
  t.equal(Date.parse((await readDelivery(id)).nextAttemptAt!) - time.now.getTime(), 30 * MINUTE)
  await work(30 * MINUTE)
  t.hasStrict(await readDelivery(id), { state: 'published' })

  facebook.tokenSubcode = 460
  const dead = await post({ accountIds: [account], caption: 'dead' })
  await work()
  t.hasStrict(await readDelivery(dead), { state: 'failed', error: { code: 'unauthorized' } })
  t.hasStrict((await readAccount(account)).attention, { code: 'unauthorized' })
})

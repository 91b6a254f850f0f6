import t from 'tap'
import { callsOf, createNetworkWorld, VIDEO } from '../helpers/network-world.ts'
import { jpeg } from '../helpers/upload.ts'
import { PAGE_ID } from '../networks/fakes/facebook.ts'
import { graphError } from '../networks/fakes/facebook-errors.ts'

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

import t from 'tap'
import { fileOf } from '../helpers/adapter-calls.ts'
import { PAGE_ID, startFacebook } from '../networks/fakes/facebook.ts'
import { startInstagram } from '../networks/fakes/instagram.ts'
import { startMetrics } from '../networks/fakes/metrics.ts'
import { startThreads } from '../networks/fakes/threads.ts'
import { failure, requirePackage, useAxios } from './sdk.ts'

/** The SDK, calling `root` with the version that the fake serves. */
function initialize(accessToken: string, { root, version }: { root: string; version: string }) {
  const sdk = requirePackage('facebook-nodejs-business-sdk')
  // Getters without setters. The SDK has no option for either.
  Object.defineProperty(sdk.FacebookAdsApi, 'GRAPH', { get: () => root, configurable: true })
  Object.defineProperty(sdk.FacebookAdsApi, 'VERSION', { get: () => version, configurable: true })
  sdk.FacebookAdsApi.init(accessToken, 'en_US', false)
  return sdk
}

t.test("Meta's SDK posts on a Page, comments, and reads both", async (t) => {
  const fake = await startFacebook(t)
  useAxios(fake)
  const facebook = { root: 'https://graph.facebook.com', version: 'v24.0' }
  const { Page, PagePost } = initialize(fake.credentials.accessToken, facebook)
  const page = await new Page(PAGE_ID).get(['id', 'name', 'username'])
  t.strictSame([page.id, page.name, page.username], [PAGE_ID, 'Metricsaurus', 'metricsaurus'])

  const { id } = await page.createFeed([], { message: 'A lighthouse', link: 'https://example.com/' })
  t.equal(id, fake.posts[0]!.id)
  fake.photos.set('17', { isPublished: false, bytes: 1 })
  fake.photos.set('18', { isPublished: false, bytes: 1 })
  const attached_media = [{ media_fbid: '17' }, { media_fbid: '18' }]
  await page.createFeed([], { message: 'Two', attached_media })
  const feed = await page.getFeed(['id', 'message', 'created_time', 'permalink_url', 'attachments{target}'])
  t.strictSame(
    feed.map((post: { message: string }) => post.message),
    ['Two', 'A lighthouse'],
  )
  t.strictSame(
    feed[0].attachments.data[0].subattachments.data.map(({ target }: { target: { id: string } }) => target.id),
    ['17', '18'],
  )
  t.ok(Date.parse(feed[1].created_time) > 0)

  const post = new PagePost(id)
  const comment = await post.createComment([], { message: 'At dusk' })
  const comments = await post.getComments(['id', 'message', 'from'])
  t.strictSame([comments[0].id, comments[0].message, comments[0].from.id], [comment.id, 'At dusk', PAGE_ID])
  await post.update([], { message: 'A lighthouse at dawn' })
  t.equal((await page.getFeed(['message']))[1].message, 'A lighthouse at dawn')
  t.strictSame(await post.delete(), { success: true })
  t.match(await failure(post.delete()), { response: { code: 100, error_subcode: 33 } })

  fake.photos.set('19', { isPublished: false, bytes: 1 })
  await page.createPhotoStory([], { photo_id: '19' })
  const stories = await page.getStories(['post_id', 'status', 'media_type'])
  t.strictSame([stories[0].status, stories[0].media_type], ['PUBLISHED', 'photo'])
})

t.test("Meta's SDK gets the errors of the fake of Facebook", async (t) => {
  const fake = await startFacebook(t)
  useAxios(fake)
  const facebook = { root: 'https://graph.facebook.com', version: 'v24.0' }
  const { Page } = initialize(fake.credentials.accessToken, facebook)
  const page = new Page(PAGE_ID)
  t.match(await failure(page.createFeed([], {})), { status: 400, response: { code: 100, type: 'OAuthException' } })
  t.match(await failure(page.get(['colour'])), { response: { message: /nonexisting field/ } })
  fake.tokenSubcode = 463
  t.match(await failure(page.get(['id'])), { response: { code: 190, error_subcode: 463 } })
})

t.test("Meta's SDK publishes a container on Instagram, and reads what it has published", async (t) => {
  const fake = await startInstagram(t)
  useAxios(fake)
  const instagram = { root: 'https://graph.instagram.com', version: 'v26.0' }
  const { IGUser, IGMedia } = initialize(fake.credentials.accessToken, instagram)
  const user = new IGUser(fake.credentials.userId)
  const image_url = fileOf('image/jpeg').publicUrl()!.href
  const container = await user.createMedia([], { image_url })
  const read = async () => (await new IGMedia(container.id).get(['id', 'status_code'])).status_code
  t.strictSame([await read(), await read()], ['IN_PROGRESS', 'FINISHED'])
  const published = await user.createMediaPublish([], { creation_id: container.id })
  const media = await user.getMedia(['id', 'media_type', 'media_product_type', 'permalink', 'timestamp'])
  t.strictSame([media[0].id, media[0].media_type, media[0].media_product_type], [published.id, 'IMAGE', 'FEED'])
  t.match(await failure(user.createMediaPublish([], { creation_id: '1' })), {
    response: { code: 24, error_subcode: 2_207_008 },
  })
})

t.test("Meta's SDK publishes a text on Threads, for which it has no classes", async (t) => {
  const fake = await startThreads(t)
  useAxios(fake)
  const { FacebookAdsApi } = initialize(fake.credentials.accessToken, {
    root: 'https://graph.threads.net',
    version: 'v1.0',
  })
  const api = FacebookAdsApi.getDefaultApi()
  const user = await api.call('GET', ['me'], { fields: 'id,username' })
  t.equal(user.id, fake.credentials.userId)
  const container = await api.call('POST', ['me', 'threads'], { media_type: 'TEXT', text: 'A lighthouse' })
  const read = async () => (await api.call('GET', [container.id], { fields: 'id,status' })).status
  while ((await read()) !== 'FINISHED');
  const published = await api.call('POST', ['me', 'threads_publish'], { creation_id: container.id })
  const { data } = await api.call('GET', ['me', 'threads'], { fields: 'id,text' })
  t.strictSame(data, [{ id: published.id, text: 'A lighthouse' }])
  t.match(await api.call('DELETE', [published.id]), { success: true })
  t.match(await failure(api.call('DELETE', [published.id])), { response: { code: 24 } })
})

t.test("Meta's SDK reads the insights of the fakes, and their refusals", async (t) => {
  const numbers = await startMetrics(t)
  useAxios(numbers)
  for (const platform of ['facebook', 'instagram'] as const) {
    numbers.storeOf(platform).posts.set('17', { views: 5, post_media_view: 5 })
    numbers.storeOf(platform).retired.add('impressions')
  }
  const { IGMedia } = initialize('token', { root: 'https://graph.instagram.com', version: 'v26.0' })
  const [views] = await new IGMedia('17').getInsights([], { metric: 'views' })
  t.match([views.name, views.values], ['views', [{ value: 5 }]])
  t.match(await failure(new IGMedia('17').getInsights([], { metric: 'impressions' })), { response: { code: 100 } })
  t.match(await failure(new IGMedia('18').getInsights([], { metric: 'views' })), { response: { error_subcode: 33 } })
  const { PagePost } = initialize('token', { root: 'https://graph.facebook.com', version: 'v24.0' })
  const [pageViews] = await new PagePost('17').getInsights([], { metric: 'post_media_view' })
  t.match([pageViews.name, pageViews.values], ['post_media_view', [{ value: 5 }]])
})

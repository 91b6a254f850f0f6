import { Readable } from 'node:stream'
import t from 'tap'
import { youtubeAdapter } from '../../src/platforms/youtube/adapter.ts'
import { actOf, carryOut, fileOf, ioOf, publishedOf } from '../helpers/adapter-calls.ts'
import type { Teardown } from '../helpers/database.ts'
import { startMetrics } from '../networks/fakes/metrics.ts'
import { startYoutube } from '../networks/fakes/youtube.ts'
import { type Claim, typeErrors } from './claims.ts'
import { type Exchange, failure, fetchOf, requirePackage } from './sdk.ts'

const YOUTUBE = '@googleapis/youtube'
const TYPES = `import type { youtube_v3 } from '${YOUTUBE}'`

/** Google's client, whose calls reach the fake. It cannot resume an upload, so that it makes no videos here. */
async function start(t: Teardown) {
  const fake = await startYoutube(t)
  const exchanges: Exchange[] = []
  // The client calls youtube.googleapis.com. The pages of the API have the other address.
  const toFake: typeof fetch = (url, init) => fake.fetch(String(url).replace('//youtube.', '//www.'), init)
  const fetchImplementation = fetchOf({ fetch: toFake }, exchanges)
  const { auth, youtube } = requirePackage(YOUTUBE)
  const { clientId, clientSecret } = fake.google.app
  const user = new auth.OAuth2({ clientId, clientSecret, transporterOptions: { fetchImplementation } })
  user.setCredentials({ access_token: fake.credentials.accessToken })
  const client = youtube({ version: 'v3', auth: user, retry: false, fetchImplementation })
  const video = fake.addVideo({ snippet: { title: 'Dusk' }, status: { privacyStatus: 'public' } }, Buffer.from('1'))
  return { fake, client, video, exchanges }
}

t.test('the client of Google reads, comments, and sets a thumbnail and a playlist', async (t) => {
  const { fake, client, video, exchanges } = await start(t)
  const { id: videoId } = video
  const { data: channels } = await client.channels.list({ part: ['snippet,contentDetails'], mine: true })
  t.match(channels.items, [{ id: fake.channel.id, snippet: { title: fake.channel.title } }])
  const { data: videos } = await client.videos.list({ part: ['snippet,status,fileDetails'], id: [videoId] })
  t.match(videos.items, [{ id: videoId, status: { uploadStatus: 'processed' }, fileDetails: { fileSize: '1' } }])
  const { data: playlists } = await client.playlists.list({ part: ['snippet,status'], mine: true })
  const playlistId = playlists.items[0].id
  await client.videoCategories.list({ part: ['snippet'], regionCode: 'US' })

  const resourceId = { kind: 'youtube#video', videoId }
  const item = { part: ['snippet'], requestBody: { snippet: { playlistId, resourceId } } }
  const { data: added } = await client.playlistItems.insert(item)
  const { data: items } = await client.playlistItems.list({ part: ['id'], playlistId, videoId })
  t.match(items.items, [{ id: added.id }])
  const uploads = channels.items[0].contentDetails.relatedPlaylists.uploads
  const { data: uploaded } = await client.playlistItems.list({ part: ['contentDetails'], playlistId: uploads })
  t.match(uploaded.items, [{ contentDetails: { videoId } }])

  const topLevelComment = { snippet: { textOriginal: 'First!' } }
  const thread = { snippet: { channelId: fake.channel.id, videoId, topLevelComment } }
  const { data: comment } = await client.commentThreads.insert({ part: ['snippet'], requestBody: thread })
  const { data: threads } = await client.commentThreads.list({ part: ['snippet'], videoId, order: 'time' })
  t.match(threads.items, [{ id: comment.id, snippet: { topLevelComment: { snippet: { textOriginal: 'First!' } } } }])

  await client.thumbnails.set({ videoId, media: { mimeType: 'image/png', body: Readable.from([Buffer.from('PNG')]) } })
  t.equal(video.thumbnail?.bytes.toString(), 'PNG')

  const types: Record<string, string> = {
    '/youtube/v3/channels': 'Schema$ChannelListResponse',
    '/youtube/v3/videos': 'Schema$VideoListResponse',
    '/youtube/v3/playlists': 'Schema$PlaylistListResponse',
    '/youtube/v3/videoCategories': 'Schema$VideoCategoryListResponse',
    'GET /youtube/v3/playlistItems': 'Schema$PlaylistItemListResponse',
    'POST /youtube/v3/playlistItems': 'Schema$PlaylistItem',
    'GET /youtube/v3/commentThreads': 'Schema$CommentThreadListResponse',
    'POST /youtube/v3/commentThreads': 'Schema$CommentThread',
    '/upload/youtube/v3/thumbnails/set': 'Schema$ThumbnailSetResponse',
  }
  const claims = exchanges.map(
    ({ request: { method, path }, response }): Claim => ({
      type: `youtube_v3.${types[path] ?? types[`${method} ${path}`]}`,
      value: JSON.parse(response.text),
    }),
  )
  t.equal(claims.length, 10)
  t.equal(await typeErrors(t, TYPES, claims), '')
})

t.test('the client of Google edits and deletes a video and a comment', async (t) => {
  const { fake, client, video, exchanges } = await start(t)
  const { id } = video
  const snippet = { title: 'Dawn', description: 'Over the sea', categoryId: '22' }
  await client.videos.update({ part: ['snippet'], requestBody: { id, snippet } })
  const { data: shown } = await client.videos.list({ part: ['snippet'], id: [id] })
  t.match(shown.items, [{ id, snippet }])
  const textOf = (textOriginal: string) => ({ snippet: { textOriginal } })
  const thread = { snippet: { channelId: fake.channel.id, videoId: id, topLevelComment: textOf('First!') } }
  const { data: comment } = await client.commentThreads.insert({ part: ['snippet'], requestBody: thread })
  const requestBody = { id: comment.snippet.topLevelComment.id, ...textOf('Second!') }
  const { data: edited } = await client.comments.update({ part: ['snippet'], requestBody })
  t.match(edited, requestBody)
  const claims = exchanges
    .filter(({ request: { method } }) => method === 'PUT')
    .map(({ request: { path }, response }): Claim => {
      const type = path.endsWith('videos') ? 'Video' : 'Comment'
      return { type: `youtube_v3.Schema$${type}`, value: JSON.parse(response.text) }
    })
  t.equal(claims.length, 2)
  t.equal(await typeErrors(t, TYPES, claims), '')
  t.equal((await client.comments.delete({ id: requestBody.id })).status, 204)
  t.equal((await client.videos.delete({ id })).status, 204)
  t.match(await failure(client.videos.delete({ id })), { response: { status: 404 } })
  t.strictSame((await client.videos.list({ part: ['snippet'], id: [id] })).data.items, [])
})

t.test('the client of Google reads the counts of the fake, which are texts', async (t) => {
  const numbers = await startMetrics(t)
  numbers.storeOf('youtube').posts.set('dusk', { viewCount: 7, likeCount: 2, commentCount: 0 })
  const exchanges: Exchange[] = []
  const toFake: typeof fetch = (url, init) => numbers.fetch(String(url).replace('//youtube.', '//www.'), init)
  const { auth, youtube } = requirePackage(YOUTUBE)
  const user = new auth.OAuth2({ clientId: 'id', clientSecret: 'secret' })
  user.setCredentials({ access_token: 'token' })
  const fetchImplementation = fetchOf({ fetch: toFake }, exchanges)
  const client = youtube({ version: 'v3', auth: user, retry: false, fetchImplementation })
  const { data } = await client.videos.list({ part: ['statistics'], id: ['dusk,gone'] })
  t.match(data.items, [{ id: 'dusk', statistics: { viewCount: '7', likeCount: '2', commentCount: '0' } }])
  const claims = exchanges.map(
    ({ response }): Claim => ({ type: 'youtube_v3.Schema$VideoListResponse', value: JSON.parse(response.text) }),
  )
  t.equal(await typeErrors(t, TYPES, claims), '')
})

t.test('what the adapter sends has the types of the client of Google', async (t) => {
  const { fake, video } = await start(t)
  const fields = {
    privacyStatus: 'unlisted',
    tags: ['sea'],
    categoryId: '1',
    defaultLanguage: 'cy',
    containsSyntheticMedia: true,
    embeddable: false,
    license: 'creativeCommon',
  }
  const parent = { id: video.id, url: null }
  const io = { ...ioOf(fake), credentials: fake.credentials }
  for (const act of [
    { postType: 'video' as const, media: [fileOf('video/mp4')], fields },
    { kind: 'comment' as const, parent },
    { kind: 'playlist' as const, parent, text: [...fake.playlists.keys()][0]! },
  ]) {
    const sent = await carryOut(youtubeAdapter, actOf(act), io)
    if ('kind' in act && act.kind === 'playlist') continue
    await youtubeAdapter.edit!(actOf({ ...act, text: 'Another text' }), publishedOf(actOf(act), sent), io)
  }
  const types: Record<string, string> = {
    videos: 'Video',
    commentThreads: 'CommentThread',
    comments: 'Comment',
    playlistItems: 'PlaylistItem',
  }
  const claims = fake.calls
    .filter(({ method, path }) => method === 'POST' || (method === 'PUT' && !path.startsWith('/upload')))
    .map(({ path, body }): Claim => ({ type: `youtube_v3.Schema$${types[path.split('/').at(-1)!]}`, value: body }))
  t.equal(claims.length, 5)
  t.equal(await typeErrors(t, TYPES, claims), '')
  const wrong = { type: 'youtube_v3.Schema$Video', value: { snippet: { titel: 5 } } }
  t.match(await typeErrors(t, TYPES, [wrong]), /titel.+ does not exist/, 'another name is noticed')
})

t.test('the client of Google gets the errors of the fake', async (t) => {
  const { fake, client, video } = await start(t)
  const errorOf = (status: number, reason: string) => ({
    response: { status, data: { error: { errors: [{ reason }] } } },
  })
  const insert = (videoId: string, text = 'First!') => {
    const topLevelComment = { snippet: { textOriginal: text } }
    const snippet = { channelId: fake.channel.id, videoId, topLevelComment }
    return failure(client.commentThreads.insert({ part: ['snippet'], requestBody: { snippet } }))
  }
  t.match(await insert('unknown'), errorOf(404, 'videoNotFound'))
  t.match(await insert(video.id, ' '), errorOf(400, 'commentTextRequired'))
  video.status.selfDeclaredMadeForKids = true
  t.match(await insert(video.id), errorOf(403, 'commentsDisabled'))
  fake.grant.isRevoked = true
  t.match(await insert(video.id), errorOf(401, 'authError'))
})

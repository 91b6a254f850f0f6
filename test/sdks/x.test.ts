import t from 'tap'
import { xAdapter } from '../../src/platforms/x/adapter.ts'
import { xMetrics } from '../../src/platforms/x/metrics.ts'
import { actOf, clientOf, fileOf, ioOf, publishedOf } from '../helpers/adapter-calls.ts'
import { startMetrics } from '../networks/fakes/metrics.ts'
import { startX } from '../networks/fakes/x.ts'
import { type Claim, typeErrors } from './claims.ts'
import { type Exchange, failure, fetchOf, importPackage, useFetch } from './sdk.ts'

const { send, identify, reconcile, edit, remove } = clientOf(xAdapter)

const TYPES = "import type { Schemas } from '@xdevplatform/xdk'"

t.test('the SDK of X logs in, uploads, posts and reads the timeline of the fake', async (t) => {
  const fake = await startX(t)
  useFetch(fake)
  const { Client, OAuth2, generateCodeVerifier, generateCodeChallenge } = await importPackage('@xdevplatform/xdk')
  const { clientId, clientSecret, redirectUris, scopes } = fake.authorization.app
  const oauth = new OAuth2({ clientId, clientSecret, redirectUri: redirectUris[0], scope: scopes })
  const verifier = generateCodeVerifier()
  oauth.setPkceParameters(verifier, await generateCodeChallenge(verifier))
  const callback = fake.authorization.consent(new URL(await oauth.getAuthorizationUrl('the-state')))
  const first = await oauth.exchangeCode(callback.searchParams.get('code'), verifier)
  t.strictSame([first.token_type, first.expires_in, first.scope], ['bearer', 7200, scopes.join(' ')])
  const { access_token: accessToken } = await oauth.refreshToken(first.refresh_token)

  const client = new Client({ accessToken })
  const { data: me } = await client.users.getMe({ userFields: ['subscription_type'] })
  t.strictSame(me, { id: fake.user.id, name: 'Ada Lovelace', username: 'ada_l', subscriptionType: 'None' })

  const media = Buffer.from('an image').toString('base64')
  const { data: image } = await client.media.upload({ media, mediaCategory: 'tweet_image' })
  const { data: post } = await client.posts.create({ text: 'A lighthouse', media: { mediaIds: [image.id] } })
  const { data: reply } = await client.posts.create({ text: 'At dusk', reply: { inReplyToTweetId: post.id } })
  const { data: timeline, meta } = await client.users.getPosts(me.id, {
    maxResults: 5,
    postFields: ['created_at', 'conversation_id', 'attachments'],
  })
  t.equal(meta.resultCount, 2)
  t.match(timeline, [
    { id: reply.id, text: 'At dusk', conversationId: post.id },
    { id: post.id, text: /^A lighthouse https:\/\/t\.co\//, conversationId: post.id },
  ])
  t.strictSame(timeline[1].attachments.mediaKeys, [image.mediaKey])
})

t.test('the SDK of X uploads a video in chunks, and gets the errors of the fake', async (t) => {
  const fake = await startX(t)
  useFetch(fake)
  const { Client } = await importPackage('@xdevplatform/xdk')
  const client = new Client({ accessToken: fake.credentials.accessToken })
  const chunks = ['first', 'second']
  const initial = { mediaCategory: 'tweet_video', mediaType: 'video/mp4', totalBytes: chunks.join('').length }
  const { data: upload } = await client.media.initializeUpload(initial)
  for (const [segmentIndex, chunk] of chunks.entries()) {
    await client.media.appendUpload(upload.id, { media: Buffer.from(chunk).toString('base64'), segmentIndex })
  }
  const { data: finalized } = await client.media.finalizeUpload(upload.id)
  t.strictSame([finalized.size, finalized.processingInfo.state], [11, 'pending'])
  const { data: status } = await client.media.getUploadStatus(upload.id, { command: 'STATUS' })
  t.equal(status.processingInfo.state, 'succeeded')
  await client.posts.create({ text: 'A film', media: { mediaIds: [upload.id] } })
  t.equal(Buffer.concat(fake.media.find(upload.id).chunks).toString(), 'firstsecond')

  const copy = client.posts.create({ text: 'A film' })
  t.match(await failure(copy), { status: 403, data: { detail: /duplicate content/ } })
  fake.grant.isRevoked = true
  t.match(await failure(client.users.getMe()), { status: 401 })
})

/** Names that the guides of X have with "tweet", and its description with "post". */
const RENAMED: Record<string, string> = {
  edit_history_tweet_ids: 'edit_history_post_ids',
  referenced_tweets: 'referenced_posts',
  note_tweet: 'note_post',
  retweet_count: 'repost_count',
}

/** The SDK has the names of the description in another case. */
const renamed = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(renamed)
  // Real problems name either host, the description one.
  if (typeof value === 'string')
    return value.replace('https://api.twitter.com/2/problems/', 'https://api.x.com/2/problems/')
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).map(([name, inner]) => [
    (RENAMED[name] ?? name).replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()),
    renamed(inner),
  ])
  return Object.fromEntries(entries)
}

const claimOf = (type: string, value: unknown): Claim => ({ type: `Schemas.${type}`, value: renamed(value) })

/** The names of the SDK's types for the parameters and the response of an operation. */
const SCHEMAS: Record<string, { body?: string; reply: string }> = {
  'GET /2/users/me': { reply: 'GetUsersMeResponse' },
  'GET /2/users/:id/tweets': { reply: 'GetUsersPostsResponse' },
  'POST /2/tweets': { body: 'CreatePostsRequest', reply: 'CreatePostsResponse' },
  'GET /2/tweets': { reply: 'GetPostsByIdsResponse' },
  'DELETE /2/tweets/:id': { reply: 'DeletePostsResponse' },
  'POST /2/media/upload': { body: 'MediaUploadRequest', reply: 'MediaUploadResponse' },
  'GET /2/media/upload': { reply: 'GetMediaUploadStatusResponse' },
  'POST /2/media/upload/initialize': { body: 'InitializeMediaUploadRequest', reply: 'InitializeMediaUploadResponse' },
  'POST /2/media/upload/:id/append': { body: 'AppendMediaUploadRequest', reply: 'AppendMediaUploadResponse' },
  'POST /2/media/upload/:id/finalize': { reply: 'FinalizeMediaUploadResponse' },
  'POST /2/media/metadata': { body: 'CreateMediaMetadataRequest', reply: 'CreateMediaMetadataResponse' },
}

t.test('requests of the adapter and responses of the fake have the types of the SDK', async (t) => {
  const fake = await startX(t)
  const exchanges: Exchange[] = []
  const io = ioOf(fake, { fetch: fetchOf(fake, exchanges) })
  const act = actOf({ startedAt: new Date(Date.now() - 1000) })
  const image = fileOf('image/png', { altText: 'The sea' })
  await identify(fake.credentials, io)
  const first = await send(
    { ...act, media: [image], fields: { replySettings: 'following', madeWithAi: true } },
    fake.credentials,
    io,
  )
  await send({ ...act, text: 'Second', parent: first, root: first }, fake.credentials, io)
  await send({ ...act, text: 'A film', media: [fileOf('video/mp4')] }, fake.credentials, io)
  const poll = { options: ['a', 'b'], durationMinutes: 60 }
  await send({ ...act, text: 'A poll', fields: { poll } }, fake.credentials, io)
  await send(
    { ...act, text: 'A quote', fields: { quotePostId: first.id, paidPartnership: true } },
    fake.credentials,
    io,
  )
  await reconcile(act, fake.credentials, io)
  fake.user.subscription_type = 'Premium'
  const published = publishedOf(act, first)
  await edit({ ...act, text: 'A lighthouse at dawn' }, published, fake.credentials, io)
  await remove(published, fake.credentials, io)
  const numbers = await startMetrics(t)
  const names = xMetrics.offered.map(({ native }) => native)
  numbers.storeOf('x').posts.set(first.id, Object.fromEntries(names.map((name) => [name, 3])))
  const measured = [first.id, '1'].map((id) => ({ id, ref: null, url: null, postType: 'post' as const, ageMs: 0 }))
  const readIo = { ...io, credentials: fake.credentials, fetch: fetchOf(numbers, exchanges) }
  await xAdapter.readMetrics!(measured, new Set(names), readIo)

  const claims: Claim[] = []
  const seen = new Set<string>()
  for (const [index, { request, response }] of exchanges.entries()) {
    const operation = `${request.method} ${request.path.replace(/\d{5,}/, ':id')}`
    const { body, reply } = SCHEMAS[operation]!
    seen.add(operation)
    t.ok(response.status < 300, operation)
    claims.push(claimOf(reply, JSON.parse(response.text)))
    if (body) claims.push(claimOf(body, bodyOf(fake.calls[index]!)))
  }
  t.strictSame([...seen].sort(), Object.keys(SCHEMAS).sort(), 'every operation is called')
  t.equal(await typeErrors(t, TYPES, claims), '')

  const wrong = claimOf('CreatePostsResponse', { data: { id: 1, text: 'a' } })
  t.match(await typeErrors(t, TYPES, [wrong]), /'number' is not assignable to type 'string'/, 'another type is noticed')
  const unknown = claimOf('CreatePostsRequest', { text: 'a', colour: 'red' })
  t.match(await typeErrors(t, TYPES, [unknown]), /colour.* does not exist/, 'another name is noticed')
})

/** A body as the description has it: files as text, the numbers of forms as numbers. */
function bodyOf({ body, files }: Awaited<ReturnType<typeof startX>>['calls'][number]): unknown {
  const { segment_index: index, ...others } = (body ?? {}) as Record<string, unknown>
  const media = files.map(({ field }) => [field, 'bytes'])
  return { ...others, ...Object.fromEntries(media), ...(index !== undefined && { segment_index: Number(index) }) }
}

import t from 'tap'
import { facebookAdapter } from '../../src/platforms/facebook/adapter.ts'
import { actOf, clientOf, fileOf, ioOf, rejection } from '../helpers/adapter-calls.ts'
import { APP_ID, PAGE_ID, startFacebook } from '../networks/fakes/facebook.ts'
import type { FakeNetwork } from '../networks/fakes/network.ts'

const { send, identify } = clientOf(facebookAdapter)

const FEED = `POST /v26.0/${PAGE_ID}/feed`
const PHOTOS = `POST /v26.0/${PAGE_ID}/photos`

const bodiesOf = ({ calls }: FakeNetwork, name: string) =>
  calls.filter(({ method, path }) => `${method} ${path}` === name).map(({ body }) => body)

t.test('an account is its Page, and rests together with the accounts of its app', async (t) => {
  const fake = await startFacebook(t)
  t.same(await identify(fake.credentials, ioOf(fake)), {
    externalId: PAGE_ID,
    username: 'metricsaurus',
    displayName: 'Metricsaurus',
    limitKey: `facebook app ${APP_ID}`,
  })
})

t.test('credentials that no Page has are refused without a call', async (t) => {
  const fake = await startFacebook(t)
  for (const credentials of [
    {},
    { ...fake.credentials, pageId: '1/feed' },
    { ...fake.credentials, accessToken: '' },
    { ...fake.credentials, accessToken: 'a\r\nb' },
    { ...fake.credentials, accessToken: 'ä' },
  ]) {
    t.has(await rejection(identify(credentials, ioOf(fake))), { code: 'unauthorized', needsAttention: true })
  }
  t.same(fake.log, [])
})

t.test('a text becomes a post by one call, whose response has the address', async (t) => {
  const fake = await startFacebook(t)
  const sent = await send(actOf(), fake.credentials, ioOf(fake))
  t.same(fake.log, ['intend', FEED])
  t.same(bodiesOf(fake, FEED), [{ message: 'A lighthouse at dusk' }])
  t.equal(fake.calls[0]?.headers.authorization, `Bearer ${fake.credentials.accessToken}`)
  const [, number] = fake.posts[0]!.id.split('_')
  t.same(sent, { id: fake.posts[0]!.id, url: `https://www.facebook.com/${PAGE_ID}/posts/${number}` })
})

t.test('the fields of a post are its parameters', async (t) => {
  const fake = await startFacebook(t)
  const io = ioOf(fake)
  const link = 'https://example.com/a?b=c&d'
  await send(actOf({ fields: { link } }), fake.credentials, io)
  await send(actOf({ text: '', fields: { link } }), fake.credentials, io)
  await send(actOf({ fields: { textFormatPresetId: '106018623298955' } }), fake.credentials, io)
  t.same(bodiesOf(fake, FEED), [
    { message: 'A lighthouse at dusk', link },
    { link },
    { message: 'A lighthouse at dusk', text_format_preset_id: '106018623298955' },
  ])
})

t.test('a post that Facebook would schedule itself is refused before anything is sent', async (t) => {
  const fake = await startFacebook(t)
  const error = await rejection(send(actOf({ fields: { scheduledNative: true } }), fake.credentials, ioOf(fake)))
  t.has(error, { code: 'content_refused', maybeSent: false, retryable: false })
  t.same(fake.log, [])
})

t.test('images are uploaded unpublished, and one call publishes them in their order', async (t) => {
  const fake = await startFacebook(t)
  const media = [
    fileOf('image/jpeg', { content: 'one', altText: 'A lighthouse' }),
    fileOf('image/png', { content: 'two' }),
    fileOf('image/gif', { content: 'three' }),
  ]
  for (const postType of ['post', 'carousel'] as const) {
    fake.log.length = 0
    fake.calls.length = 0
    const act = actOf({ postType, media, fields: { altText: 'The sea', link: 'https://example.com' } })
    const sent = await send(act, fake.credentials, ioOf(fake))
    t.same(fake.log, [PHOTOS, PHOTOS, PHOTOS, 'intend', FEED])
    t.same(bodiesOf(fake, PHOTOS), [
      { published: 'false', alt_text_custom: 'A lighthouse' },
      { published: 'false', alt_text_custom: 'The sea' },
      { published: 'false', alt_text_custom: 'The sea' },
    ])
    t.same(
      fake.calls.flatMap(({ files }) => files).map(({ name, type, bytes }) => [name, type, bytes.toString()]),
      [
        ['image-1.jpg', 'image/jpeg', 'one'],
        ['image-2.png', 'image/png', 'two'],
        ['gif-3.gif', 'image/gif', 'three'],
      ],
    )
    const [post] = fake.posts
    t.equal(post!.id, sent.id)
    t.same(post!.photoIds, [...fake.photos.keys()].slice(-3))
    t.equal(post!.link, undefined, 'Facebook takes either a link or media')
  }
})

t.test('a single image is uploaded unpublished too, so that its id is known before the call', async (t) => {
  const fake = await startFacebook(t)
  await send(actOf({ text: '', media: [fileOf('image/png')] }), fake.credentials, ioOf(fake))
  t.same(fake.log, [PHOTOS, 'intend', FEED])
  const [id] = fake.photos.keys()
  t.same(bodiesOf(fake, FEED), [{ 'attached_media[0]': `{"media_fbid":"${id}"}` }])
})

t.test('uploaded images are used by later attempts, for half a day', async (t) => {
  const fake = await startFacebook(t)
  const io = { ...ioOf(fake), credentials: fake.credentials }
  const act = actOf({ media: [fileOf('image/png')] })
  const prepared = await facebookAdapter.prepare(act, io, null)
  if (!('ready' in prepared)) throw new Error('prepare waits')
  const { ready } = prepared
  t.same(await facebookAdapter.prepare(act, io, ready), { ready: { ...ready, isRepeated: true } })
  t.equal(fake.photos.size, 1)
  await facebookAdapter.prepare(act, io, { ...ready, uploadedAt: Date.now() - 13 * 3_600_000 })
  t.equal(fake.photos.size, 2)
})

t.test('the first comment is made by the Page under its post', async (t) => {
  const fake = await startFacebook(t)
  const io = ioOf(fake)
  const post = await send(actOf(), fake.credentials, io)
  const comment = actOf({ kind: 'comment', text: 'First!', parent: post, root: post })
  t.same(await send(comment, fake.credentials, io), { id: fake.comments[0]!.id, url: null })
  t.match(fake.comments, [{ parent: post.id, message: 'First!', from: { id: PAGE_ID } }])
  t.equal(fake.log.at(-1), `POST /v26.0/${post.id}/comments`)
})

import t from 'tap'
import { threadsAdapter } from '../../src/platforms/threads/adapter.ts'
import { actOf, clientOf, fileOf, ioOf, rejection } from '../helpers/adapter-calls.ts'
import type { Teardown } from '../helpers/database.ts'
import type { FakeNetwork } from '../networks/fakes/network.ts'
import { startThreads } from '../networks/fakes/threads.ts'

const { send, identify } = clientOf(threadsAdapter)

async function start(t: Teardown) {
  const fake = await startThreads(t)
  return { fake, credentials: fake.credentials }
}

/** The parameters of new containers, without the token. */
const created = ({ calls }: FakeNetwork) =>
  calls
    .filter(({ method, path }) => method === 'POST' && path === '/v1.0/me/threads')
    .map(({ body }) => {
      const { access_token: _, ...parameters } = body as Record<string, string>
      return parameters
    })

t.test('an account is named by its id, which is a text', async (t) => {
  const { fake, credentials } = await start(t)
  t.same(await identify(credentials, ioOf(fake)), {
    externalId: '17841405793187218',
    username: 'alice',
    displayName: 'Alice A.',
  })
  fake.faults.push({
    on: 'GET /v1.0/me',
    instead: { status: 200, body: '{"id":17841405793187218,"username":"alice"}' },
  })
  t.has(await identify(credentials, ioOf(fake)), { externalId: '17841405793187218' }, 'a number is not rounded')
})

t.test('a text is published when its container is finished', async (t) => {
  const { fake, credentials } = await start(t)
  fake.next.looks = 2
  const pauses: number[] = []
  const sent = await send(actOf(), credentials, ioOf(fake, { pause: (ms) => pauses.push(ms) }))
  const id = `GET /v1.0/${/\d+/.exec(fake.log[1]!.split('/').at(-1)!)}`
  t.same(fake.log, [
    'POST /v1.0/me/threads',
    id,
    id,
    id,
    'intend',
    'POST /v1.0/me/threads_publish',
    `GET /v1.0/${sent.id}`,
  ])
  t.same(pauses, [2_000, 4_000, 8_000])
  t.same(created(fake), [{ media_type: 'TEXT', text: 'A lighthouse at dusk' }])
  t.same(sent, { id: fake.posts[0]?.id, url: fake.posts[0]?.permalink })
})

t.test('the fields of the post are the parameters of the container', async (t) => {
  const { fake, credentials } = await start(t)
  const common = { replyControl: 'mentioned_only', topicTag: 'sea', quotePostId: '18000000000000007' }
  const link = { ...common, linkAttachment: 'https://example.com/', countryCodes: ['DE', 'FR'] }
  await send(actOf({ fields: link }), credentials, ioOf(fake))
  await send(actOf({ fields: { poll: { options: ['Yes', 'No'] } } }), credentials, ioOf(fake))
  await send(actOf({ fields: { textAttachment: 'Long '.repeat(200) } }), credentials, ioOf(fake))
  const text = { media_type: 'TEXT', text: 'A lighthouse at dusk' }
  t.same(created(fake), [
    {
      ...text,
      reply_control: 'mentioned_only',
      topic_tag: 'sea',
      quote_post_id: '18000000000000007',
      link_attachment: 'https://example.com/',
      allowlisted_country_codes: 'DE,FR',
    },
    { ...text, poll_attachment: '{"option_a":"Yes","option_b":"No"}' },
    { ...text, text_attachment: JSON.stringify({ plaintext: 'Long '.repeat(200) }) },
  ])
  for (const fields of [{ poll: { options: ['Yes'] } }, { poll: 'Yes' }, { poll: { options: [...'abcde'] } }]) {
    const before = fake.calls.length
    t.has(await rejection(send(actOf({ fields }), credentials, ioOf(fake))), {
      code: 'content_refused',
      retryable: false,
    })
    t.equal(fake.calls.length, before, 'nothing was sent')
  }
})

t.test('files are fetched by Threads, from addresses of this service', async (t) => {
  const { fake, credentials } = await start(t)
  const image = fileOf('image/jpeg', { altText: 'A lighthouse' })
  const video = fileOf('video/mp4')
  await send(actOf({ media: [image] }), credentials, ioOf(fake))
  await send(actOf({ media: [video], text: '', fields: { altText: 'The sea' } }), credentials, ioOf(fake))
  await send(actOf({ media: [image, video, image], fields: { topicTag: 'sea' } }), credentials, ioOf(fake))
  t.match(created(fake), [
    { media_type: 'IMAGE', image_url: /^https:\/\/postroom/, alt_text: 'A lighthouse', text: 'A lighthouse at dusk' },
    { media_type: 'VIDEO', video_url: /^https:\/\/postroom/, alt_text: 'The sea' },
    { media_type: 'IMAGE', is_carousel_item: 'true', image_url: /^https:\/\/postroom/, alt_text: 'A lighthouse' },
    { media_type: 'VIDEO', is_carousel_item: 'true', video_url: /^https:\/\/postroom/ },
    { media_type: 'IMAGE', is_carousel_item: 'true' },
    { media_type: 'CAROUSEL', children: /^\d+,\d+,\d+$/, text: 'A lighthouse at dusk', topic_tag: 'sea' },
  ])
  t.same(
    fake.posts.map(({ media_type }) => media_type),
    ['CAROUSEL_ALBUM', 'VIDEO', 'IMAGE'],
  )
  t.same(fake.downloads, ['image/jpeg', 'video/mp4', 'image/jpeg', 'video/mp4', 'image/jpeg'])
})

t.test('without a public address, a post with files is refused before anything is sent', async (t) => {
  const { fake, credentials } = await start(t)
  const media = [fileOf('image/jpeg'), fileOf('image/jpeg', { publicUrl: () => null })]
  const error = await rejection(send(actOf({ media }), credentials, ioOf(fake)))
  t.has(error, { code: 'public_url_missing', maybeSent: false, retryable: false })
  t.match(error.message, /^Threads fetches files from Postroom, .*: its operator has to set one/)
  t.same(fake.log, [])
  await send(actOf(), credentials, ioOf(fake))
  t.equal(fake.posts.length, 1, 'a text needs none')
})

t.test('the parts of a thread reply to each other, and a comment to its post', async (t) => {
  const { fake, credentials } = await start(t)
  const fields = {
    replyControl: 'everyone',
    topicTag: 'sea',
    countryCodes: ['DE'],
    linkAttachment: 'https://a.example/',
  }
  const root = await send(actOf({ text: 'One', fields }), credentials, ioOf(fake))
  const second = await send(actOf({ text: 'Two', fields, parent: root, root }), credentials, ioOf(fake))
  await send(actOf({ kind: 'comment', text: 'First!', fields, parent: second, root }), credentials, ioOf(fake))
  const reply = { media_type: 'TEXT', allowlisted_country_codes: 'DE' }
  t.same(created(fake).slice(1), [
    { ...reply, text: 'Two', reply_to_id: root.id },
    { ...reply, text: 'First!', reply_to_id: second.id },
  ])
})

t.test('a post that Threads does not show yet is replied to later', async (t) => {
  const { fake, credentials } = await start(t)
  const root = await send(actOf(), credentials, ioOf(fake))
  fake.lag = 3
  const second = await send(actOf({ text: 'Two', parent: root, root }), credentials, ioOf(fake))
  await send(actOf({ text: 'Three', parent: second, root }), credentials, ioOf(fake))
  t.equal(fake.posts[0]?.replied_to?.id, second.id)
  const missing = { id: '17999999999999999', url: null }
  const error = await rejection(send(actOf({ text: 'Four', parent: missing, root }), credentials, ioOf(fake)))
  t.has(error, { code: 'timeout', maybeSent: false, retryable: true })
})

t.test('a post without a permalink is published without an address', async (t) => {
  const { fake, credentials } = await start(t)
  fake.hasPermalinks = false
  t.same(await send(actOf(), credentials, ioOf(fake)), { id: fake.posts[0]?.id, url: null })
})

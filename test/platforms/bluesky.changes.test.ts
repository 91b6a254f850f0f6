import t from 'tap'
import { blueskyAdapter } from '../../src/platforms/bluesky/adapter.ts'
import { actOf, clientOf, fileOf, ioOf, publishedOf, rejection } from '../helpers/adapter-calls.ts'
import { startBluesky } from '../networks/fakes/bluesky.ts'

const { send, remove, edit } = clientOf(blueskyAdapter)

t.test('an edit replaces the text and its links, and nothing else of the record', async (t) => {
  const fake = await startBluesky(t)
  const fields = { langs: ['en'], tags: ['sea'], labels: ['nudity'] }
  const act = actOf({
    text: 'See https://example.com/a',
    fields,
    media: [fileOf('image/png', { altText: 'The sea.' })],
  })
  const published = publishedOf(act, await send(act, fake.credentials, ioOf(fake)))
  const [before] = [...fake.posts.values()] as { facets: unknown; text: string }[]
  const sent = await edit({ ...act, text: '#Dawn' }, published, fake.credentials, ioOf(fake))
  t.equal(sent.id, published.id)
  t.not(sent.ref, published.ref, 'replies need the new hash of the record')
  const [after] = [...fake.posts.values()] as { facets: { features: object[] }[]; text: string }[]
  const { text, facets, ...others } = after!
  t.equal(text, '#Dawn')
  t.match(facets, [{ features: [{ $type: 'app.bsky.richtext.facet#tag', tag: 'Dawn' }] }])
  t.hasStrict(before, others)
  await edit({ ...act, text: 'Dawn' }, { ...published, ...sent }, fake.credentials, ioOf(fake))
  t.notOk('facets' in ([...fake.posts.values()][0] as object), 'a text without links has no facets')
})

t.test('an edit that meets another one is refused, and changes nothing', async (t) => {
  const fake = await startBluesky(t)
  const act = actOf()
  const published = publishedOf(act, await send(act, fake.credentials, ioOf(fake)))
  const [[rkey, record] = []] = [...fake.posts]
  const put = 'POST /xrpc/com.atproto.repo.putRecord'
  fake.faults.push({ on: put, instead: { status: 400, body: { error: 'InvalidSwap', message: 'Record was at bafy' } } })
  const error = await rejection(edit({ ...act, text: 'Dawn' }, published, fake.credentials, ioOf(fake)))
  t.has(error, { code: 'content_refused', maybeSent: false })
  t.same(fake.posts.get(rkey!), record)
})

t.test('the threadgate of a post is removed after it', async (t) => {
  const fake = await startBluesky(t)
  const act = actOf({ fields: { replyGate: 'nobody' } })
  const published = publishedOf(act, await send(act, fake.credentials, ioOf(fake)))
  t.same([fake.posts.size, fake.gates.size], [1, 1])
  await remove(published, fake.credentials, ioOf(fake))
  t.same([fake.posts.size, fake.gates.size], [0, 0])
})

t.test('a post in another repository is not taken for a removed one', async (t) => {
  const fake = await startBluesky(t)
  const url = 'https://bsky.app/profile/bob.example.com/post/3k'
  const published = publishedOf(actOf(), { id: 'at://did:plc:another/app.bsky.feed.post/3k', url })
  for (const change of [
    remove(published, fake.credentials, ioOf(fake)),
    edit(actOf(), published, fake.credentials, ioOf(fake)),
  ]) {
    t.has(await rejection(change), { message: 'bsky.social: this post belongs to another account', retryable: false })
  }
})

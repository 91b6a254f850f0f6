import { createReadStream, readFileSync } from 'node:fs'
import t from 'tap'
import { recordKey } from '../../src/platforms/bluesky/record.ts'
import type { Sent } from '../../src/platforms/contract/adapter.ts'
import { act, failureOf, fileOf, identify, io, network, picture, send } from './bluesky-adapter.ts'
import { blobOf, onlyRecord, POSTS, records, startPds } from './pds.ts'

const pds = await startPds(t)
const accountFor = (handle: string) => pds.createAccount(handle)

t.test('identify returns the account of the credentials', async (t) => {
  const account = await accountFor('ines-1.test')
  const read = async () => {
    const { facts, ...profile } = await identify(account.credentials, { ...network, fetch: pds.fetch })
    t.match(facts, { server: { host: new URL(pds.url).host, software: 'PDS' }, readOn: /^\d{4}-\d\d-\d\d$/ })
    return profile
  }
  const known = { externalId: account.did, username: 'ines-1.test' }
  t.same(await read(), { ...known, displayName: null })

  const record = { $type: 'app.bsky.actor.profile', displayName: 'Inês' }
  const body = { repo: account.did, collection: 'app.bsky.actor.profile', rkey: 'self', record }
  await account.call('com.atproto.repo.putRecord', { body })
  t.same(await read(), { ...known, displayName: 'Inês' })
})

t.test('a post is stored with its links, mentions and hashtags', async (t) => {
  const account = await accountFor('mara-1.test')
  const friend = await accountFor('friend-1.test')
  const text = 'Grüße 👋 @friend-1.test und @nobody.test: https://example.com/a?b=c, example.org #Tag'
  const post = act({ text, fields: { langs: ['de'], labels: ['nudity'], tags: ['büro'] } })
  const sent = await send(post, account.credentials, io())

  const record = await onlyRecord(account)
  t.same([sent.id, sent.ref], [record.uri, record.cid])
  t.equal(sent.url, `https://bsky.app/profile/${account.did}/post/${recordKey(post)}`)
  const { facets, ...value } = record.value
  t.same(value, {
    $type: POSTS,
    text,
    createdAt: post.startedAt.toISOString(),
    langs: ['de'],
    labels: { $type: 'com.atproto.label.defs#selfLabels', values: [{ val: 'nudity' }] },
    tags: ['büro'],
  })
  const bytes = Buffer.from(text)
  const marked = facets?.map(({ index, features: [{ $type, ...feature }] }) => [
    bytes.subarray(index.byteStart, index.byteEnd).toString(),
    feature,
  ])
  t.same(marked, [
    ['@friend-1.test', { did: friend.did }],
    ['https://example.com/a?b=c', { uri: 'https://example.com/a?b=c' }],
    ['example.org', { uri: 'https://example.org' }],
    ['#Tag', { tag: 'Tag' }],
  ])
})

t.test('a text that resembles a link does not prevent publishing', async (t) => {
  const account = await accountFor('slashes-1.test')
  await send(act({ text: 'https:///a https://? example.org' }), account.credentials, io())
  const { facets } = (await onlyRecord(account)).value
  t.hasStrict(facets, [{ index: { byteStart: 21, byteEnd: 32 }, features: [{ uri: 'https://example.org' }] }])
})

t.test('images are stored unchanged, with their alternative texts and aspect ratios', async (t) => {
  const account = await accountFor('pictures-1.test')
  const [wide, tall] = [await picture(40, 20), await picture(20, 60)]
  const media = [
    fileOf(wide, { width: 40, height: 20, altText: 'A wide image' }),
    fileOf(tall, { width: 20, height: 60 }),
  ]
  await send(act({ text: '', media, fields: { altText: 'For all images' } }), account.credentials, io())
  const { value } = await onlyRecord(account)
  t.equal(value.embed.$type, 'app.bsky.embed.images')
  t.hasStrict(value.embed.images, [
    {
      alt: 'A wide image',
      aspectRatio: { width: 40, height: 20 },
      image: { mimeType: 'image/png', size: wide.length },
    },
    { alt: 'For all images', aspectRatio: { width: 20, height: 60 } },
  ])
  t.same(await blobOf(account, value.embed.images[0].image), { type: 'image/png', bytes: wide })
  t.same(await blobOf(account, value.embed.images[1].image), { type: 'image/png', bytes: tall })
})

t.test('a post with more than four images has a gallery', async (t) => {
  const account = await accountFor('gallery-1.test')
  const media = []
  for (const width of [11, 12, 13, 14, 15]) media.push(fileOf(await picture(width, 10), { width, height: 10 }))
  await send(act({ media }), account.credentials, io())
  const { value } = await onlyRecord(account)
  t.equal(value.embed.$type, 'app.bsky.embed.gallery')
  t.same(
    value.embed.items.map(({ aspectRatio }) => aspectRatio.width),
    [11, 12, 13, 14, 15],
  )
})

t.test('a server outside of the public network gets a video unchanged', async (t) => {
  const account = await accountFor('video-1.test')
  const path = 'test/samples/plain.mp4'
  const bytes = readFileSync(path)
  const open = async () => createReadStream(path)
  const video = fileOf(bytes, { kind: 'video', mimeType: 'video/mp4', width: 64, height: 48, altText: 'Bars', open })
  await send(act({ media: [video] }), account.credentials, io())
  const { value } = await onlyRecord(account)
  t.hasStrict(value.embed, { $type: 'app.bsky.embed.video', alt: 'Bars', aspectRatio: { width: 64, height: 48 } })
  t.same(await blobOf(account, value.embed.video), { type: 'video/mp4', bytes })

  const failure = await failureOf(
    send(act({ media: [{ ...video, mimeType: 'video/webm' }] }), account.credentials, io()),
  )
  t.hasStrict(failure, { code: 'content_refused', maybeSent: false })
  t.equal((await records(account)).length, 1)
})

t.test('a link card contains its link', async (t) => {
  const account = await accountFor('card-1.test')
  const fields = { linkCard: 'https://www.example.com/news/' }
  await send(act({ fields }), account.credentials, io())
  const { value } = await onlyRecord(account)
  t.same(value.embed.external, { uri: fields.linkCard, title: 'example.com/news', description: '' })
})

t.test('the parts of a thread and the first comment reply to each other', async (t) => {
  const account = await accountFor('thread-1.test')
  const { credentials } = account
  const first = await send(act({ text: 'One', fields: { tags: ['a'] } }), credentials, io())
  const second = await send(
    act({ text: 'Two', parent: first, root: first, fields: { tags: ['a'] } }),
    credentials,
    io(),
  )
  const third = await send(act({ text: 'Three', parent: second, root: first }), credentials, io())
  const comment = await send(act({ kind: 'comment', text: 'And', parent: third, root: first }), credentials, io())

  const refOf = ({ id, ref }: Sent) => ({ uri: id, cid: ref })
  const found = await records(account)
  t.same(
    found.map(({ value }) => [value.text, value.reply, value.tags]),
    [
      ['One', undefined, ['a']],
      ['Two', { root: refOf(first), parent: refOf(first) }, undefined],
      ['Three', { root: refOf(first), parent: refOf(second) }, undefined],
      ['And', { root: refOf(first), parent: refOf(third) }, undefined],
    ],
  )
  t.same(refOf(comment), { uri: found[3]?.uri, cid: found[3]?.cid })
})

t.test('an act that is sent twice makes one record', async (t) => {
  const account = await accountFor('twice-1.test')
  const post = act({ text: 'Once #only', media: [fileOf(await picture(8, 8))] })
  const first = await send(post, account.credentials, io())
  const revision = await account.call('com.atproto.sync.getLatestCommit', { params: { did: account.did } })
  t.same(await send(post, account.credentials, io()), first)
  t.equal((await records(account)).length, 1)
  const after = await account.call('com.atproto.sync.getLatestCommit', { params: { did: account.did } })
  t.same(after, revision, 'the second call wrote nothing')
})

t.test('a second attempt changes nothing, even if its record would differ', async (t) => {
  const account = await accountFor('mention-1.test')
  const post = act({ text: 'Hello @late-1.test' })
  const first = await send(post, account.credentials, io())
  await accountFor('late-1.test')
  t.same(await send(post, account.credentials, io()), first)
  t.equal((await onlyRecord(account)).value.facets, undefined)
})

t.test('two concurrent attempts make one record', async (t) => {
  const account = await accountFor('race-1.test')
  const post = act()
  const [one, other] = await Promise.all([1, 2].map(() => send(post, account.credentials, io())))
  t.same(one, other)
  t.equal((await records(account)).length, 1)
})

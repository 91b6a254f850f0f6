import { randomUUID } from 'node:crypto'
import { createReadStream, readFileSync } from 'node:fs'
import { Readable } from 'node:stream'
import sharp from 'sharp'
import t from 'tap'
import type { Act, PublishedFile, Sent } from '../../src/platforms/adapter.ts'
import { blueskyAdapter } from '../../src/platforms/bluesky/adapter.ts'
import { recordKey } from '../../src/platforms/bluesky/record.ts'
import { PublishError } from '../../src/platforms/publish-error.ts'
import { actOf, type ContractIo, clientOf } from '../helpers/adapter-contract.ts'
import { blobOf, onlyRecord, POSTS, records, startPds } from './pds.ts'

const { identify, send, reconcile } = clientOf(blueskyAdapter)
const pds = await startPds(t)

const signal = new AbortController().signal
const network = { fetch, signal }

const io = (options: Partial<ContractIo> = {}): ContractIo => ({ ...network, ...options })

const act = (options: Partial<Act> = {}): Act => actOf({ text: 'Hello', token: randomUUID(), ...options })

const accountFor = (handle: string) => pds.createAccount(handle)

function fileOf(bytes: Buffer, options: Partial<PublishedFile> = {}): PublishedFile {
  return {
    id: randomUUID(),
    kind: 'image',
    mimeType: 'image/png',
    bytes: bytes.length,
    width: null,
    height: null,
    durationSeconds: null,
    altText: null,
    open: async () => Readable.from([bytes.subarray(0, 10), bytes.subarray(10)]),
    ...options,
  }
}

const picture = (width: number, height: number) =>
  sharp({ create: { width, height, channels: 3, background: { r: width % 256, g: height % 256, b: 90 } } })
    .png()
    .toBuffer()

/** A `fetch` that records methods such as `com.atproto.repo.putRecord`, and may respond or fail in place of the PDS. */
function recordingFetch(
  respond: (method: string, pass: () => Promise<Response>) => Promise<Response> = (_, pass) => pass(),
) {
  const methods: string[] = []
  const recording: typeof fetch = (url, init) => {
    const method = new URL(String(url)).pathname.replace('/xrpc/', '')
    methods.push(method)
    return respond(method, () => fetch(url, init))
  }
  return { fetch: recording, methods }
}

/** A `fetch` that carries out every call, and loses the response to one method. */
const losingResponse = (lost: string) =>
  recordingFetch(async (method, pass) => {
    const response = await pass()
    if (method !== lost) return response
    throw new TypeError('fetch failed', { cause: Object.assign(new Error('reset'), { code: 'ECONNRESET' }) })
  })

async function failureOf(work: Promise<unknown>): Promise<PublishError> {
  try {
    await work
  } catch (error) {
    if (error instanceof PublishError) return error
    throw error
  }
  throw new Error('Expected a PublishError, but the call succeeded')
}

t.test('identify returns the account of the credentials', async (t) => {
  const account = await accountFor('ines-1.test')
  const known = { externalId: account.did, username: 'ines-1.test' }
  t.same(await identify(account.credentials, network), { ...known, displayName: null })

  const record = { $type: 'app.bsky.actor.profile', displayName: 'Inês' }
  const body = { repo: account.did, collection: 'app.bsky.actor.profile', rkey: 'self', record }
  await account.call('com.atproto.repo.putRecord', { body })
  t.same(await identify(account.credentials, network), { ...known, displayName: 'Inês' })
})

t.test('identify says why credentials are invalid, without the password', async (t) => {
  const { credentials } = await accountFor('wrong-1.test')
  const unauthorized = { code: 'unauthorized', needsAttention: true, retryable: false, maybeSent: false }
  const password = await failureOf(identify({ ...credentials, password: 'abcd-efgh' }, network))
  t.match(password, { ...unauthorized, message: /Invalid identifier or password/ })
  t.notMatch(password.message, 'abcd-efgh')
  t.hasStrict(await failureOf(identify({ ...credentials, identifier: '' }, network)), unauthorized)
  t.hasStrict(await failureOf(identify({ ...credentials, service: 'bsky.social' }, network)), unauthorized)
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

t.test('reconcile finds a record whose response was lost', async (t) => {
  const account = await accountFor('lost-1.test')
  const post = act({ text: 'Did it arrive?' })
  t.equal(await reconcile(post, account.credentials, network), 'absent')
  const failure = await failureOf(send(post, account.credentials, io(losingResponse('com.atproto.repo.putRecord'))))
  t.hasStrict(failure, { code: 'disconnected', maybeSent: true, retryable: true })
  const found = await reconcile(post, account.credentials, network)
  t.same(found, await send(post, account.credentials, io()))
  t.equal((await records(account)).length, 1)
})

t.test('a call that fails before the intent was certainly not sent', async (t) => {
  const account = await accountFor('early-1.test')
  const post = act({ media: [fileOf(await picture(8, 8))] })
  let intended = 0
  const intend = async () => {
    intended++
  }
  for (const lost of ['com.atproto.server.createSession', 'com.atproto.repo.uploadBlob']) {
    const failure = await failureOf(send(post, account.credentials, io({ ...losingResponse(lost), intend })))
    t.hasStrict(failure, { maybeSent: false, retryable: true }, lost)
  }
  t.equal(intended, 0)
  t.equal((await records(account)).length, 0)
})

t.test('a text that is too long fails with the message of the network', async (t) => {
  const account = await accountFor('long-1.test')
  const failure = await failureOf(send(act({ text: 'e\u0301'.repeat(301) }), account.credentials, io()))
  t.hasStrict(failure, { code: 'content_refused', maybeSent: false, retryable: false, needsAttention: false })
  t.match(failure.message, /^localhost:\d+: .*grapheme too big \(maximum 300, got 301\)/)
  t.equal((await records(account)).length, 0)
  await send(act({ text: 'e\u0301'.repeat(300) }), account.credentials, io())
})

t.test('a threadgate that failed is created by reconcile', async (t) => {
  const account = await accountFor('gate-1.test')
  const post = act({ fields: { replyGate: 'mentioned' } })
  const isGate = (init?: RequestInit) => String(init?.body).includes('app.bsky.feed.threadgate')
  const failing: typeof fetch = async (url, init) =>
    isGate(init) ? Response.json({ error: 'InternalServerError' }, { status: 500 }) : fetch(url, init)
  t.hasStrict(await failureOf(send(post, account.credentials, io({ fetch: failing }))), {
    maybeSent: true,
    retryable: true,
  })
  t.equal((await records(account, 'app.bsky.feed.threadgate')).length, 0)

  const sent = await reconcile(post, account.credentials, network)
  t.same(await send(post, account.credentials, io()), sent)
  const gate = await onlyRecord(account, 'app.bsky.feed.threadgate')
  const { uri } = await onlyRecord(account)
  t.same(gate.value.allow, [{ $type: 'app.bsky.feed.threadgate#mentionRule' }])
  t.equal(gate.value.post, uri)
  t.equal(gate.uri.split('/').pop(), uri.split('/').pop())
})

t.test('posts share a session, and an expired one is replaced', async (t) => {
  const account = await accountFor('session-1.test')
  const { fetch: recording, methods } = recordingFetch()
  const sessions = () => methods.filter((method) => method === 'com.atproto.server.createSession').length
  await send(act(), account.credentials, io({ fetch: recording }))
  await send(act(), account.credentials, io({ fetch: recording }))
  t.equal(sessions(), 1)

  let expired = 0
  let intended = 0
  const fetchWithExpired: typeof fetch = async (url, init) => {
    const headers = new Headers(init?.headers)
    if (expired === 0) headers.set('authorization', `Bearer ${account.expiredToken()}`)
    const response = await recording(url, { ...init, headers })
    if ((await response.clone().text()).includes('ExpiredToken')) expired++
    return response
  }
  const intend = async () => {
    intended++
  }
  await send(act(), account.credentials, io({ fetch: fetchWithExpired, intend }))
  t.same([expired, sessions(), intended], [1, 2, 1])
  t.equal((await records(account)).length, 3)
})

t.test('a revoked password needs attention when its session has expired', async (t) => {
  const account = await accountFor('revoked-1.test')
  await send(act(), account.credentials, io())
  await account.call('com.atproto.server.revokeAppPassword', { body: { name: 'postroom' } })
  const fetchWithExpired: typeof fetch = (url, init) => {
    const headers = new Headers(init?.headers)
    if (headers.has('authorization')) headers.set('authorization', `Bearer ${account.expiredToken()}`)
    return fetch(url, { ...init, headers })
  }
  const failure = await failureOf(send(act(), account.credentials, io({ fetch: fetchWithExpired })))
  t.hasStrict(failure, { code: 'unauthorized', needsAttention: true, maybeSent: false, retryable: false })
  t.hasStrict(await failureOf(identify(account.credentials, network)), { code: 'unauthorized', needsAttention: true })
  t.equal((await records(account)).length, 1)
})

t.test('a server that is down is unreachable', async (t) => {
  const down = await startPds(t)
  const account = await down.createAccount('down-1.test')
  await send(act(), account.credentials, io())
  await down.kill()
  const failure = await failureOf(send(act(), account.credentials, io()))
  // The call may use a connection that is still open, and break.
  t.match(failure, { code: /^(?:unreachable|disconnected)$/, maybeSent: false, retryable: true })
})

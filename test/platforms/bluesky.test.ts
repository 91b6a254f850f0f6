import { AppBskyEmbedGallery, jsonToLex } from '@atproto/api'
import t from 'tap'
import { blueskyAdapter } from '../../src/platforms/bluesky/adapter.ts'
import { recordKey } from '../../src/platforms/bluesky/record.ts'
import type { PublishedFile } from '../../src/platforms/contract/adapter.ts'
import {
  act,
  attempt,
  DID,
  failureOf,
  io,
  METHODS,
  newCredentials,
  type Responder,
  refuse,
  SERVER,
  scriptedBluesky,
  send,
  video,
} from '../helpers/scripted-bluesky.ts'

t.test('posts go to the server that holds the account', async (t) => {
  const didDoc = { service: [{ id: '#atproto_pds', type: 'AtprotoPersonalDataServer', serviceEndpoint: SERVER }] }
  const session = { did: DID, handle: 'alice.example', accessJwt: 'the session', didDoc }
  const network = scriptedBluesky({ [METHODS.session]: () => Response.json(session) })
  const { identifier, password } = newCredentials()
  const sent = await send(act(), { identifier: identifier!, password: password! }, io(network.fetch))
  t.equal(network.only(METHODS.session).origin, 'https://bsky.social')
  t.match(network.only(METHODS.put), { origin: SERVER, authorization: 'Bearer the session' })
  t.same(sent, { id: `at://${DID}/app.bsky.feed.post/3k`, ref: 'bafy', url: `https://bsky.app/profile/${DID}/post/3k` })
})

t.test('a post waits five minutes for its mentions; a handle that does not exist remains text', async (t) => {
  const text = 'Hello @bob.example.com'
  const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000)
  const temporary: Responder[] = [
    refuse(502, 'UpstreamFailure'),
    refuse(404, 'NotFound'),
    () => Response.json({ did: 'bob' }),
  ]
  for (const response of temporary) {
    const responders = { [METHODS.resolve]: response }
    const failure = await attempt(responders, { text, startedAt: minutesAgo(4) })
    t.has(failure, { maybeSent: false, retryable: true, needsAttention: false })
    const network = scriptedBluesky(responders)
    await send(act({ text, startedAt: minutesAgo(6) }), newCredentials(), io(network.fetch))
    t.equal(network.only(METHODS.put).json.record.facets, undefined, 'later it is published without the mention')
  }
  for (const response of [refuse(429, 'RateLimitExceeded'), refuse(401, 'AuthMissing')]) {
    const failure = await attempt({ [METHODS.resolve]: response }, { text, startedAt: minutesAgo(6) })
    t.match(
      failure,
      { code: /rate_limited|unauthorized/, maybeSent: false },
      'an error that concerns more than the mention',
    )
  }
  const never = [refuse(400, 'HandleNotFound'), refuse(400, 'InvalidRequest'), refuse(400, 'InvalidHandle')]
  for (const response of never) {
    const network = scriptedBluesky({ [METHODS.resolve]: response })
    await send(act({ text }), newCredentials(), io(network.fetch))
    t.equal(network.only(METHODS.put).json.record.facets, undefined)
  }
})

t.test('an existing post is never replaced by the record of a later attempt', async (t) => {
  const existing = { uri: `at://${DID}/app.bsky.feed.post/3k`, cid: 'bafyfirst' }
  const network = scriptedBluesky({
    [METHODS.resolve]: refuse(502, 'UpstreamFailure'),
    [METHODS.put]: refuse(400, 'InvalidSwap'),
    [METHODS.get]: () => Response.json({ ...existing, value: {} }),
  })
  const late = act({ text: 'Hello @bob.example.com', startedAt: new Date(Date.now() - 600_000) })
  t.match(await send(late, newCredentials(), io(network.fetch)), { id: existing.uri, ref: existing.cid })
  t.equal(network.only(METHODS.put).json.swapRecord, null, 'an existing record is not replaced')
})

t.test('an image of unknown size becomes a square in a gallery', async (t) => {
  const blob = {
    $type: 'blob',
    ref: { $link: 'bafkreibme22gw2h7y2h7tg2fhqotaqjucnbc24deqo72b6mkl2egezxhvy' },
    mimeType: 'image/png',
    size: 6,
  }
  const network = scriptedBluesky({ [METHODS.blob]: () => Response.json({ blob }) })
  const image = (options: Partial<PublishedFile>) => video({ kind: 'image', mimeType: 'image/png', ...options })
  const media = [image({ width: null, height: null }), ...Array(4).fill(image({}))]
  await send(act({ media }), newCredentials(), io(network.fetch))
  const { embed } = network.only(METHODS.put).json.record as { embed: { items: object[] } }
  t.match(embed.items, [{ aspectRatio: { width: 1, height: 1 } }, { aspectRatio: { width: 4, height: 3 } }])
  const { success } = AppBskyEmbedGallery.validateMain(jsonToLex(embed))
  t.ok(success, 'valid by the lexicon')
})

t.test('an invalid link remains text', async (t) => {
  const network = scriptedBluesky({})
  await send(act({ text: 'https:///a https://? example.org' }), newCredentials(), io(network.fetch))
  const facets = { length: 1, 0: { features: [{ uri: 'https://example.org' }] } }
  t.match(network.only(METHODS.put).json.record, { facets })
})

t.test('a later attempt writes the prepared record, and prepares a new one after half an hour', async (t) => {
  const network = scriptedBluesky({})
  const credentials = newCredentials()
  const post = act({ text: 'Hello' })
  const through = { ...io(network.fetch), credentials }
  const first = await blueskyAdapter.prepare(post, through, null)
  if (!('ready' in first)) throw new Error('a text is ready immediately')
  t.same(await blueskyAdapter.prepare(post, through, first.ready), first)
  const old = { ...first.ready, preparedAt: Date.now() - 1_800_001 }
  const again = await blueskyAdapter.prepare(post, through, old)
  t.not(('ready' in again && again.ready.preparedAt) || 0, old.preparedAt)
})

t.test('nothing is uploaded while a mention cannot be resolved', async (t) => {
  const network = scriptedBluesky({ [METHODS.resolve]: refuse(502, 'UpstreamFailure') })
  const media = [video({ kind: 'image', mimeType: 'image/png' })]
  const failure = await failureOf(
    send(act({ text: 'Hello @bob.example.com', media }), newCredentials(), io(network.fetch)),
  )
  t.has(failure, { code: 'server_error', maybeSent: false, retryable: true })
  t.same(
    network.calls.map(({ method }) => method),
    [METHODS.session, METHODS.resolve],
  )
})

t.test('a link card has the title, description and picture of the caller', async (t) => {
  const png = Buffer.from('a png')
  const blob = { $type: 'blob', ref: { $link: 'bafk' }, mimeType: 'image/png', size: png.length }
  const network = scriptedBluesky({ [METHODS.blob]: () => Response.json({ blob }) })
  const fetched: string[] = []
  const fetch: typeof globalThis.fetch = async (input, init) => {
    if (!String(input).startsWith('https://images.example/')) return network.fetch(input, init)
    fetched.push(String(input))
    return new Response(png, { headers: { 'content-type': 'image/png', 'content-length': String(png.length) } })
  }
  const fields = {
    linkCard: 'https://example.com/a',
    linkCardTitle: 'Dusk',
    linkCardDescription: 'At the pier.',
    linkCardImageUrl: 'https://images.example/a.png',
  }
  await send(act({ fields }), newCredentials(), io(fetch))
  t.match(network.only(METHODS.put).json.record.embed, {
    $type: 'app.bsky.embed.external',
    external: { uri: fields.linkCard, title: 'Dusk', description: 'At the pier.', thumb: blob },
  })
  t.strictSame(fetched, [fields.linkCardImageUrl])
})

t.test('media and a link card exclude each other', async (t) => {
  const failure = await attempt({}, { media: [video()], fields: { linkCard: 'https://example.com' } })
  t.has(failure, { code: 'content_refused', maybeSent: false })
})

t.test("a record key is a TID of the act's start, the same for each attempt and of no other act", async (t) => {
  const startedAt = new Date('2026-03-01T12:00:00.123Z')
  const keys = Array.from({ length: 100 }, (_, index) => recordKey({ startedAt, token: `token ${index}` }))
  t.equal(recordKey({ startedAt: new Date(startedAt), token: 'token 0' }), keys[0])
  t.equal(new Set(keys).size, 100)

  // https://atproto.com/specs/tid
  const letters = '234567abcdefghijklmnopqrstuvwxyz'
  t.ok(keys.every((key) => /^[234567abcdefghij][234567abcdefghijklmnopqrstuvwxyz]{12}$/.test(key)))
  const milliseconds = keys.map((key) => {
    const bits = [...key].reduce((sum, letter) => sum * 32n + BigInt(letters.indexOf(letter)), 0n)
    return Number((bits >> 10n) / 1000n)
  })
  t.ok(milliseconds.every((moment) => moment === startedAt.getTime()))

  const later = recordKey({ startedAt: new Date(startedAt.getTime() + 1), token: 'token 0' })
  t.ok(keys.every((key) => key < later))
})

import { Readable } from 'node:stream'
import t from 'tap'
import type { Act, PublishedFile } from '../../src/platforms/contract/adapter.ts'
import type { Containers } from '../../src/platforms/families/meta/containers.ts'
import { instagramAdapter } from '../../src/platforms/instagram/adapter.ts'
import { instagramOAuth } from '../../src/platforms/instagram/connect.ts'
import { actOf, clientOf, fileOf, ioOf, rejection } from '../helpers/adapter-calls.ts'
import { jpeg } from '../helpers/upload.ts'
import { type FakeInstagram, startInstagram } from '../networks/fakes/instagram.ts'
import { errorBody } from '../networks/fakes/meta.ts'
import { type Fault, reset } from '../networks/fakes/network.ts'

const { send } = clientOf(instagramAdapter)
const PUBLISH = 'POST /v26.0/17841405793187218/media_publish'
const CREATE = 'POST /v26.0/17841405793187218/media'
const DAY = 86_400_000

const io = (fake: FakeInstagram) => ({ ...ioOf(fake), credentials: fake.credentials })
const imageOf = (act: Partial<Act> = {}, file: Partial<PublishedFile> = {}) =>
  actOf({ media: [fileOf('image/jpeg', file)], ...act })

async function prepare(fake: FakeInstagram, act: Act, saved: Containers | null = null): Promise<Containers> {
  const prepared = await instagramAdapter.prepare(act, io(fake), saved)
  return 'ready' in prepared ? prepared.ready : prepare(fake, act, prepared.later.state)
}

/** Publishes with a fault, and then reconciles until no more time is needed. */
async function publishWith(fake: FakeInstagram, act: Act, fault: Omit<Fault, 'on'>, on = PUBLISH) {
  const ready = await prepare(fake, act)
  fake.faults.push({ on, ...fault })
  const error = await rejection(Promise.resolve(instagramAdapter.publish(act, io(fake), ready)))
  t.has(error, { maybeSent: true, retryable: true })
  const pauses: number[] = []
  for (let state = ready; ; ) {
    const found = await instagramAdapter.reconcile!(act, io(fake), state)
    if (typeof found !== 'object' || !('processing' in found)) return { found, pauses, ready }
    state = found.processing.state
    pauses.push(found.processing.afterMs)
  }
}

t.test('a post whose response was lost is found by its container, and is there once', async (t) => {
  const lost: Omit<Fault, 'on'>[] = [
    { after: true, instead: reset },
    { after: true, instead: { status: 500, body: errorBody(2, 'Service temporarily unavailable') } },
    // https://github.com/gitroomhq/postiz-app/pull/1681
    { after: true, instead: { status: 400, body: errorBody(4, 'Action is blocked', { subcode: 2207051 }) } },
    { after: true, instead: { status: 400, body: errorBody(-1, 'Server error', { subcode: 2207001 }) } },
  ]
  for (const fault of lost) {
    const fake = await startInstagram(t)
    fake.lag = 1
    const { found, pauses } = await publishWith(fake, imageOf(), fault)
    t.same([found, pauses], [{ id: fake.posts[0]?.id, url: fake.posts[0]?.permalink, isOut: true }, [5_000]])
    t.equal(fake.posts.length, 1)
  }
})

t.test('a container that reads as finished after it was published is not published again', async (t) => {
  const fake = await startInstagram(t)
  fake.statusLag = 3
  const { found, pauses } = await publishWith(fake, imageOf(), { after: true, instead: reset })
  t.same(
    [found, pauses],
    [{ id: fake.posts[0]?.id, url: fake.posts[0]?.permalink, isOut: true }, [10_000, 30_000, 120_000]],
  )
  t.equal(fake.posts.length, 1)
})

t.test('a container that reads as finished for longer is not published again once the post shows', async (t) => {
  for (const publishesAgain of [true, false]) {
    const fake = await startInstagram(t)
    Object.assign(fake, { statusLag: 10, publishesAgain })
    const { found } = await publishWith(fake, imageOf(), { after: true, instead: reset })
    t.equal(found, 'unknown')
    await send(imageOf(), fake.credentials, ioOf(fake))
    const two = await publishWith(fake, imageOf(), { instead: reset })
    t.equal(two.found, 'unknown', 'two posts with this text')
  }
})

t.test('where a container is refused the second time, the delivery ends with a clear error', async (t) => {
  const fake = await startInstagram(t)
  fake.publishesAgain = false
  const ready = await prepare(fake, imageOf())
  await instagramAdapter.publish(imageOf(), io(fake), ready)
  const error = await rejection(Promise.resolve(instagramAdapter.publish(imageOf(), io(fake), ready)))
  t.has(error, { code: 'content_refused', message: 'graph.instagram.com: The container was published before' })
  t.equal(fake.posts.length, 1)
})

t.test('a post is found whether or not Instagram keeps the white space of captions', async (t) => {
  for (const tidiesCaptions of [false, true]) {
    const fake = await startInstagram(t)
    fake.tidiesCaptions = tidiesCaptions
    const act = imageOf({ text: 'A lighthouse \n\n\n  at dusk ' })
    const { found } = await publishWith(fake, act, { after: true, instead: reset })
    t.match(found, { id: fake.posts[0]?.id })
  }
})

t.test('the limit of containers of a day is a limit with either code', async (t) => {
  for (const containerLimitCode of [4, 9] as const) {
    const fake = await startInstagram(t)
    Object.assign(fake, { containersLeft: 1, containerLimitCode })
    await send(imageOf(), fake.credentials, ioOf(fake))
    const error = await rejection(send(imageOf(), fake.credentials, ioOf(fake)))
    t.has(error, { code: 'rate_limited', maybeSent: false, retryable: true })
  }
})

t.test('Instagram refuses images whose aspect ratio it does not take, but in stories', async (t) => {
  const fake = await startInstagram(t)
  for (const [width, height, isTaken] of [
    [400, 500, true],
    [382, 200, true],
    [390, 200, false],
    [390, 500, false],
  ] as const) {
    const bytes = await jpeg(width, height)
    const file = { open: async () => Readable.from([bytes]) }
    const sending = send(imageOf({}, file), fake.credentials, ioOf(fake))
    if (isTaken) await sending
    else t.has(await rejection(sending), { code: 'content_refused', maybeSent: false, retryable: false })
    await send(imageOf({ postType: 'story' }, file), fake.credentials, ioOf(fake))
  }
  t.equal(fake.posts.length, 6)
})

t.test('reels, carousels and stories are found by what lists show of them', async (t) => {
  const acts = [
    actOf({ media: [fileOf('video/mp4')], postType: 'reel', text: '' }),
    actOf({ media: [fileOf('image/jpeg'), fileOf('video/mp4')] }),
    imageOf({ postType: 'story' }),
  ]
  for (const act of acts) {
    const fake = await startInstagram(t)
    await send(imageOf({ text: 'Another' }), fake.credentials, ioOf(fake))
    t.match((await publishWith(fake, act, { after: true, instead: reset })).found, { id: fake.posts[0]?.id })
  }
  const fake = await startInstagram(t)
  await send(imageOf({ postType: 'story' }), fake.credentials, ioOf(fake))
  const { found } = await publishWith(fake, imageOf({ postType: 'story' }), { after: true, instead: reset })
  t.same(found, { id: null, url: null }, 'one of two stories')
})

t.test('a call that never arrived is repeated with the same container, after it was watched', async (t) => {
  const fake = await startInstagram(t)
  const { found, pauses, ready } = await publishWith(fake, imageOf(), { instead: reset })
  t.same([found, pauses], ['absent', [10_000, 30_000, 120_000, 600_000]])
  const again = await prepare(fake, imageOf(), ready)
  t.equal(again.id, ready.id)
  await instagramAdapter.publish(imageOf(), io(fake), again)
  t.equal(fake.posts.length, 1)
})

t.test('a comment whose response was lost is found by its author and text', async (t) => {
  const fake = await startInstagram(t)
  const root = await send(imageOf(), fake.credentials, ioOf(fake))
  const on = `POST /v26.0/${root.id}/comments`
  const act = actOf({ kind: 'comment', text: 'First!', parent: root, root })
  fake.comment(root.id, 'First!', 'bob')
  fake.lag = 2
  const there = await publishWith(fake, act, { after: true, instead: reset }, on)
  t.same([there.found, there.pauses], [{ id: fake.comments[0]?.id, url: null }, [5_000, 20_000]])
  fake.comments.shift()
  const absent = await publishWith(fake, act, { instead: reset }, on)
  t.same([absent.found, absent.pauses], ['absent', [5_000, 20_000, 60_000, 300_000]])
})

t.test('errors are read by code and subcode', async (t) => {
  const fake = await startInstagram(t)
  const failing = (on: string, code: number, subcode: number | undefined, status = 400) => {
    fake.faults.push({ on, instead: { status, body: errorBody(code, 'No', { subcode }) } })
    return rejection(send(imageOf(), fake.credentials, ioOf(fake)))
  }
  const cases: [string, number, number | undefined, object][] = [
    [CREATE, 36003, 2207009, { code: 'content_refused', retryable: false }],
    [CREATE, 9004, 2207052, { code: 'server_error', retryable: true, maybeSent: false }],
    [CREATE, -2, 2207003, { code: 'server_error', retryable: true, maybeSent: false }],
    [CREATE, 17, undefined, { code: 'rate_limited', retryable: true }],
    [CREATE, 10, undefined, { code: 'unauthorized', needsAttention: true }],
    [CREATE, 190, 460, { code: 'unauthorized', needsAttention: true }],
    [CREATE, 25, 2207050, { code: 'account_restricted', retryable: true, needsAttention: true }],
    [PUBLISH, 9007, 2207027, { code: 'server_error', retryable: true, maybeSent: false }],
    [PUBLISH, 24, 2207008, { code: 'timeout', retryable: true, maybeSent: false }],
    [PUBLISH, 9, 2207042, { code: 'rate_limited', retryAfterMs: 3 * 3_600_000, maybeSent: false }],
  ]
  for (const [on, code, subcode, expected] of cases) {
    t.has(await failing(on, code, subcode), expected, `${code}/${subcode}`)
  }
  t.equal(fake.posts.length, 0)
})

t.test('a failed container is refused with its reason, or replaced', async (t) => {
  const fake = await startInstagram(t)
  fake.next.problem = '2207026'
  const film = actOf({ media: [fileOf('video/mp4')] })
  const error = await rejection(send(film, fake.credentials, ioOf(fake)))
  t.has(error, { code: 'content_refused', retryable: false })
  t.match(error.message, /^Instagram could not process the post: Error: .* 2207026$/)
  fake.next.problem = '2207053'
  const pause = () => {
    fake.next.problem = undefined
  }
  await send(film, fake.credentials, ioOf(fake, { pause }))
  t.equal(fake.posts.length, 1)
})

t.test('accounts are connected by Instagram Login', async (t) => {
  const fake = await startInstagram(t)
  const { app, redirectUri } = fake.tokens
  const authorization = { app, redirectUri, hint: null }
  fake.tokens.withheld = ['instagram_business_manage_comments']
  for (const isFlat of [true, false]) {
    Object.assign(fake, { isFlat, listsPermissions: isFlat })
    const { url, kept } = await instagramOAuth.begin({ ...authorization, state: 'the-state' }, ioOf(fake))
    t.equal(`${url.origin}${url.pathname}`, 'https://www.instagram.com/oauth/authorize')
    const response = await fake.fetch(url, { redirect: 'manual' })
    const callback = new URL(response.headers.get('location')!).searchParams
    t.equal(callback.get('state'), 'the-state')
    const [account, ...others] = await instagramOAuth.finish({ ...authorization, callback, kept }, ioOf(fake))
    t.same(others, [])
    t.match(account, {
      kind: 'profile',
      profile: { externalId: '17841405793187218', username: 'alice' },
      tokens: { credentials: { accessToken: /^IGAAlong/, userId: '17841405793187218' } },
    })
    t.same(account!.tokens.scopes, ['instagram_business_basic', 'instagram_business_content_publish'])
    await send(imageOf(), account!.tokens.credentials as Record<string, string>, ioOf(fake))
  }
  t.equal(fake.posts.length, 2)

  const { run } = instagramOAuth.refresh!
  const issuedAt = Date.now() - 2 * DAY
  const accessToken = fake.tokens.issue('long', ['instagram_business_basic'], issuedAt)
  const old = { accessToken, userId: '17841405793187218', issuedAt: new Date(issuedAt).toISOString() }
  const refreshed = await run(old, app, ioOf(fake))
  t.match(refreshed.credentials, { accessToken: /^IGAAlong/, userId: '17841405793187218' })
  t.has(await rejection(run(old, app, ioOf(fake))), { needsAttention: true }, 'the old token is spent')
  fake.tokens.endsRefreshed = false
  const kept = { ...old, accessToken: fake.tokens.issue('long', ['instagram_business_basic'], issuedAt) }
  for (let times = 0; times < 2; times++) t.ok(await run(kept, app, ioOf(fake)), 'the old token can be used again')
})

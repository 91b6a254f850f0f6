import t from 'tap'
import type { Act } from '../../src/platforms/contract/adapter.ts'
import { facebookAdapter } from '../../src/platforms/facebook/adapter.ts'
import type { State } from '../../src/platforms/facebook/state.ts'
import { actOf, fileOf, ioOf, rejection } from '../helpers/adapter-calls.ts'
import { type FakeFacebook, PAGE_ID, startFacebook } from '../networks/fakes/facebook.ts'
import { graphError } from '../networks/fakes/facebook-errors.ts'
import { reset } from '../networks/fakes/network.ts'

const FEED = `POST /v26.0/${PAGE_ID}/feed`

const ioFor = (fake: FakeFacebook) => ({ ...ioOf(fake), credentials: fake.credentials })

async function prepare(act: Act, fake: FakeFacebook, saved: State | null = null): Promise<State> {
  const result = await facebookAdapter.prepare(act, ioFor(fake), saved)
  return 'ready' in result ? result.ready : prepare(act, fake, result.later.state)
}

/** Publishes an act and loses the response, after or before the call is carried out. Returns what was prepared. */
async function lose(act: Act, fake: FakeFacebook, on: string, after: boolean): Promise<State> {
  const ready = await prepare(act, fake)
  fake.faults.push({ on, after, instead: reset })
  t.has(await rejection(facebookAdapter.publish(act, ioFor(fake), ready) as Promise<unknown>), { maybeSent: true })
  return ready
}

/** Queries Facebook until it tells the outcome of the act. Returns the pauses too. */
async function find(act: Act, fake: FakeFacebook, ready: State | null) {
  const pauses: number[] = []
  let state = ready
  for (let looks = 0; looks < 20; looks++) {
    const found = await facebookAdapter.reconcile!(act, ioFor(fake), state)
    if (typeof found === 'string' || !('processing' in found)) return { found, pauses, state }
    pauses.push(found.processing.afterMs)
    state = JSON.parse(JSON.stringify(found.processing.state))
  }
  throw new Error('Facebook says nothing')
}

const LOOKS = [90_000, 480_000]

const image = () => fileOf('image/png')
const video = () => fileOf('video/mp4')

/** An act of each kind, with the call that publishes it. */
const ACTS: [name: string, act: Act, on: string][] = [
  ['a text', actOf(), FEED],
  ['a link', actOf({ text: '', fields: { link: 'https://example.com/a' } }), FEED],
  ['images', actOf({ text: 'Two', postType: 'carousel', media: [image(), image()] }), FEED],
  ['an image', actOf({ text: '', media: [image()] }), FEED],
  ['a photo story', actOf({ postType: 'story', media: [image()] }), `POST /v26.0/${PAGE_ID}/photo_stories`],
]

t.test('an act that shows late is found at a later look', async (t) => {
  for (const [name, act, on] of ACTS) {
    const fake = await startFacebook(t)
    const now = new Date()
    fake.setTime(now)
    fake.listedAfterMs = 60_000
    const ready = await lose(act, fake, on, true)
    const first = await facebookAdapter.reconcile!(act, ioFor(fake), ready)
    if (typeof first === 'string' || !('processing' in first)) throw new Error(`${name}: ${JSON.stringify(first)}`)
    t.equal(first.processing.afterMs, LOOKS[0], name)
    fake.setTime(new Date(now.getTime() + 60_000))
    t.match(await facebookAdapter.reconcile!(act, ioFor(fake), first.processing.state), { id: fake.visibleIds()[0] })
  }
})

t.test('an image that never shows is absent, and a text is unknown', async (t) => {
  for (const [name, act, on] of ACTS) {
    const fake = await startFacebook(t)
    const ready = await lose(act, fake, on, false)
    const { found, pauses } = await find(act, fake, ready)
    t.equal(found, act.media.length > 0 ? 'absent' : 'unknown', name)
    t.same(pauses, LOOKS, name)
  }
})

/** Acts whose ids are known before the call that publishes them. */
const ACTS_WITH_IDS: typeof ACTS = [
  ...ACTS.filter(([, act]) => act.media.length > 0),
  ['a reel', actOf({ postType: 'reel', media: [video()] }), `POST /v26.0/${PAGE_ID}/video_reels`],
  ['a video', actOf({ postType: 'video', media: [video()] }), `POST /v26.0/${PAGE_ID}/videos`],
  ['a video story', actOf({ postType: 'story', media: [video()] }), `POST /v26.0/${PAGE_ID}/video_stories`],
]

t.test('where Facebook refuses to publish a video or photo twice, the first post is found', async (t) => {
  for (const [name, act, on] of ACTS_WITH_IDS) {
    const fake = await startFacebook(t)
    fake.publishesAgain = false
    const again = await prepare(act, fake, await lose(act, fake, on, true))
    const sent = await facebookAdapter.publish(act, ioFor(fake), again)
    const { found } = 'processing' in sent ? await find(act, fake, sent.processing.state) : { found: sent }
    t.match(found, { id: fake.visibleIds()[0] }, name)
    t.equal(fake.visibleIds().length, 1, name)
  }
})

t.test('a repeated call that Facebook refuses for another reason has failed', async (t) => {
  for (const [name, act, on] of ACTS_WITH_IDS) {
    const fake = await startFacebook(t)
    const again = await prepare(act, fake, await lose(act, fake, on, false))
    fake.faults.push({ on, instead: graphError(100, 'Too small') })
    const refused = await rejection(facebookAdapter.publish(act, ioFor(fake), again) as Promise<unknown>)
    t.has(refused, { code: 'content_refused', maybeSent: false, retryable: false }, name)
    fake.faults.push({ on, instead: graphError(100, 'Too small') })
    const unreachable: typeof fetch = (input, init) =>
      init?.method === 'POST' ? fake.fetch(input, init) : Promise.reject(new TypeError('fetch failed'))
    const io = { ...ioFor(fake), fetch: unreachable }
    const unknown = await rejection(facebookAdapter.publish(act, io, again) as Promise<unknown>)
    t.has(unknown, { maybeSent: true, retryable: true }, `${name}: nobody could look`)
  }
})

t.test('a video whose last call is lost is found by its id, or absent while nothing happens', async (t) => {
  for (const postType of ['reel', 'video', 'story'] as const) {
    const edge = { reel: 'video_reels', video: 'videos', story: 'video_stories' }[postType]
    const act = actOf({ postType, media: [video()] })
    const fake = await startFacebook(t)
    const lost = await lose(act, fake, `POST /v26.0/${PAGE_ID}/${edge}`, true)
    t.match((await find(act, fake, lost)).found, { id: fake.visibleIds()[0] }, postType)

    const other = await startFacebook(t)
    const notSent = await lose(act, other, `POST /v26.0/${PAGE_ID}/${edge}`, false)
    const { found, pauses, state } = await find(act, other, notSent)
    t.same([found, pauses], ['absent', LOOKS], postType)
    const again = await prepare(act, other, state)
    t.same(again.video, notSent.video, 'the upload is not repeated')
    await facebookAdapter.publish(act, ioFor(other), again)
    t.equal(other.visibleIds().length, 1)
  }
})

t.test('only a post of this app, with this text, since the first attempt, counts', async (t) => {
  const fake = await startFacebook(t)
  const act = actOf()
  const others = [
    () => fake.post(act.text),
    () => fake.post(act.text, { appId: '1' }),
    () => fake.post(act.text, { appId: fake.credentials.appId, isPublished: false }),
    () => fake.post(act.text, { appId: fake.credentials.appId, createdAt: new Date(Date.now() - 120_000) }),
    () => fake.post('Another text', { appId: fake.credentials.appId }),
  ]
  for (const create of others) create()
  t.equal((await find(act, fake, await prepare(act, fake))).found, 'unknown')
  const old = { id: '1_2', message: act.text, created_time: '2012-06-06T12:00:00+0000' }
  fake.faults.push({ on: `GET /v26.0/${PAGE_ID}/feed`, instead: { status: 200, body: { data: [old] } } })
  t.equal((await find(act, fake, await prepare(act, fake))).found, 'unknown')
  const own = fake.post(act.text, { appId: fake.credentials.appId })
  t.match((await find(act, fake, await prepare(act, fake))).found, { id: own.id })
  fake.post(act.text, { appId: fake.credentials.appId })
  const { found, pauses } = await find(act, fake, await prepare(act, fake))
  t.same([found, pauses], ['unknown', []], 'nothing tells two equal posts apart')
})

t.test('links without a text are told apart by their addresses', async (t) => {
  const fake = await startFacebook(t)
  const act = actOf({ text: '', fields: { link: 'https://example.com/a' } })
  fake.post('', { appId: fake.credentials.appId, link: 'https://example.com/b' })
  t.equal((await find(act, fake, await prepare(act, fake))).found, 'unknown')
  const own = fake.post('', { appId: fake.credentials.appId, link: 'https://example.com/a' })
  t.match((await find(act, fake, await prepare(act, fake))).found, { id: own.id })
})

t.test('an image is not repeated if a post with its text shows photos with other ids', async (t) => {
  const fake = await startFacebook(t)
  fake.hidesPhotoIds = true
  const act = actOf({ media: [image()] })
  const ready = await lose(act, fake, FEED, true)
  t.equal((await find(act, fake, ready)).found, 'unknown')
})

t.test('a full page of the feed says nothing about what is not on it', async (t) => {
  const fake = await startFacebook(t)
  for (let posts = 0; posts < 100; posts++) fake.post(`Other ${posts}`)
  const act = actOf({ media: [image()] })
  const ready = await lose(act, fake, FEED, false)
  t.same(await find(act, fake, ready), { found: 'unknown', pauses: [], state: ready })
})

t.test('a comment is found by its author and text, or absent', async (t) => {
  const fake = await startFacebook(t)
  const post = await facebookAdapter.publish(actOf(), ioFor(fake), await prepare(actOf(), fake))
  if ('processing' in post) throw new Error('a text needs no time')
  const act = actOf({ kind: 'comment', text: 'First!', parent: post, root: post })
  fake.comments.push({ id: '1_1', parent: post.id, message: 'First!', from: { id: '7', name: 'A reader' } })
  const on = `POST /v26.0/${post.id}/comments`
  const lost = await find(act, fake, await lose(act, fake, on, false))
  t.same([lost.found, lost.pauses], ['absent', LOOKS])
  const ready = await lose(act, fake, on, true)
  t.same((await find(act, fake, ready)).found, { id: fake.comments[1]!.id, url: null })
  fake.comments.push({ ...fake.comments[1]!, id: '1_3' })
  t.equal((await find(act, fake, ready)).found, 'unknown')
})

t.test('files whose ids were not stored are unknown', async (t) => {
  const fake = await startFacebook(t)
  t.equal((await find(actOf({ media: [image()] }), fake, null)).found, 'unknown')
  t.same(fake.log, [])
})

t.test('a refused query decides nothing', async (t) => {
  const fake = await startFacebook(t)
  const ready = await lose(actOf(), fake, FEED, true)
  fake.faults.push({ on: `GET /v26.0/${PAGE_ID}/feed`, instead: graphError(100, 'Unsupported', { error_subcode: 33 }) })
  const error = await rejection(find(actOf(), fake, ready))
  t.has(error, { code: 'server_error', retryable: true })
})

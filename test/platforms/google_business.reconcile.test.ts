import t from 'tap'
import type { Act } from '../../src/platforms/contract/adapter.ts'
import { googleBusinessAdapter } from '../../src/platforms/google_business/adapter.ts'
import { actOf, fileOf, ioOf, rejection } from '../helpers/adapter-calls.ts'
import type { Teardown } from '../helpers/database.ts'
import { startGoogleBusiness } from '../networks/fakes/google-business.ts'
import { googleError } from '../networks/fakes/google-errors.ts'
import { reset } from '../networks/fakes/network.ts'

const { prepare, publish, reconcile } = googleBusinessAdapter

type State = Parameters<typeof publish>[2]

async function start(t: Teardown) {
  const fake = await startGoogleBusiness(t)
  fake.processing = 0
  const io = { ...ioOf(fake), credentials: fake.credentials }
  const create = `POST /v4/${fake.credentials.location}/localPosts`
  const look = async (act: Act, state: State | null) => {
    const found = await reconcile!(act, io, JSON.parse(JSON.stringify(state)))
    return typeof found === 'object' && 'processing' in found ? found.processing : found
  }
  const ready = async (act: Act) => {
    const prepared = await prepare(act, io, null)
    if ('later' in prepared) throw new Error('it waits')
    return prepared.ready
  }
  /** Loses the response to the create, which is carried out or not. Returns what was kept before. */
  const lose = async (act: Act, isSent: boolean) => {
    const state = await ready(act)
    fake.faults.push({ on: create, after: isSent, instead: reset })
    const error = await rejection(publish(act, io, state))
    if (!error.maybeSent) throw new Error('it is certainly not sent')
    return state
  }
  return { fake, io, create, look, ready, lose }
}

const EVENT = {
  topicType: 'OFFER',
  eventTitle: 'Night of lights',
  eventStart: '2026-12-24T00:00:00Z',
  eventEnd: '2026-12-25T00:30:00Z',
  offerCouponCode: 'LIGHT',
}

t.test('a lost create is found by everything that it says', async (t) => {
  const { fake, lose, look } = await start(t)
  const acts = [
    actOf({ text: 'Two  lines\r\nof the sea ' }),
    actOf({ text: 'Link', fields: { callToActionType: 'SHOP', callToActionUrl: 'https://example.com' } }),
    actOf({ text: 'Call', fields: { callToActionType: 'CALL' } }),
    actOf({ text: 'Offer', fields: EVENT }),
  ]
  for (const act of acts) {
    const state = await lose(act, true)
    const [post] = fake.posts
    t.match(await look(act, state), { id: post!.name, url: /^https:/ }, act.text)
    post!.state = 'REJECTED'
    t.match(await look(act, state), { rejected: /content policy/ }, `${act.text}, rejected`)
    post!.state = 'PROCESSING'
    t.match(await look(act, state), { state: { name: post!.name } }, `${act.text}, in processing`)
  }
})

t.test('a photo is not compared, because Google shows it under its own address', async (t) => {
  const { fake, lose, look } = await start(t)
  const act = actOf({ media: [fileOf('image/jpeg')] })
  t.match(await look(act, await lose(act, true)), { id: fake.posts[0]!.name })
})

t.test('another post is not taken for the lost one', async (t) => {
  const { fake, lose, look } = await start(t)
  const fields = { ...EVENT, callToActionType: 'SHOP', callToActionUrl: 'https://example.com' }
  const act = actOf({ text: 'Offer', fields })
  const state = await lose(act, true)
  const [post] = fake.posts
  const { content } = post!
  const event = content.event as { schedule: object }
  const others: object[] = [
    { summary: 'Another' },
    { topicType: 'EVENT' },
    { offer: { couponCode: 'DARK' } },
    { offer: {} },
    { event: { ...event, title: 'Another' } },
    { event: { ...event, schedule: { ...event.schedule, endTime: { hours: 1, minutes: 0, seconds: 0, nanos: 0 } } } },
  ]
  for (const other of others) {
    post!.content = { ...content, ...other }
    t.match(await look(act, state), { state: { name: null, looks: 1 } }, JSON.stringify(other))
  }
  const linked = actOf({ text: 'Link', fields: { callToActionType: 'SHOP', callToActionUrl: 'https://example.com' } })
  const lost = await lose(linked, true)
  for (const callToAction of [
    undefined,
    { actionType: 'CALL' },
    { actionType: 'SHOP', url: 'https://example.com/another' },
  ]) {
    fake.posts[0]!.content = { ...fake.posts[0]!.content, callToAction }
    t.match(await look(linked, lost), { state: { name: null } }, JSON.stringify(callToAction))
  }
})

t.test('what was there before is not the lost one, and of two nobody knows', async (t) => {
  const { fake, lose, look } = await start(t)
  const act = actOf()
  const content = { summary: act.text, topicType: 'STANDARD' }
  fake.post(content)
  const state = await lose(act, false)
  t.same(state.noted, [fake.posts[0]!.name])
  t.match(await look(act, state), { state: { name: null, looks: 1 } }, 'somebody has posted it in the dashboard before')
  const sent = await lose(act, true)
  t.match(await look(act, sent), { id: fake.posts[0]!.name })
  fake.post(content)
  t.equal(await look(act, sent), 'unknown')
  t.equal(await look(act, null), 'unknown', 'without what an older version did not keep')

  const old = actOf({ text: 'Old', startedAt: new Date(Date.now() + 120_000) })
  fake.post({ summary: 'Old', topicType: 'STANDARD' })
  t.same((await lose(old, false)).noted, [], 'only recent posts are kept')
})

t.test('every page is read, in whatever order', async (t) => {
  const { fake, lose, look } = await start(t)
  const act = actOf()
  const state = await lose(act, true)
  const [sent] = fake.posts
  for (let others = 0; others < 230; others++) fake.post({ summary: `Other ${others}`, topicType: 'STANDARD' })
  for (const isShuffled of [false, true]) {
    fake.isShuffled = isShuffled
    fake.log.length = 0
    t.match(await look(act, state), { id: sent!.name })
    t.equal(fake.log.length, 3)
  }
})

t.test('where there are too many posts to read, a find is no proof', async (t) => {
  const { fake, lose, look } = await start(t)
  const act = actOf()
  for (let others = 0; others < 3_001; others++) fake.post({ summary: `Other ${others}`, topicType: 'STANDARD' })
  const state = await lose(act, true)
  t.equal(state.noted, null)
  t.equal(await look(act, state), 'unknown')
})

t.test('a post that never shows is looked for three times, and never sent again', async (t) => {
  const { fake, lose, look } = await start(t)
  const act = actOf()
  let state: State = await lose(act, false)
  for (const afterMs of [90_000, 480_000]) {
    const found = await look(act, state)
    t.match(found, { afterMs, state: { name: null } })
    state = (found as { state: State }).state
  }
  t.equal(await look(act, state), 'unknown')
  t.equal(fake.posts.length, 0)
})

t.test('a location that another manager has connected again is read in an account of that manager', async (t) => {
  const { fake, io, ready, lose } = await start(t)
  const [location] = fake.locations as [(typeof fake.locations)[0]]
  const account = 'accounts/2'
  fake.accounts.push({ name: account, accountName: 'Bob', type: 'PERSONAL', userIds: ['bob'] })
  location.accounts.push(account)
  const { accessToken } = fake.authorization.grant('bob')
  const asBob = { ...io, credentials: { ...io.credentials, accessToken, location: `${account}/${location.name}` } }

  fake.processing = 1
  const act = actOf({ text: 'Followed' })
  const { processing } = (await publish(act, io, await ready(act))) as { processing: { state: State } }
  t.match(await reconcile!(act, asBob, processing.state), { id: /^accounts\/2\// }, 'a post in processing')

  fake.processing = 0
  const copy = actOf({ text: 'Twice' })
  fake.post({ summary: copy.text, topicType: 'STANDARD' })
  const lost = await lose(copy, true)
  const name = `${account}/${location.name}/localPosts/${fake.posts[0]!.name.split('/').at(-1)}`
  t.match(await reconcile!(copy, asBob, lost), { id: name }, 'and a lost one, beside a copy that was there before')
})

t.test('a post that Google no longer has is unknown, after some looks', async (t) => {
  const { fake, io, ready, look } = await start(t)
  fake.processing = 5
  const act = actOf()
  const { processing } = (await publish(act, io, await ready(act))) as { processing: { state: State } }
  fake.posts.length = 0
  const found = (await look(act, processing.state)) as { state: State }
  t.match(found, { afterMs: 480_000 })
  t.equal(await look(act, found.state), 'unknown', 'it may have been live before')
  const read = `GET /v4/${processing.state.name}`
  fake.faults.push({ on: read, instead: { status: 404, headers: { 'content-type': 'text/html' }, body: '<html>' } })
  t.has(await rejection(look(act, processing.state)), { code: 'unexpected_answer', retryable: true })
})

t.test('a post that was live is published, although somebody has deleted it before it had an address', async (t) => {
  const { fake, io, ready, look } = await start(t)
  fake.addressLag = 9
  const act = actOf()
  const { processing } = (await publish(act, io, await ready(act))) as { processing: { state: State } }
  fake.posts.length = 0
  t.strictSame(await look(act, processing.state), { id: processing.state.name, url: null })
})

t.test('a list that cannot be read says nothing', async (t) => {
  const { fake, lose, look } = await start(t)
  const act = actOf()
  const state = await lose(act, true)
  const list = `GET /v4/${fake.credentials.location}/localPosts`
  for (const [instead, expected] of [
    [{ status: 503 }, { retryable: true }],
    [{ status: 200, body: '[]' }, { code: 'unexpected_answer' }],
    [{ status: 200, body: { localPosts: {} } }, { code: 'unexpected_answer' }],
    [{ status: 200, body: { localPosts: [null] } }, { code: 'unexpected_answer' }],
    [{ status: 200, body: { localPosts: [{ name: 7 }] } }, { code: 'unexpected_answer' }],
    [googleError(404, 'NOT_FOUND', 'Requested entity was not found.'), { code: 'unauthorized' }],
  ] as const) {
    fake.faults.push({ on: list, instead })
    t.has(await rejection(look(act, state)), expected)
  }
})

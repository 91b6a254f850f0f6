import t from 'tap'
import { googleBusinessAdapter } from '../../src/platforms/google_business/adapter.ts'
import { actOf, clientOf, fileOf, ioOf, rejection } from '../helpers/adapter-calls.ts'
import type { Teardown } from '../helpers/database.ts'
import { startGoogleBusiness } from '../networks/fakes/google-business.ts'
import { errorInfo, googleError, quotaExceeded } from '../networks/fakes/google-errors.ts'

const { send, identify } = clientOf(googleBusinessAdapter)

async function start(t: Teardown) {
  const fake = await startGoogleBusiness(t)
  const { credentials } = fake
  const path = `/v4/${credentials.location}/localPosts`
  return { fake, credentials, list: `GET ${path}`, create: `POST ${path}` }
}

t.test('a location is named by its stable id, and by its address beside its title', async (t) => {
  const { fake, credentials } = await start(t)
  t.strictSame(await identify(credentials, ioOf(fake)), {
    externalId: '12345678901234567890',
    username: 'Lighthouse Café',
    displayName: 'Lighthouse Café, 1 Harbour Street, Dover',
    limitKey: `google_business:${credentials.clientId}`,
  })
  t.strictSame(fake.log, ['GET /v1/locations/12345678901234567890'])
  for (const location of ['', 'locations/1', 'accounts/1/locations/1/../2']) {
    const error = await rejection(identify({ ...credentials, location }, ioOf(fake)))
    t.has(error, { code: 'unauthorized', needsAttention: true }, location)
  }
})

t.test('a text is followed until it is live, and has its address then', async (t) => {
  const { fake, credentials, list, create } = await start(t)
  fake.processing = 3
  const pauses: number[] = []
  const sent = await send(actOf(), credentials, ioOf(fake, { pause: (ms) => pauses.push(ms) }))
  const [post] = fake.posts
  const read = `GET /v4/${post!.name}`
  t.strictSame(fake.log, [list, 'intend', create, read, read, read])
  t.strictSame(post!.content, { summary: 'A lighthouse at dusk', topicType: 'STANDARD' })
  t.strictSame(sent, {
    id: post!.name,
    url: `https://local.google.com/place?use=posts&lpsid=${post!.name.split('/').at(-1)}`,
  })
  t.strictSame(pauses, [15_000, 60_000])
})

t.test('a post that is live at once needs no further call, and its address may come later, or never', async (t) => {
  const { fake, credentials, create } = await start(t)
  fake.processing = 0
  t.ok((await send(actOf(), credentials, ioOf(fake))).url)
  t.equal(fake.log.at(-1), create)
  fake.addressLag = 1
  t.ok((await send(actOf({ text: 'Later' }), credentials, ioOf(fake))).url)
  fake.processing = 9
  t.ok((await send(actOf({ text: 'After a long check' }), credentials, ioOf(fake))).url)
  fake.processing = 0
  fake.addressLag = 99
  t.strictSame(await send(actOf({ text: 'Never' }), credentials, ioOf(fake)), { id: fake.posts[0]!.name, url: null })
  // A state that Google may add.
  const act = actOf({ text: 'New' })
  const { processing } = (await googleBusinessAdapter.publish(act, { ...ioOf(fake), credentials }, FRESH)) as Processing
  fake.posts[0]!.state = 'SCHEDULED'
  t.match(await googleBusinessAdapter.reconcile!(act, { ...ioOf(fake), credentials }, processing.state), {
    processing: {},
  })
})

const FRESH: State = { noted: [], name: null, looks: 0 }
type State = Parameters<typeof googleBusinessAdapter.publish>[2]
type Processing = { processing: { state: State } }

t.test('events, offers and calls to action are sent as the reference has them', async (t) => {
  const { fake, credentials } = await start(t)
  const event = {
    eventTitle: 'Night of lights',
    eventStart: '2026-12-24T18:30:00+05:30',
    eventEnd: '2026-12-25T00:00:00.5Z',
  }
  const schedule = {
    startDate: { year: 2026, month: 12, day: 24 },
    startTime: { hours: 18, minutes: 30, seconds: 0, nanos: 0 },
    endDate: { year: 2026, month: 12, day: 25 },
    endTime: { hours: 0, minutes: 0, seconds: 0, nanos: 0 },
  }
  const link = { callToActionType: 'BOOK', callToActionUrl: 'https://example.com/book' }
  const offer = { offerCouponCode: 'LIGHT', offerRedeemUrl: 'https://example.com/', offerTerms: 'One each' }
  const posts = [
    { ...link, languageCode: 'en-GB' },
    { callToActionType: 'CALL', callToActionUrl: 'https://example.com/' },
    { topicType: 'EVENT', ...event, ...link },
    { topicType: 'OFFER', ...event, ...offer, ...link },
    { topicType: 'OFFER', ...event },
  ]
  for (const fields of posts) await send(actOf({ fields }), credentials, ioOf(fake))
  const summary = 'A lighthouse at dusk'
  const callToAction = { actionType: 'BOOK', url: 'https://example.com/book' }
  const shown = { title: 'Night of lights', schedule }
  t.strictSame(fake.posts.map(({ content }) => content).reverse(), [
    { summary, topicType: 'STANDARD', languageCode: 'en-GB', callToAction },
    { summary, topicType: 'STANDARD', callToAction: { actionType: 'CALL' } },
    { summary, topicType: 'EVENT', callToAction, event: shown },
    {
      summary,
      topicType: 'OFFER',
      event: shown,
      offer: { couponCode: 'LIGHT', redeemOnlineUrl: 'https://example.com/', termsConditions: 'One each' },
    },
    { summary, topicType: 'OFFER', event: shown, offer: {} },
  ])
  fake.log.length = 0
  const incomplete = actOf({ fields: { topicType: 'EVENT', eventTitle: 'Soon' } })
  const error = await rejection(send(incomplete, credentials, ioOf(fake)))
  t.has(error, { code: 'content_refused', maybeSent: false, retryable: false })
  t.match(error.message, /eventTitle, eventStart and eventEnd/)
  t.strictSame(fake.log, [], 'nothing is sent')
})

t.test('Google fetches the photo from an address of Postroom', async (t) => {
  const { fake, credentials } = await start(t)
  fake.checksPhotos = false
  const fetched: string[] = []
  const { download } = fake
  fake.download = (url) => {
    fetched.push(url)
    return download(url)
  }
  await send(actOf({ media: [fileOf('image/jpeg')] }), credentials, ioOf(fake))
  const [{ content }] = fake.posts as [(typeof fake.posts)[0]]
  t.strictSame(content.media, [{ mediaFormat: 'PHOTO', sourceUrl: fetched[0] }])
  t.equal(fetched.length, 1)
  fake.log.length = 0
  const unreachable = actOf({ media: [fileOf('image/jpeg', { publicUrl: () => null })] })
  const error = await rejection(send(unreachable, credentials, ioOf(fake)))
  t.has(error, { code: 'public_url_missing', maybeSent: false })
  t.match(error.message, /its operator has to set one/)
  t.strictSame(fake.log, [])
})

t.test('a photo that Google cannot fetch may be sent again, and the message names the operator', async (t) => {
  const { fake, credentials } = await start(t)
  fake.fetchesAtOnce = true
  fake.checksPhotos = false
  const { download } = fake
  fake.download = async () => ({ status: 502, type: 'text/html', bytes: Buffer.from('') })
  const act = actOf({ media: [fileOf('image/jpeg')] })
  const error = await rejection(send(act, credentials, ioOf(fake)))
  t.has(error, { retryable: true, maybeSent: false, needsAttention: false })
  t.match(error.message, /whose operator has to make its public address reachable: Fetching image failed/)
  fake.download = download
  await send(act, credentials, ioOf(fake))
  t.equal(fake.posts.length, 1)
})

t.test('a rejected post is refused, although the status of the response is 200', async (t) => {
  const { fake, credentials } = await start(t)
  fake.processing = 'refused'
  const error = await rejection(send(actOf(), credentials, ioOf(fake)))
  t.has(error, { code: 'content_refused', maybeSent: false, retryable: false, needsAttention: false })
  t.match(error.message, /rejected the post: it violates the content policy/)
  fake.processing = 'fails'
  const act = actOf()
  const io = { ...ioOf(fake), credentials }
  const { processing } = (await googleBusinessAdapter.publish(act, io, FRESH)) as Processing
  const rejected = await googleBusinessAdapter.reconcile!(act, io, processing.state)
  t.match(rejected, { rejected: /it violates the content policy/ }, 'also later')
})

t.test('errors have the words of their details', async (t) => {
  const { fake, credentials, create } = await start(t)
  const error = await rejection(send(actOf({ text: 'a'.repeat(1501) }), credentials, ioOf(fake)))
  t.equal(error.message, 'mybusiness.googleapis.com: The summary is too long.')
  const location = fake.locations[0]!
  location.metadata = {}
  t.has(await rejection(send(actOf(), credentials, ioOf(fake))), {
    code: 'content_refused',
    message:
      'mybusiness.googleapis.com: Google takes no posts for this location now, and shows its managers the reason at business.google.com: Precondition check failed.',
  })
  fake.faults.push({ on: create, instead: googleError(409, 'ABORTED', 'Conflict') })
  t.has(await rejection(send(actOf(), credentials, ioOf(fake))), { maybeSent: true, retryable: true })
  t.equal(fake.posts.length, 0)
})

t.test('an account without its role, its location or its scope has to be connected again', async (t) => {
  const { fake, credentials, create } = await start(t)
  const refused = { code: 'unauthorized', needsAttention: true, retryable: false, maybeSent: false }
  fake.faults.push({ on: create, instead: googleError(404, 'NOT_FOUND', 'Requested entity was not found.') })
  const again = { ...refused, message: /one of its managers has to connect it again: / }
  t.match(await rejection(send(actOf(), credentials, ioOf(fake))), again)
  fake.accounts[0]!.userIds = []
  t.match(await rejection(send(actOf(), credentials, ioOf(fake))), again)
  fake.accounts[0]!.userIds = ['the-user']
  fake.grant.scopes = []
  const unticked = {
    ...refused,
    message: /connect the account again, and allow all that the page of Google asks for: /,
  }
  t.match(await rejection(send(actOf(), credentials, ioOf(fake))), unticked)
  const wrong = { ...credentials, accessToken: 'a\nb' }
  t.has(await rejection(send(actOf(), wrong, ioOf(fake))), refused)
})

t.test('what only the operator can change names the operator, and rests all accounts of the app', async (t) => {
  const { fake, credentials, create } = await start(t)
  const limitKey = `google_business:${credentials.clientId}`
  const rests = { code: 'app_restricted', needsAttention: false, retryable: true, retryAfterMs: 3_600_000, limitKey }
  fake.disabled = ['mybusiness.googleapis.com']
  const disabled = await rejection(send(actOf(), credentials, ioOf(fake)))
  t.has(disabled, rests)
  t.match(disabled.message, /^mybusiness\.googleapis\.com: the operator of Postroom has to enable this API of Google: /)
  t.match(
    disabled.message,
    /visiting https:\/\/console\.developers\.google\.com\//,
    'and the address where that is done',
  )
  fake.disabled = []
  fake.isApproved = false
  const unapproved = await rejection(send(actOf(), credentials, ioOf(fake)))
  t.has(unapproved, rests)
  t.match(unapproved.message, /: the operator of Postroom has to apply to Google for access to this API: Quota/)
  fake.isApproved = true
  for (const [reason, task] of Object.entries({
    BILLING_DISABLED: /the operator of Postroom has to enable billing/,
    CONSUMER_SUSPENDED: /the operator of Postroom has to ask Google why it has suspended/,
    CONSUMER_INVALID: /the operator of Postroom has to check that the Google Cloud project/,
  })) {
    const instead = googleError(403, 'PERMISSION_DENIED', 'Permission denied.', [errorInfo(reason)])
    fake.faults.push({ on: create, instead })
    t.match(await rejection(send(actOf(), credentials, ioOf(fake))), { ...rests, message: task }, reason)
  }
})

t.test('a quota of the project rests all its accounts for a minute, one of a user only the account', async (t) => {
  const { fake, credentials, create } = await start(t)
  const host = 'mybusiness.googleapis.com'
  const limitKey = `google_business:${credentials.clientId}`
  fake.faults.push({ on: create, instead: quotaExceeded(host, 300) })
  t.has(await rejection(send(actOf(), credentials, ioOf(fake))), { retryAfterMs: 60_000, limitKey })
  fake.faults.push({ on: create, instead: quotaExceeded(host, 10, 'PerUser') })
  t.has(await rejection(send(actOf(), credentials, ioOf(fake))), { retryAfterMs: 60_000, limitKey: undefined })
})

t.test('a path without its account gets the page of a proxy', async (t) => {
  const { fake, credentials } = await start(t)
  const headers = { authorization: `Bearer ${credentials.accessToken}` }
  const url = 'https://mybusiness.googleapis.com/v4/locations/12345678901234567890/localPosts'
  const response = await fake.fetch(url, { headers })
  t.equal(response.status, 404)
  t.match(response.headers.get('content-type'), 'text/html')
})

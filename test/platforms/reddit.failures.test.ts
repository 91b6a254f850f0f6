import t from 'tap'
import type { Act } from '../../src/platforms/contract/adapter.ts'
import type { Credentials } from '../../src/platforms/contract/io.ts'
import { redditAdapter } from '../../src/platforms/reddit/adapter.ts'
import { actOf, clientOf, fileOf, ioOf, rejection } from '../helpers/adapter-calls.ts'
import type { Teardown } from '../helpers/database.ts'
import { startReddit } from '../networks/fakes/reddit.ts'
import { limitHeaders, throttled } from '../networks/fakes/reddit-replies.ts'

const { send, identify, reconcile } = clientOf(redditAdapter)

const SUBMIT = 'POST /api/submit'

async function start(t: Teardown) {
  const fake = await startReddit(t)
  return { fake, credentials: fake.credentials, io: ioOf(fake) }
}

const postOf = ({ fields, ...act }: Partial<Act> = {}) =>
  actOf({ ...act, fields: { subreddit: 'lighthouses', ...fields } })

const REFUSED = { code: 'content_refused', maybeSent: false, retryable: false, needsAttention: false }

t.test('an error with status 200 is a failure in the words of Reddit', async (t) => {
  const { fake, credentials, io } = await start(t)
  fake.addSubreddit('texts', { submissionType: 'self' })
  fake.addSubreddit('links', { submissionType: 'link', allowImages: false, allowVideos: false, allowGalleries: false })
  const [image, video] = [fileOf('image/png'), fileOf('video/mp4')]
  const refusals: [Partial<Act>, string][] = [
    [{ fields: { subreddit: 'nowhere' } }, "that subreddit doesn't exist (SUBREDDIT_NOEXIST)"],
    [{ fields: { subreddit: 'links' } }, "that subreddit doesn't allow text posts (NO_SELFS)"],
    [
      { fields: { subreddit: 'texts', link: 'https://example.com' } },
      'that subreddit only allows text posts (NO_LINKS)',
    ],
    [{ fields: { subreddit: 'links' }, media: [image] }, "This community doesn't allow images (NO_IMAGES)"],
    [{ fields: { subreddit: 'links' }, media: [video] }, "This community doesn't allow videos (NO_VIDEOS)"],
    [
      { fields: { subreddit: 'links' }, media: [image, image] },
      "Gallery posts aren't allowed in this subreddit (GALLERIES_DISABLED)",
    ],
    [{ fields: { flairId: '00000000-692d-11e9-9811-0e2f1d7746a8' } }, 'that option is not valid (INVALID_OPTION)'],
    [{ text: `Long\n${'a'.repeat(40_001)}` }, 'this is too long (max: 40000) (TOO_LONG)'],
  ]
  for (const [act, message] of refusals) {
    t.has(await rejection(send(postOf(act), credentials, io)), { ...REFUSED, message: `reddit.com: ${message}` })
  }
  t.same(fake.posts, [])
})

t.test('the rules of a subreddit are its own words', async (t) => {
  const { fake, credentials, io } = await start(t)
  fake.addSubreddit('strict', { isFlairRequired: true })
  fake.addSubreddit('secret', { isPrivate: true })
  const message = 'reddit.com: Your post must contain post flair.'
  t.has(await rejection(send(postOf({ fields: { subreddit: 'strict' } }), credentials, io)), { ...REFUSED, message })
  const isClosed = { ...REFUSED, message: 'reddit.com: Forbidden (private)' }
  t.has(await rejection(send(postOf({ fields: { subreddit: 'secret' } }), credentials, io)), isClosed)
})

t.test('a status says whether the same post may be accepted later', async (t) => {
  const { fake, credentials, io } = await start(t)
  for (const status of [404, 413, 451]) {
    fake.faults.push({ on: SUBMIT, instead: { status, body: { message: 'No', reason: 'banned', error: status } } })
    const message = 'reddit.com: No (banned)'
    t.has(await rejection(send(postOf(), credentials, io)), { ...REFUSED, message }, `${status}`)
  }
  fake.faults.push({ on: SUBMIT, instead: { status: 403, body: { reason: 'quarantined' } } })
  const closed = { ...REFUSED, message: 'reddit.com: quarantined' }
  t.has(await rejection(send(postOf(), credentials, io)), closed, 'not a proxy')
  fake.faults.push({ on: SUBMIT, instead: { status: 409, body: { reason: 'BAD_TIME' } } })
  const message = 'reddit.com: BAD_TIME'
  const again = { code: 'server_error', message, maybeSent: false, retryable: true, needsAttention: false }
  t.has(await rejection(send(postOf(), credentials, io)), again)
})

t.test('a comment that the network does not show in its response may be out', async (t) => {
  const { fake, credentials, io } = await start(t)
  const parent = await send(postOf(), credentials, io)
  // In a quarantined subreddit:
  // https://github.com/Pyprohly/reddit-api-doc-notes/blob/main/docs/api-reference/comment.rst.
  const instead = { status: 200, body: { json: { errors: [], data: { things: [] } } } }
  fake.faults.push({ on: 'POST /api/comment', instead, after: true })
  const act = postOf({ kind: 'comment', text: 'First!', parent, root: parent })
  t.has(await rejection(send(act, credentials, io)), { code: 'unexpected_answer', maybeSent: true })
  t.equal(((await reconcile(act, credentials, io)) as { id: string }).id, fake.comments[0]!.name)
})

t.test('a subreddit that exists, although Reddit denies it, gets the post later', async (t) => {
  const { fake, credentials, io } = await start(t)
  fake.switches.hidesSubreddits = 1
  const error = await rejection(send(postOf(), credentials, io))
  t.has(error, { code: 'server_error', maybeSent: false, retryable: true })
  t.match(error.message, /SUBREDDIT_NOEXIST/)
  fake.switches.hidesSubreddits = 1
  fake.faults.push({ on: 'GET /r/lighthouses/about', instead: { status: 403, body: '<html>' } })
  const later = { code: 'unreachable', maybeSent: false, retryable: true }
  t.has(await rejection(send(postOf(), credentials, io)), later, 'Reddit did not say whether it exists')
  t.ok(await send(postOf(), credentials, io))
})

t.test('an account that posts too often rests as long as Reddit says, and others do not', async (t) => {
  const { fake, credentials, io } = await start(t)
  fake.switches.breakMinutes = 14
  const error = await rejection(send(postOf(), credentials, io))
  t.has(error, { code: 'rate_limited', maybeSent: false, retryable: true, retryAfterMs: 900_000 })
  t.equal(error.limitKey, undefined)
  fake.switches.breakMinutes = null
  const limits: [object, number][] = [
    [{ errors: [['RATELIMIT', 'Take a break for 6 seconds before trying again.', 'ratelimit']] }, 7_000],
    [{ errors: [['RATELIMIT', 'Take a break for 900 milliseconds before trying again.', 'ratelimit']] }, 901],
    [{ errors: [['RATELIMIT', 'Du machst das zu oft.', 'ratelimit']] }, 600_000],
    [{ ratelimit: 12.3, errors: [['RATELIMIT', 'Take a break for 9 minutes.', 'ratelimit']] }, 12_300],
    [{ errors: [['QUOTA_FILLED', "You've submitted too many links recently.", null]] }, 3_600_000],
  ]
  for (const [json, retryAfterMs] of limits) {
    fake.faults.push({ on: SUBMIT, instead: { status: 200, body: { json } } })
    t.has(await rejection(send(postOf(), credentials, io)), { code: 'rate_limited', maybeSent: false, retryAfterMs })
  }
})

t.test('an app without requests rests with all of its accounts until the period ends', async (t) => {
  const { fake, credentials, io } = await start(t)
  const limitKey = `reddit:${credentials.clientId}`
  fake.leaveRequests(0)
  const rested = { code: 'rate_limited', maybeSent: false, retryable: true, retryAfterMs: 600_000, limitKey }
  t.has(await rejection(send(postOf(), credentials, io)), rested)
  fake.faults.push({
    on: SUBMIT,
    instead: { ...throttled(9), headers: { ...limitHeaders(1, 0, 9), 'retry-after': '4' } },
  })
  t.has(await rejection(send(postOf(), credentials, io)), { retryAfterMs: 4_000 })

  fake.leaveRequests(1)
  fake.log.length = 0
  const media = [fileOf('image/png'), fileOf('image/png')]
  const error = await rejection(send(postOf({ media }), credentials, io))
  t.has(error, { code: 'rate_limited', maybeSent: false, limitKey })
  t.ok(error.retryAfterMs! > 590_000)
  t.strictSame(fake.log, ['POST /api/media/asset.json', 'POST /'], 'the request after the last one is not sent')
})

t.test('an app or an address that Reddit has blocked is for the operator', async (t) => {
  const { fake, credentials, io } = await start(t)
  fake.switches.isBlocked = true
  const error = await rejection(send(postOf(), credentials, io))
  t.has(error, { code: 'unreachable', maybeSent: false, retryable: true, needsAttention: false })
  t.match(error.message, /the operator of Postroom has to check whether the app is approved$/)
})

t.test('a token that lacks a scope has to be renewed by its owner', async (t) => {
  const { fake, io, credentials } = await start(t)
  const { accessToken } = fake.authorization.grant(['identity'])
  const error = await rejection(send(postOf(), { ...credentials, accessToken }, io))
  t.has(error, { code: 'unauthorized', needsAttention: true, maybeSent: false })
  const instead = { status: 200, body: { json: { errors: [['USER_REQUIRED', 'Please log in to do that.', null]] } } }
  fake.faults.push({ on: SUBMIT, instead })
  t.has(await rejection(send(postOf(), credentials, io)), { code: 'unauthorized', needsAttention: true })
  for (const wrong of [{}, { ...credentials, accessToken: 'a\nb' }, { ...credentials, username: '../x' }]) {
    t.has(await rejection(send(postOf(), wrong as Credentials, io)), { code: 'unauthorized', needsAttention: true })
  }
})

t.test(
  'a file that the storage refuses is refused, and an upload that fails is repeated with another lease',
  async (t) => {
    const { fake, credentials, io } = await start(t)
    fake.media.switches.bytesMax = 3
    const act = postOf({ media: [fileOf('image/png')] })
    const error = await rejection(send(act, credentials, io))
    t.has(error, {
      ...REFUSED,
      message: 'reddit.com: its storage refused image-1.png with status 400. The file may be too large',
    })
    fake.media.switches.bytesMax = 1000
    const moved = { status: 301, headers: { location: 'https://elsewhere.example' } }
    for (const instead of [{ status: 503 }, { status: 403, body: '<Error/>' }, moved]) {
      fake.faults.push({ on: 'POST /', instead })
      t.has(await rejection(send(act, credentials, io)), { maybeSent: false, retryable: true, needsAttention: false })
    }
    t.ok(await send(act, credentials, io))
    t.equal(fake.posts.length, 1)
  },
)

t.test('a type of file that Reddit does not take is named', async (t) => {
  const { fake, credentials, io } = await start(t)
  const instead = { status: 400, body: { message: 'Bad Request', error: 400 } }
  fake.faults.push({ on: 'POST /api/media/asset.json', instead })
  const message = 'reddit.com: Bad Request. It may not accept files of the type image/webp'
  t.has(await rejection(send(postOf({ media: [fileOf('image/webp')] }), credentials, io)), { ...REFUSED, message })
})

t.test('a lease is used only as a form for https', async (t) => {
  const { fake, credentials, io } = await start(t)
  const act = postOf({ media: [fileOf('image/png')] })
  const fields = [{ name: 'key', value: 'a' }]
  const leases = [
    { args: { action: 'http://example.com', fields }, asset: { asset_id: 'a' } },
    { args: { action: '//example.com', fields: [{ name: 'key"', value: 'a' }] }, asset: { asset_id: 'a' } },
    {
      args: { action: '//example.com', fields: [...fields, { name: 'policy', value: 'a\r\nb' }] },
      asset: { asset_id: 'a' },
    },
    { args: { action: '//example.com', fields: [] }, asset: { asset_id: 'a' } },
    { args: { action: '//example.com', fields }, asset: {} },
  ]
  for (const body of leases) {
    fake.faults.push({ on: 'POST /api/media/asset.json', instead: { status: 200, body } })
    t.has(await rejection(send(act, credentials, io)), { code: 'unexpected_answer', maybeSent: false })
  }
})

t.test('a form without api_type would be answered in another shape, which is a failure too', async (t) => {
  const { fake, credentials, io } = await start(t)
  fake.faults.push({
    on: SUBMIT,
    instead: { status: 200, body: { jquery: [[0, 1, 'call', ['body']]], success: false } },
  })
  const message = 'reddit.com: the request was refused'
  t.has(await rejection(send(postOf(), credentials, io)), { ...REFUSED, message })
  fake.faults.push({ on: SUBMIT, instead: { status: 200, body: { json: { errors: [{}] } } } })
  t.has(await rejection(send(postOf(), credentials, io)), { ...REFUSED, message })
  t.ok(await identify(credentials, io))
})

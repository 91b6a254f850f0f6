import t from 'tap'
import type { Credentials } from '../../src/platforms/contract/io.ts'
import { xAdapter } from '../../src/platforms/x/adapter.ts'
import { actOf, clientOf, fileOf, ioOf, rejection } from '../helpers/adapter-calls.ts'
import type { Teardown } from '../helpers/database.ts'
import { startX } from '../networks/fakes/x.ts'
import { limitHeaders, throttled } from '../networks/fakes/x-replies.ts'

const { send, identify } = clientOf(xAdapter)

const CREATE = 'POST /2/tweets'

async function start(t: Teardown) {
  const fake = await startX(t)
  return { fake, credentials: fake.credentials }
}

const inSeconds = (seconds: number) => new Date(Date.now() + seconds * 1000)

t.test('a refusal has the words of X, and needs nothing from the owner of the account', async (t) => {
  const { fake, credentials } = await start(t)
  const stranger = fake.post({ text: 'Nobody mentioned you' }, '99')
  fake.setTime(inSeconds(-3600))
  fake.post({ text: 'The same' })
  const refusals: [Parameters<typeof actOf>[0], string][] = [
    [{ text: 'a'.repeat(281) }, 'You are not permitted to perform this action.'],
    [{ text: '$AAPL $MSFT' }, 'Posts are limited to a maximum of one cashtag'],
    [{ text: 'The same' }, 'You are not allowed to create a Tweet with duplicate content.'],
    [
      { fields: { quotePostId: stranger.id } },
      'You can only reply to or quote posts where you are mentioned or are the author.',
    ],
    [
      { parent: { id: '7', url: null }, root: { id: '7', url: null } },
      'You attempted to reply to a Tweet that is deleted or not visible to you.',
    ],
    [
      { fields: { poll: { options: ['Yes'], durationMinutes: 60 } } },
      '[poll.options] must NOT have fewer than 2 items',
    ],
  ]
  fake.setTime(new Date())
  for (const [act, words] of refusals) {
    const error = await rejection(send(actOf(act), credentials, ioOf(fake)))
    t.has(error, { code: 'content_refused', maybeSent: false, retryable: false, needsAttention: false }, words)
    t.equal(error.message, `api.x.com: ${words}`)
  }
  const summoned = fake.post({ text: 'What do you say, @ada_l?' }, '99')
  t.ok(await send(actOf({ text: 'Yes', fields: { quotePostId: summoned.id } }), credentials, ioOf(fake)))
})

t.test('a token without the rights needs its owner', async (t) => {
  const { fake, credentials } = await start(t)
  fake.grant.scopes = ['tweet.read', 'users.read', 'tweet.write']
  const missing = await rejection(send(actOf({ media: [fileOf('image/png')] }), credentials, ioOf(fake)))
  t.has(missing, { code: 'unauthorized', message: 'api.x.com: Forbidden', maybeSent: false, needsAttention: true })
  t.ok(await send(actOf(), credentials, ioOf(fake)), 'a text needs no media.write')

  fake.grant.isRevoked = true
  const revoked = await rejection(identify(credentials, ioOf(fake)))
  t.has(revoked, { code: 'unauthorized', message: 'api.x.com: Unauthorized', needsAttention: true })
})

t.test('a token expires after two hours', async (t) => {
  const { fake, credentials } = await start(t)
  fake.setTime(inSeconds(7201))
  t.has(await rejection(send(actOf(), credentials, ioOf(fake))), { code: 'unauthorized', needsAttention: true })
})

t.test('invalid credentials are refused without a call, and no message has them', async (t) => {
  const { fake, credentials } = await start(t)
  const wrong: Credentials[] = [
    { ...credentials, accessToken: 's3cret\nx-evil: 1' },
    { ...credentials, userId: '../s3cret' },
    {},
  ]
  for (const each of wrong) {
    const error = await rejection(send(actOf(), each, ioOf(fake)))
    t.has(error, { code: 'unauthorized', maybeSent: false, retryable: false, needsAttention: true })
    t.notMatch(error.message, /s3cret/)
  }
  t.strictSame(fake.log, [])
})

t.test('an app without credit rests for an hour with all its accounts', async (t) => {
  const { fake, credentials } = await start(t)
  fake.switches.hasCredit = false
  const expected = {
    code: 'app_restricted',
    maybeSent: false,
    retryable: true,
    needsAttention: false,
    retryAfterMs: 3_600_000,
    limitKey: `x:${credentials.clientId}`,
  }
  for (let form = 0; form < 2; form++) {
    const error = await rejection(send(actOf(), credentials, ioOf(fake)))
    t.has(error, expected)
    t.match(error.message, /^api\.x\.com: .*credits/)
  }
  fake.faults.push(
    { on: CREATE, instead: { status: 402 } },
    {
      on: CREATE,
      instead: { status: 403, body: { title: 'UsageCapped', detail: 'Usage cap exceeded: Monthly product cap' } },
    },
  )
  t.has(await rejection(send(actOf(), credentials, ioOf(fake))), expected, 'without a body')
  t.has(await rejection(send(actOf(), credentials, ioOf(fake))), expected, 'at the monthly cap')
  const { clientId: _, ...unknown } = credentials
  t.equal((await rejection(send(actOf(), unknown, ioOf(fake)))).limitKey, undefined)
})

t.test('after a 429 the account pauses until the limit ends, and the app where the limit is its own', async (t) => {
  const { fake, credentials } = await start(t)
  for (let count = 0; count < 100; count++) {
    await send(actOf({ text: `Number ${count}` }), credentials, ioOf(fake))
  }
  const first = await rejection(send(actOf(), credentials, ioOf(fake)))
  t.has(first, { code: 'rate_limited', message: 'api.x.com: Too Many Requests', limitKey: undefined })
  t.ok(first.retryAfterMs! > 800_000 && first.retryAfterMs! <= 900_000, `${first.retryAfterMs}`)

  const limits: [string, string | undefined][] = [
    ['x-user-limit-24hour', undefined],
    ['x-app-limit-24hour', `x:${credentials.clientId}`],
  ]
  for (const [name, limitKey] of limits) {
    const headers = {
      ...limitHeaders('x-rate-limit', 100, 12, inSeconds(60)),
      ...limitHeaders(name, 10_000, 0, inSeconds(40_000)),
    }
    fake.faults.push({ on: CREATE, instead: { ...throttled(inSeconds(1)), headers } })
    const error = await rejection(send(actOf(), credentials, ioOf(fake)))
    t.has(error, { code: 'rate_limited', limitKey }, name)
    t.ok(error.retryAfterMs! > 39_000_000 && error.retryAfterMs! <= 40_000_000, `${name}: ${error.retryAfterMs}`)
  }
})

t.test('a file that X refuses twice is to be uploaded anew', async (t) => {
  const { fake, credentials } = await start(t)
  fake.media.switches.processing = 0
  const act = actOf({ media: [fileOf('image/png')] })
  const { ready } = (await xAdapter.prepare(act, { ...ioOf(fake), credentials }, null)) as { ready: never }
  const [upload] = fake.media.uploads.values()
  upload!.state = 'processing'
  const error = await rejection(xAdapter.publish(act, { ...ioOf(fake), credentials }, ready))
  t.has(error, { code: 'server_error', maybeSent: false, retryable: true, discardsPrepared: true })
  t.equal(error.message, 'api.x.com: Your media IDs are invalid.')
  t.equal(fake.log.filter((call) => call === CREATE).length, 2)
})

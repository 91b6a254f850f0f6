import t from 'tap'
import { youtubeAdapter } from '../../src/platforms/youtube/adapter.ts'
import { untilMidnightPacificMs } from '../../src/platforms/youtube/client.ts'
import { youtubeOAuth } from '../../src/platforms/youtube/connect.ts'
import { actOf, ioOf, rejection } from '../helpers/adapter-calls.ts'
import { COMMENTS, startWithVideo as start, UPLOADS, videoOf } from '../helpers/youtube-calls.ts'
import { errorReply, quotaExceeded } from '../networks/fakes/youtube-replies.ts'

t.test('the quota rests all accounts of the app until midnight Pacific time', async (t) => {
  const { fake, send, parent, io } = await start(t)
  const limitKey = `youtube app ${fake.credentials.clientId}`
  t.hasStrict(await youtubeAdapter.identify(io), { externalId: fake.channel.id, username: '@lighthouses', limitKey })
  fake.switches.inserts = 0
  const error = await rejection(send({ postType: 'video', media: [videoOf(Buffer.from('a film'))] }))
  t.has(error, { code: 'rate_limited', maybeSent: false, retryable: true, limitKey })
  t.match(error.message, /operator/)
  t.ok(Math.abs(error.retryAfterMs! - untilMidnightPacificMs(new Date())) < 5_000)
  t.equal(fake.calls.at(-1)!.path, UPLOADS, 'the error of the quota of uploads')
  fake.faults.push({ on: COMMENTS, instead: quotaExceeded() })
  t.has(await rejection(send({ kind: 'comment', parent })), { code: 'rate_limited', limitKey })
  t.equal(untilMidnightPacificMs(new Date('2026-11-23T14:00:00Z')), 18 * 3_600_000, 'winter')
  t.equal(untilMidnightPacificMs(new Date('2026-07-01T07:00:01Z')), 86_399_000, 'summer')
})

t.test('an error says who has to act', async (t) => {
  const { fake, send, parent } = await start(t)
  const cases = [
    [403, 'accessNotConfigured', { code: 'app_restricted', retryable: true, needsAttention: false }, /operator/],
    [401, 'youtubeSignupRequired', { code: 'unauthorized', needsAttention: true }, /no YouTube channel/],
    [403, 'insufficientPermissions', { code: 'unauthorized', needsAttention: true }, /connect the account again/],
    [403, 'SERVICE_DISABLED', { code: 'app_restricted', retryable: true, needsAttention: false }, /operator/],
    [403, 'commentsDisabled', { code: 'content_refused', needsAttention: false }, /the words/],
    [400, 'uploadLimitExceeded', { code: 'rate_limited', retryAfterMs: 86_400_000 }, /own daily limit/],
    [404, 'videoNotFound', { code: 'server_error', retryable: true, maybeSent: false }, /the words/],
    [409, 'aborted', { code: 'server_error', retryable: true, maybeSent: false }, /the words/],
    [409, 'alreadyExists', { code: 'server_error', retryable: true, maybeSent: false }, /the words/],
  ] as const
  for (const [status, reason, expected, words] of cases) {
    fake.faults.push({ on: COMMENTS, instead: errorReply(status, reason, 'the words') })
    const error = await rejection(send({ kind: 'comment', parent }))
    t.has(error, expected, reason)
    t.match(error.message, words, reason)
  }
})

t.test('a limit for a short time rests the account alone', async (t) => {
  const { fake, send, parent } = await start(t)
  const words =
    "Quota exceeded for quota metric 'Queries' and limit 'Queries per minute' of service 'youtube.googleapis.com'."
  fake.faults.push({ on: COMMENTS, instead: errorReply(429, 'rateLimitExceeded', words, { 'retry-after': '60' }) })
  const error = await rejection(send({ kind: 'comment', parent }))
  t.has(error, { code: 'rate_limited', retryAfterMs: 60_000, limitKey: undefined })
})

t.test('the words of YouTube lose their HTML', async (t) => {
  const { fake, send, parent } = await start(t)
  const unknown = await rejection(send({ kind: 'playlist', parent, text: 'PLnone' }))
  t.match(
    unknown.message,
    "youtube.com: The playlist identified with the request's playlistId parameter cannot be found.",
  )
  fake.faults.push({ on: COMMENTS, instead: errorReply(400, 'invalidValue', 'A value <5 or > 7.') })
  t.match((await rejection(send({ kind: 'comment', parent }))).message, 'youtube.com: A value <5 or > 7.')
})

t.test('a response that is not a list does not prove that nothing is there', async (t) => {
  const { fake, io, send, parent } = await start(t)
  const unexpected = { code: 'unexpected_answer', retryable: true, needsAttention: false }
  const page = { status: 200, headers: { 'content-type': 'text/html' }, body: '<html>Log in to the Wi-Fi</html>' }
  for (const instead of [page, { status: 200, body: {} }, { status: 200, body: { items: null } }]) {
    fake.faults.push({ on: 'GET /youtube/v3/channels', instead })
    t.has(await rejection(youtubeAdapter.identify(io)), unexpected, 'the account keeps its channel')
    fake.faults.push({ on: 'GET /youtube/v3/playlistItems', instead })
    t.has(await rejection(send({ kind: 'playlist', parent, text: 'PLlighthouses1' })), unexpected)
  }
  t.same(fake.items, [], 'nothing is added twice')
})

t.test('a list of long comments is read to its end', async (t) => {
  const { fake, io, parent, send } = await start(t)
  const sent = await send({ kind: 'comment', parent, text: 'First!' })
  for (let index = 0; index < 99; index++) await send({ kind: 'comment', parent, text: '🐳'.repeat(5_000) })
  const act = actOf({ kind: 'comment', parent, text: 'First!' })
  t.strictSame(await youtubeAdapter.reconcile!(act, io, null), sent)
  t.equal(fake.comments.length, 100)
})

t.test('an app that Google does not know names the operator', async (t) => {
  const { fake } = await start(t)
  const { refresh } = youtubeOAuth
  fake.google.app.isDeleted = true
  const app = { clientId: fake.google.app.clientId, clientSecret: fake.google.app.clientSecret }
  const error = await rejection(refresh!.run(fake.credentials, app, ioOf(fake)))
  t.has(error, { needsAttention: false })
  t.match(error.message, /The OAuth client was deleted\. The operator/)
})

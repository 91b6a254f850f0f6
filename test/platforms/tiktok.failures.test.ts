import t from 'tap'
import type { Act } from '../../src/platforms/contract/adapter.ts'
import { tiktokAdapter } from '../../src/platforms/tiktok/adapter.ts'
import { actOf, clientOf, fileOf, ID_UNKNOWN, ioOf, rejection } from '../helpers/adapter-calls.ts'
import { startTiktok } from '../networks/fakes/tiktok.ts'
import { replyOf, throttled } from '../networks/fakes/tiktok-requests.ts'

const { send } = clientOf(tiktokAdapter)
const HOUR = 3_600_000
const PHOTOS = 'POST /v2/post/publish/content/init/'

const photosOf = (privacyLevel = 'PUBLIC_TO_EVERYONE', act: Partial<Act> = {}) =>
  actOf({ media: [fileOf('image/jpeg')], fields: { privacyLevel }, ...act })
const videoOf = (privacyLevel = 'PUBLIC_TO_EVERYONE') =>
  actOf({ media: [fileOf('video/mp4')], fields: { privacyLevel } })

t.test('what only the operator can change names the operator', async (t) => {
  const fake = await startTiktok(t)
  fake.switches.isAudited = false
  for (const act of [photosOf(), videoOf('SELF_ONLY')]) {
    const error = await rejection(send(act, fake.credentials, ioOf(fake)))
    t.has(error, { code: 'app_restricted', maybeSent: false, retryable: false, needsAttention: false })
    t.match(
      error.message,
      /^open\.tiktokapis\.com: TikTok has not audited the app .* until its operator passes the audit/,
    )
  }
  fake.switches.isPrivate = true
  for (const act of [photosOf('SELF_ONLY'), videoOf('SELF_ONLY')]) {
    await t.rejects(send(act, fake.credentials, ioOf(fake)), { message: ID_UNKNOWN }, 'for the account itself')
  }
  t.equal(fake.posts.length, 2)

  Object.assign(fake.switches, { isAudited: true, isPrivate: false, prefixes: ['https://other.example/'] })
  const error = await rejection(send(photosOf(), fake.credentials, ioOf(fake)))
  t.has(error, { code: 'app_restricted', maybeSent: false, retryable: false, needsAttention: false })
  t.match(error.message, 'the operator of this service has to verify its public address at TikTok, then retry')
  t.equal(fake.posts.length, 2)
})

t.test('the caps of a day are waited for, also where the status is 200', async (t) => {
  const fake = await startTiktok(t)
  const caps: [string, RegExp][] = [
    ['spam_risk_too_many_posts', /the account has reached the number of posts/],
    ['reached_active_user_cap', /the app of this service .* the operator can ask TikTok for a higher limit/],
  ]
  const waits = { code: 'rate_limited', maybeSent: false, retryable: true, retryAfterMs: 4 * HOUR }
  for (const [code, words] of caps) {
    fake.switches.cap = code
    const early = await rejection(send(photosOf(), fake.credentials, ioOf(fake)))
    t.has(early, waits, code)
    t.match(early.message, words)
    fake.switches.cap = null
    fake.faults.push({ on: PHOTOS, instead: replyOf(403, code) })
    t.has(await rejection(send(photosOf(), fake.credentials, ioOf(fake))), waits, `${code} with status 403`)
  }
  fake.switches.cap = 'spam_risk_user_banned_from_posting'
  const banned = await rejection(send(photosOf(), fake.credentials, ioOf(fake)))
  t.has(banned, { code: 'account_restricted', maybeSent: false, retryable: true, needsAttention: true })
  t.match(banned.message, 'TikTok has banned the account from posting')
  t.equal(fake.tasks.size, 0)
})

t.test('a limit without a time ends after a minute', async (t) => {
  const fake = await startTiktok(t)
  fake.faults.push({ on: PHOTOS, instead: throttled() })
  const error = await rejection(send(photosOf(), fake.credentials, ioOf(fake)))
  t.has(error, { code: 'rate_limited', maybeSent: false, retryAfterMs: 60_000 })
  for (let posts = 0; posts < 5; posts++) await send(photosOf(), fake.credentials, ioOf(fake))
  await send(photosOf(), fake.credentials, ioOf(fake))
  t.has(
    await rejection(send(videoOf(), fake.credentials, ioOf(fake))),
    { code: 'rate_limited' },
    'the seventh in a minute',
  )
})

t.test('the code of an error counts, not its status', async (t) => {
  const fake = await startTiktok(t)
  for (const status of [200, 400]) {
    fake.faults.push({ on: PHOTOS, instead: replyOf(status, 'rate_limit_exceeded') })
    const limited = await rejection(send(photosOf(), fake.credentials, ioOf(fake)))
    t.has(limited, { code: 'rate_limited', maybeSent: false, retryAfterMs: 60_000 }, `a limit with status ${status}`)
    fake.faults.push({ on: PHOTOS, after: true, instead: replyOf(status, 'internal_error') })
    const failed = await rejection(send(photosOf(), fake.credentials, ioOf(fake)))
    t.has(failed, { code: 'server_error', maybeSent: true, retryable: true }, `a failure with status ${status}`)
  }
})

t.test('a full inbox holds back drafts alone', async (t) => {
  const fake = await startTiktok(t)
  fake.switches.initsMax = Number.POSITIVE_INFINITY
  const draft = photosOf(undefined, { fields: { postMode: 'MEDIA_UPLOAD' } })
  for (let drafts = 0; drafts < 5; drafts++) {
    await t.rejects(send(draft, fake.credentials, ioOf(fake)), { message: ID_UNKNOWN })
  }
  const error = await rejection(send(draft, fake.credentials, ioOf(fake)))
  // The account rests for `rate_limited`.
  t.has(error, { code: 'inbox_full', maybeSent: false, retryable: true, retryAfterMs: 4 * HOUR })
  t.match(error.message, 'five drafts of the last 24 hours wait in the inbox of the account')
  await send(photosOf(), fake.credentials, ioOf(fake))
})

t.test('a permission that was not granted is named', async (t) => {
  const fake = await startTiktok(t)
  const { accessToken } = fake.authorization.grant(['user.info.basic', 'video.publish'])
  const credentials = { ...fake.credentials, accessToken }
  await send(photosOf(), credentials, ioOf(fake))
  const draft = photosOf(undefined, { fields: { postMode: 'MEDIA_UPLOAD' } })
  const error = await rejection(send(draft, credentials, ioOf(fake)))
  t.has(error, { maybeSent: false, retryable: false })
  t.match(error.message, 'for drafts video.upload): connect it again, and allow all')
  t.equal(error.needsAttention, false, 'other posts of the account work')

  for (const [act, needsAttention] of [
    [draft, false],
    [photosOf(), true],
  ] as const) {
    fake.faults.push({ on: PHOTOS, instead: replyOf(400, 'scope_permission_missed') })
    const missed = await rejection(send(act, fake.credentials, ioOf(fake)))
    t.has(missed, { maybeSent: false, retryable: false, needsAttention })
    t.match(missed.message, 'connect it again, and allow all')
  }
})

t.test('a post that TikTok refuses afterwards has failed, in plain words', async (t) => {
  const fake = await startTiktok(t)
  const cases = {
    picture_size_check_failed: ': the width or height of a file is not supported',
    spam_risk: ': TikTok considers the post spam',
    auth_removed: ': the account has removed its permission: connect it again',
    something_new: '',
  }
  for (const [reason, words] of Object.entries(cases)) {
    fake.switches.processing = reason
    const rejected = `TikTok could not publish the post (${reason})${words}`
    const message = `processed: ${JSON.stringify({ rejected })}`
    await t.rejects(send(videoOf(), fake.credentials, ioOf(fake)), { message })
  }
  const png = photosOf(undefined, { media: [fileOf('image/png')] })
  fake.switches.processing = 0
  await t.rejects(send(png, fake.credentials, ioOf(fake)), { message: /rejected.*file_format_check_failed/ })
  t.equal(fake.posts.length, 0)
})

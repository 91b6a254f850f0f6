import t from 'tap'
import { facebookAdapter } from '../../src/platforms/facebook/adapter.ts'
import { actOf, clientOf, fileOf, ioOf, rejection } from '../helpers/adapter-calls.ts'
import { APP_ID, PAGE_ID, startFacebook, throttled } from '../networks/fakes/facebook.ts'
import { graphError } from '../networks/fakes/facebook-errors.ts'

const { send } = clientOf(facebookAdapter)

const FEED = `POST /v26.0/${PAGE_ID}/feed`

t.test('the code of an error decides what it means, not its status', async (t) => {
  const fake = await startFacebook(t)
  const unauthorized = { code: 'unauthorized', maybeSent: false, retryable: false, needsAttention: true }
  const refused = { code: 'content_refused', maybeSent: false, retryable: false, needsAttention: false }
  const unknown = { code: 'server_error', maybeSent: true, retryable: true, needsAttention: false }
  const later = { code: 'server_error', maybeSent: false, retryable: true, needsAttention: false }
  const restricted = { code: 'account_restricted', maybeSent: false, retryable: true, needsAttention: true }
  const limited = { code: 'rate_limited', maybeSent: false, retryable: true, needsAttention: false }
  const cases: [code: number, subcode: number | undefined, expected: object][] = [
    [190, undefined, unauthorized],
    ...[458, 460, 463, 467, 492].map((subcode): [number, number, object] => [190, subcode, unauthorized]),
    ...[459, 464].map((subcode): [number, number, object] => [190, subcode, restricted]),
    ...[3, 10, 102, 104, 200, 283, 299].map((code): [number, undefined, object] => [code, undefined, unauthorized]),
    [368, undefined, limited],
    [368, 4854002, restricted],
    [368, 1404082, refused],
    [100, 1404078, restricted],
    ...[4, 17, 32, 341, 613, 80001].map((code): [number, undefined, object] => [code, undefined, limited]),
    [1, 99, unknown],
    [2, undefined, unknown],
    [100, 33, later],
    [389, undefined, later],
    [6001, undefined, later],
    [6000, 1363030, later],
    [100, undefined, refused],
    [506, undefined, refused],
    [1609005, undefined, refused],
    [6000, undefined, refused],
    [2500, undefined, refused],
  ]
  for (const [code, subcode, expected] of cases) {
    for (const status of [400, 403]) {
      const instead = graphError(code, 'In the words of Facebook', { error_subcode: subcode }, status)
      fake.faults.push({ on: FEED, instead })
      const error = await rejection(send(actOf(), fake.credentials, ioOf(fake)))
      t.has(error, expected, `${code} ${subcode} with status ${status}`)
      t.equal(error.message, 'facebook.com: In the words of Facebook')
    }
  }
  t.same(fake.posts, [])
})

t.test('the message for users is preferred, and never has the token', async (t) => {
  const fake = await startFacebook(t)
  const words = `Your Page ${fake.credentials.accessToken} cannot post`
  fake.faults.push({ on: FEED, instead: graphError(100, '(#100) Invalid', { error_user_msg: words }) })
  const { message } = await rejection(send(actOf(), fake.credentials, ioOf(fake)))
  t.equal(message, 'facebook.com: Your Page … cannot post')
})

t.test('a limit of the Page has the pause that Facebook names in minutes', async (t) => {
  const fake = await startFacebook(t)
  fake.faults.push({ on: FEED, instead: throttled(300) })
  const own = await rejection(send(actOf(), fake.credentials, ioOf(fake)))
  t.has(own, { code: 'rate_limited', retryAfterMs: 300_000, limitKey: undefined })
  for (const code of [4, 341]) {
    fake.faults.push({ on: FEED, instead: graphError(code, 'Application request limit reached') })
    const shared = await rejection(send(actOf(), fake.credentials, ioOf(fake)))
    t.has(shared, { code: 'rate_limited', retryAfterMs: undefined, limitKey: `facebook app ${APP_ID}` })
  }
  for (const usage of ['', '{', '[]', 'null', '"a"', '{"1":[{"estimated_time_to_regain_access":0}]}', '{"1":null}']) {
    const reply = { ...graphError(32, 'Page request limit reached'), headers: { 'x-business-use-case-usage': usage } }
    fake.faults.push({ on: FEED, instead: reply })
    const error = await rejection(send(actOf(), fake.credentials, ioOf(fake)))
    t.has(error, { code: 'rate_limited', retryAfterMs: undefined }, usage)
  }
})

t.test('the 31st reel of a day waits', async (t) => {
  const fake = await startFacebook(t)
  fake.video.reelsLeft = 0
  const act = actOf({ postType: 'reel', media: [fileOf('video/mp4')] })
  const error = await rejection(send(act, fake.credentials, ioOf(fake)))
  t.has(error, { code: 'rate_limited', maybeSent: false, retryable: true })
})

t.test('a permission that was not granted is the owner’s concern', async (t) => {
  const fake = await startFacebook(t)
  fake.scopes.delete('pages_manage_posts')
  const error = await rejection(send(actOf(), fake.credentials, ioOf(fake)))
  t.has(error, { code: 'unauthorized', needsAttention: true })
  t.match(error.message, /pages_manage_posts/)
})

t.test('what Facebook refuses of a file or a text is refused', async (t) => {
  const fake = await startFacebook(t)
  const refused = { code: 'content_refused', maybeSent: false, retryable: false }
  const acts = [
    actOf({ text: '' }),
    actOf({ fields: { link: 'https://gone.invalid/' } }),
    actOf({ media: [fileOf('image/webp')] }),
    actOf({ text: 'a'.repeat(131), fields: { textFormatPresetId: '1' } }),
  ]
  for (const act of acts) t.has(await rejection(send(act, fake.credentials, ioOf(fake))), refused)
  fake.refusesRepeats = true
  await send(actOf(), fake.credentials, ioOf(fake))
  t.has(await rejection(send(actOf(), fake.credentials, ioOf(fake))), refused, 'a repeated text')
  t.equal(fake.posts.length, 1)
})

t.test('ids that are none are not taken over', async (t) => {
  const fake = await startFacebook(t)
  for (const id of ['', '1/2', 'a', '1_2_3', null, {}, '1'.repeat(40)]) {
    fake.faults.push({ on: FEED, instead: { status: 200, body: { id } } })
    const error = await rejection(send(actOf(), fake.credentials, ioOf(fake)))
    t.has(error, { code: 'unexpected_answer', maybeSent: true }, JSON.stringify(id))
  }
})

t.test('only addresses of Facebook are kept', async (t) => {
  const fake = await startFacebook(t)
  const cases: [given: unknown, kept: string | null][] = [
    ['/reel/1/', 'https://www.facebook.com/reel/1/'],
    ['https://m.facebook.com/1', 'https://m.facebook.com/1'],
    ['https://notfacebook.com/1', null],
    ['https://facebook.com.example.com/1', null],
    ['javascript:alert(1)', null],
    ['//elsewhere.example/1', null],
    [`/${'a'.repeat(3_000)}`, null],
    [undefined, null],
    [7, 'https://www.facebook.com/7'],
  ]
  for (const [permalink_url, kept] of cases) {
    fake.faults.push({ on: FEED, instead: { status: 200, body: { id: '1_2', permalink_url } } })
    t.same(await send(actOf(), fake.credentials, ioOf(fake)), { id: '1_2', url: kept })
  }
})

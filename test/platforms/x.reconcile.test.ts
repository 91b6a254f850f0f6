import t from 'tap'
import { xAdapter } from '../../src/platforms/x/adapter.ts'
import { timeline } from '../../src/platforms/x/limits.ts'
import { actOf, clientOf, fileOf, ioOf, rejection } from '../helpers/adapter-calls.ts'
import type { Teardown } from '../helpers/database.ts'
import { reset } from '../networks/fakes/network.ts'
import { startX } from '../networks/fakes/x.ts'

const { send, reconcile } = clientOf(xAdapter)

const CREATE = 'POST /2/tweets'

async function start(t: Teardown) {
  const fake = await startX(t)
  return { fake, credentials: fake.credentials }
}

const LOOKS_MAX = timeline.pausesMs.length

/** The timeline is not read again. */
const unread = { uploads: [], uploadedAt: 0, looks: LOOKS_MAX }

t.test('an act whose response was lost is found in the timeline', async (t) => {
  const { fake, credentials } = await start(t)
  const root = await send(actOf({ text: 'Root' }), credentials, ioOf(fake))
  const poll = { options: ['Yes', 'No'], durationMinutes: 60 }
  const acts = [
    actOf({ text: '  <b> & &amp; @bob https://example.com/a?b=c&d=e\n\nexample.org  sea  ' }),
    actOf({ text: 'Cafe\u0301 http://example.com/ http://example.com/b' }),
    actOf({ text: 'A part', parent: root, root }),
    actOf({ kind: 'comment', text: 'A comment', parent: root, root, fields: { poll } }),
    actOf({ text: 'Sea?', fields: { poll } }),
    actOf({ text: 'Quoted', fields: { quotePostId: root.id } }),
    actOf({ text: 'A picture https://example.com', media: [fileOf('image/png')] }),
    actOf({ text: '', media: [fileOf('image/png'), fileOf('image/jpeg')] }),
    actOf({ text: 'A film', media: [fileOf('video/mp4')] }),
  ]
  for (const act of acts) {
    const io = { ...ioOf(fake), credentials }
    let prepared = await xAdapter.prepare(act, io, null)
    while ('later' in prepared) prepared = await xAdapter.prepare(act, io, prepared.later.state)
    t.match(await reconcile(act, credentials, ioOf(fake), prepared.ready), { processing: {} }, 'not there yet')
    fake.faults.push({ on: CREATE, instead: reset, after: true })
    t.has(await rejection(xAdapter.publish(act, io, prepared.ready)), { maybeSent: true })
    const { id } = fake.posts[0]!
    const found = await reconcile(act, credentials, ioOf(fake), prepared.ready)
    t.strictSame(found, { id, url: `https://x.com/ada_l/status/${id}` }, act.text)
  }
})

t.test('a long text of a subscriber is compared as a whole', async (t) => {
  const { fake, credentials } = await start(t)
  fake.user.subscription_type = 'Premium'
  const text = `${'sea '.repeat(200)}https://example.com & more`
  const { id } = await send(actOf({ text }), credentials, ioOf(fake))
  t.has(await reconcile(actOf({ text }), credentials, ioOf(fake), unread), { id })
  t.equal(await reconcile(actOf({ text: `${text}!` }), credentials, ioOf(fake), unread), 'unknown')
})

t.test('a post that only resembles the act is not the act', async (t) => {
  const { fake, credentials } = await start(t)
  const startedAt = new Date('2026-03-01T12:00:00Z')
  const at = (time: string) => fake.setTime(new Date(`2026-03-01T${time}Z`))
  const find = (act = {}) => reconcile(actOf({ startedAt, ...act }), credentials, ioOf(fake), unread)
  const text = 'A lighthouse at dusk'

  at('11:58:00')
  const before = fake.post({ text })
  t.equal(await find(), 'unknown', 'posted before the act began')

  at('11:59:30')
  fake.post({ text, reply: { in_reply_to_tweet_id: before.id } })
  fake.post({ text: `${text}.` })
  fake.post({ text: `${text} https://example.com` })
  fake.post({ text, poll: { options: ['Yes', 'No'], duration_minutes: 60 } })
  fake.post({ text }, '99')
  t.equal(await find(), 'unknown', 'a reply, other texts, a poll, another account')
  t.equal(await find({ media: [fileOf('image/png')] }), 'unknown', 'without the file')

  const { id } = fake.post({ text })
  t.has(await find(), { id }, "X's clock may be half a minute behind")
  const parent = { id: before.id, url: null }
  t.has(await find({ parent, root: parent }), { id: fake.posts.at(-2)!.id }, 'the reply')
  fake.post({ text })
  t.equal(await find(), 'unknown', 'two equal posts')
})

t.test('a post without a text is found by its files alone', async (t) => {
  const { fake, credentials } = await start(t)
  const act = actOf({ text: '', media: [fileOf('image/png')] })
  const { id } = await send(act, credentials, ioOf(fake))
  const { mediaKey } = fake.media.find(fake.posts[0]!.media[0]!)
  const ready = (key: string | null) => ({ ...unread, uploads: [{ mediaKey: key }] })
  t.has(await reconcile(act, credentials, ioOf(fake), ready(mediaKey)), { id })
  t.equal(await reconcile(act, credentials, ioOf(fake), ready('3_1')), 'unknown', 'another file')
  t.equal(await reconcile(act, credentials, ioOf(fake), ready(null)), 'unknown', 'X named no key')
  t.equal(await reconcile(act, credentials, ioOf(fake)), 'unknown', 'nothing is known of the files')
})

t.test('the timeline is read again after each pause, and absence proves nothing', async (t) => {
  const { fake, credentials } = await start(t)
  const find = (looks: number) => reconcile(actOf(), credentials, ioOf(fake), { ...unread, looks })
  for (const [looks, afterMs] of timeline.pausesMs.entries()) {
    t.strictSame(await find(looks), { processing: { state: { ...unread, looks: looks + 1 }, afterMs } })
  }
  t.equal(await find(LOOKS_MAX), 'unknown')
  const earlier = { uploads: [], uploadedAt: 0, reads: 1 }
  const afterUpgrade = await reconcile(actOf(), credentials, ioOf(fake), earlier)
  t.match(afterUpgrade, { processing: { state: { looks: 1 } } }, 'a state of an earlier version is read from the start')
  t.equal(fake.switches.postsRead, 0, 'an empty page costs nothing')
  t.equal(fake.log.length, LOOKS_MAX + 2)
})

t.test('an app that may not read leaves the outcome unknown', async (t) => {
  const { fake, credentials } = await start(t)
  fake.grant.scopes = ['tweet.write']
  const error = await rejection(reconcile(actOf(), credentials, ioOf(fake), unread) as Promise<unknown>)
  t.has(error, { code: 'unauthorized', retryable: false })
  fake.faults.push({ on: `GET /2/users/${fake.user.id}/tweets`, instead: { status: 503 } })
  const away = await rejection(reconcile(actOf(), credentials, ioOf(fake), unread) as Promise<unknown>)
  t.has(away, { code: 'server_error', maybeSent: false, retryable: true })
})

t.test('a duplicate whose cause cannot be read is looked for later', async (t) => {
  const { fake, credentials } = await start(t)
  await send(actOf(), credentials, ioOf(fake))
  fake.faults.push({ on: `GET /2/users/${fake.user.id}/tweets`, instead: { status: 503 } })
  const error = await rejection(send(actOf(), credentials, ioOf(fake)))
  t.has(error, { code: 'server_error', maybeSent: true, retryable: true })
})

t.test('a timeline that changes texts and media keys shows the post, or its outcome stays unknown', async (t) => {
  const file = actOf({ text: 'A picture', media: [fileOf('image/png')] })
  const link = actOf({ text: 'See https://example.com/a?b=c&d <now>' })
  const cases = [
    [link, { changesTexts: true }, 'found'],
    [link, { changesTexts: false }, 'found'],
    [file, { keepsMediaKeys: true }, 'found'],
    [file, { keepsMediaKeys: false }, 'unknown'],
  ] as const
  for (const [act, switches, expected] of cases) {
    const { fake, credentials } = await start(t)
    Object.assign(fake.switches, switches)
    const io = { ...ioOf(fake), credentials }
    const prepared = await xAdapter.prepare(act, io, null)
    if (!('ready' in prepared)) throw new Error('images are ready immediately')
    const sent = await xAdapter.publish(act, io, prepared.ready)
    const found = await reconcile(act, credentials, io, { ...prepared.ready, looks: LOOKS_MAX })
    t.same(found, expected === 'found' ? sent : 'unknown', JSON.stringify(switches))
  }
})

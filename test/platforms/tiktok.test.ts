import t from 'tap'
import type { Act } from '../../src/platforms/contract/adapter.ts'
import type { Json } from '../../src/platforms/contract/io.ts'
import { tiktokAdapter } from '../../src/platforms/tiktok/adapter.ts'
import { actOf, clientOf, fileOf, ioOf, rejection } from '../helpers/adapter-calls.ts'
import { messages, video } from '../helpers/limits.ts'
import { collectProblems } from '../helpers/problems.ts'
import { startTiktok } from '../networks/fakes/tiktok.ts'

const { identify, send, reconcile } = clientOf(tiktokAdapter)
const PUBLIC = { privacyLevel: 'PUBLIC_TO_EVERYONE' }
const photosOf = (fields: Act['fields'] = PUBLIC, act: Partial<Act> = {}) =>
  actOf({ media: [fileOf('image/jpeg')], fields, ...act })
const videoOf = (fields: Act['fields'] = PUBLIC, act: Partial<Act> = {}) =>
  actOf({ media: [fileOf('video/mp4')], fields, ...act })

// Photos: the bytes of a video go to an address of their own, which carries no token.

t.test('a public post has the id that TikTok tells, to the last digit, and an address', async (t) => {
  const fake = await startTiktok(t)
  for (const hasIdList of [true, false]) {
    fake.switches.hasIdList = hasIdList
    for (const act of [photosOf(), videoOf()]) {
      const sent = await send(act, fake.credentials, ioOf(fake))
      const post = fake.posts.at(-1)!
      t.ok(BigInt(post.id) > Number.MAX_SAFE_INTEGER)
      t.strictSame(sent, { id: post.id, url: `https://www.tiktok.com/@ada.l/video/${post.id}` })
    }
  }
})

t.test('what TikTok offers is read before each post, and anything else is refused with what it offers', async (t) => {
  const fake = await startTiktok(t)
  fake.switches.isPrivate = true
  const offered = 'FOLLOWER_OF_CREATOR, MUTUAL_FOLLOW_FRIENDS, SELF_ONLY'
  for (const act of [photosOf(), videoOf()]) {
    const error = await rejection(send(act, fake.credentials, ioOf(fake)))
    t.has(error, { code: 'content_refused', maybeSent: false, retryable: false })
    const levels = `The levels that TikTok currently offers the account: ${offered}`
    t.equal(error.message, `privacyLevel is PUBLIC_TO_EVERYONE. ${levels}`)
  }
  t.equal(fake.tasks.size, 0, 'nothing is created')
  fake.switches.maxSeconds = 180
  const long = { media: [fileOf('video/mp4', { durationSeconds: 180.1 })] }
  const tooLong = await rejection(send(videoOf({ privacyLevel: 'SELF_ONLY' }, long), fake.credentials, ioOf(fake)))
  t.match(tooLong.message, 'The video lasts 180.1 seconds: TikTok lets the account post at most 180 seconds')
})

t.test('the longest video of a creator is known beforehand, and a draft may be longer', async (t) => {
  const { problems, check } = collectProblems()
  const fake = await startTiktok(t)
  for (const [maxSeconds, seconds] of [
    [180, 180],
    [3_600, 600],
  ] as const) {
    fake.switches.maxSeconds = maxSeconds
    const { facts } = await identify(fake.credentials, ioOf(fake))
    const longer = (fields: Act['fields'], durationSeconds: number) =>
      messages('tiktok', { facts: facts!, postType: 'video', fields, media: [video({ durationSeconds })] })
    check(longer(PUBLIC, seconds), [], `${seconds}`)
    check(
      longer(PUBLIC, seconds + 1).map((message) => message.match(/is .*/)?.[0]),
      [`is ${seconds + 1} seconds long, at most ${seconds} are allowed`],
      `${seconds + 1}`,
    )
    check(longer({ postMode: 'MEDIA_UPLOAD' }, 600), [], 'draft')
    check(longer({ postMode: 'MEDIA_UPLOAD' }, 601).length, 1, 'a draft that is too long')
  }
  t.strictSame(problems, [])
})

t.test('a creator who has reached a cap is identified, without the longest video', async (t) => {
  const fake = await startTiktok(t)
  fake.switches.cap = 'spam_risk_too_many_posts'
  const { externalId, facts } = await identify(fake.credentials, ioOf(fake))
  t.ok(externalId)
  t.equal(facts, undefined)
})

t.test('a cover after the end of the video is refused, since TikTok would show the first frame', async (t) => {
  const fake = await startTiktok(t)
  const media = [fileOf('video/mp4', { durationSeconds: 4.6 })]
  const withCover = (videoCoverTimestampMs: number) => videoOf({ ...PUBLIC, videoCoverTimestampMs }, { media })
  const error = await rejection(send(withCover(4_601), fake.credentials, ioOf(fake)))
  t.has(error, { code: 'content_refused', maybeSent: false, retryable: false })
  t.equal(error.message, 'videoCoverTimestampMs is 4601: the video lasts only 4.6 seconds')
  t.equal(fake.tasks.size, 0)
  await send(withCover(4_600), fake.credentials, ioOf(fake))
  t.equal(fake.posts[0]!.info.video_cover_timestamp_ms, 4_600)
})

t.test('the options of privacyLevel are those of the account, with what a program has to show', async (t) => {
  const fake = await startTiktok(t)
  const { read } = tiktokAdapter.options!.privacyLevel!
  const { options, facts } = await read({ ...ioOf(fake), credentials: fake.credentials }, {})
  t.strictSame(options, [
    { value: 'PUBLIC_TO_EVERYONE', label: 'Everyone' },
    { value: 'MUTUAL_FOLLOW_FRIENDS', label: 'Friends' },
    { value: 'SELF_ONLY', label: 'Only you' },
  ])
  t.strictSame(facts, {
    nickname: 'Ada Lovelace',
    commentDisabled: false,
    duetDisabled: false,
    stitchDisabled: true,
    maxVideoDurationSeconds: 600,
  })
})

t.test('the first of several public ids counts', async (t) => {
  const fake = await startTiktok(t)
  const data = '"status":"PUBLISH_COMPLETE","publicaly_available_post_id":[7301234567890123457,7301234567890123459]'
  const body = `{"data":{${data}},"error":{"code":"ok","message":""}}`
  fake.faults.push({ on: 'POST /v2/post/publish/status/fetch/', instead: { status: 200, body } })
  t.hasStrict(await send(photosOf(), fake.credentials, ioOf(fake)), { id: '7301234567890123457' })
})

/** Carries an act out until TikTok is asked for the outcome. Returns the stored state and TikTok's response. */
async function follow(fake: Awaited<ReturnType<typeof startTiktok>>, act: Act) {
  const io = { ...ioOf(fake), credentials: fake.credentials }
  let prepared = await tiktokAdapter.prepare(act, io, null)
  while ('later' in prepared) prepared = await tiktokAdapter.prepare(act, io, prepared.later.state)
  const published = await tiktokAdapter.publish(act, io, prepared.ready)
  if (!('processing' in published)) throw new Error('TikTok always needs time')
  let { state }: { state: Json } = published.processing
  const pauses: number[] = []
  for (;;) {
    const found = await reconcile(act, fake.credentials, ioOf(fake), state)
    if (typeof found === 'string' || !('processing' in found)) return { found, pauses }
    pauses.push(found.processing.afterMs)
    state = found.processing.state
  }
}

t.test('a post without a public id is out without id and address', async (t) => {
  const fake = await startTiktok(t)
  const nothing = { id: null, url: null }
  for (const privacyLevel of ['SELF_ONLY', 'MUTUAL_FOLLOW_FRIENDS']) {
    t.strictSame(await follow(fake, videoOf({ privacyLevel })), { found: nothing, pauses: [] }, privacyLevel)
  }
  fake.switches.idLooks = 2
  const moderated = await follow(fake, videoOf())
  t.hasStrict(moderated, { found: { id: fake.posts.at(-1)!.id }, pauses: [10_000, 50_000] })
  fake.switches.idLooks = 9
  t.strictSame(await follow(fake, photosOf()), { found: nothing, pauses: [10_000, 50_000, 240_000] })
})

t.test('a public id that cannot be read leaves the post out', async (t) => {
  const fake = await startTiktok(t)
  fake.switches.idLooks = 9
  const STATUS = 'POST /v2/post/publish/status/fetch/'
  const state = { publishId: 'v_pub_file~v2-1.1', upload: null, username: null, isPublished: true, looks: 1 }
  const rest = { wasReady: true, isAccepted: true, failures: 0 }
  fake.faults.push({ on: STATUS, instead: { status: 503 } })
  const found = await reconcile(videoOf(), fake.credentials, ioOf(fake), { ...state, ...rest })
  t.hasStrict(found, { processing: { afterMs: 50_000 } }, 'it is asked again')
  t.strictSame(await reconcile(videoOf(), fake.credentials, ioOf(fake), { ...state, ...rest }), { id: null, url: null })
})

t.test('a draft is handed over to the inbox, with what TikTok takes of it', async (t) => {
  const fake = await startTiktok(t)
  const fields = { postMode: 'MEDIA_UPLOAD', title: 'At sea', isAigc: true }
  for (const act of [photosOf(fields), videoOf(fields)]) {
    t.strictSame(await follow(fake, act), { found: { id: null, url: null }, pauses: [] })
  }
  t.strictSame(
    fake.drafts.map(({ kind, info }) => [kind, info]),
    [
      ['photo', { title: 'At sea', description: 'A lighthouse at dusk' }],
      ['video', {}],
    ],
  )
  t.equal(fake.posts.length, 0)
  t.notOk(
    fake.log.some((name) => name.includes('creator_info')),
    'drafts do not need it',
  )
})

t.test('photos need a public address', async (t) => {
  const fake = await startTiktok(t)
  const act = photosOf(PUBLIC, { media: [fileOf('image/jpeg', { publicUrl: () => null })] })
  t.has(await rejection(send(act, fake.credentials, ioOf(fake))), { code: 'public_url_missing', maybeSent: false })
})

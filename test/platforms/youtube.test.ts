import { randomBytes } from 'node:crypto'
import { Readable } from 'node:stream'
import t from 'tap'
import type { Act, PublishedFile } from '../../src/platforms/adapter.ts'
import { youtubeAdapter } from '../../src/platforms/youtube/adapter.ts'
import { untilMidnightPacificMs } from '../../src/platforms/youtube/client.ts'
import { CHUNK_BYTES } from '../../src/platforms/youtube/session.ts'
import type { State } from '../../src/platforms/youtube/state.ts'
import { actOf, carryOut, fileOf, ioOf, rejection } from '../helpers/adapter-calls.ts'
import { testAdapterContract } from '../helpers/adapter-contract.ts'
import type { Teardown } from '../helpers/database.ts'
import { reset } from '../networks/fakes/network.ts'
import { type FakeYoutube, startYoutube } from '../networks/fakes/youtube.ts'
import { errorReply, quotaExceeded, throttled } from '../networks/fakes/youtube-replies.ts'

const UPLOADS = '/upload/youtube/v3/videos'
const COMMENTS = 'POST /youtube/v3/commentThreads'
const THUMBNAILS = 'POST /upload/youtube/v3/thumbnails/set'

const sendersOf = (fake: FakeYoutube) => ({
  send: (act: Partial<Act>) => carryOut(youtubeAdapter, actOf(act), { ...ioOf(fake), credentials: fake.credentials }),
})

/** A video with this content, which can be read in parts. */
const videoOf = (content: Buffer): PublishedFile =>
  fileOf('video/mp4', {
    bytes: content.length,
    open: async (range) => {
      const { from, bytes } = range ?? { from: 0, bytes: content.length }
      return Readable.from([content.subarray(from, from + bytes)])
    },
  })

type Prepared = Awaited<ReturnType<typeof youtubeAdapter.prepare>>

/** What is kept until the next call of `prepare`. */
function keptOf(prepared: Prepared): State {
  if (!('later' in prepared)) throw new Error('nothing is left to prepare')
  return prepared.later.state
}

function readyOf(prepared: Prepared): State {
  if (!('ready' in prepared)) throw new Error('something is left to prepare')
  return prepared.ready
}

const start = async (t: Teardown) => {
  const fake = await startYoutube(t)
  const parent = fake.addVideo({ snippet: { title: 'Dusk' }, status: { privacyStatus: 'public' } }, Buffer.from('1'))
  return { fake, parent: { id: parent.id, url: null }, ...sendersOf(fake) }
}

// A comment, because each call for a video has the same name.
testAdapterContract(async (t) => {
  const { fake, parent } = await start(t)
  let count = 0
  const credentials = fake.credentials
  return {
    fake,
    send: (io) => {
      const comment = actOf({ kind: 'comment', text: `Comment ${++count}`, parent })
      return carryOut(youtubeAdapter, comment, { ...io, credentials })
    },
    limited: throttled,
    count: () => fake.comments.length,
    secret: credentials.accessToken,
    visible: COMMENTS,
  }
})

t.test('a video is uploaded in chunks, after its session was returned to be kept', async (t) => {
  const { fake, send } = await start(t)
  const content = randomBytes(2 * CHUNK_BYTES + 5)
  const act = { text: 'A lighthouse\nat dusk', postType: 'video' as const, media: [videoOf(content)] }
  const io = { ...ioOf(fake), credentials: fake.credentials }
  const first = await youtubeAdapter.prepare(actOf(act), io, null)
  t.match(first, { later: { state: { session: /upload_id=/, videoId: null } } })
  t.same(fake.log, [`POST ${UPLOADS}`], 'before any byte')
  fake.log.length = 0
  const sent = await send(act)
  const [, video] = fake.videos
  t.ok(video!.content.equals(content))
  t.match(video, { snippet: { title: 'A lighthouse', description: act.text, categoryId: '22' } })
  t.strictSame(video!.status, { privacyStatus: 'public', selfDeclaredMadeForKids: false })
  t.strictSame(sent, { id: video!.id, url: `https://www.youtube.com/watch?v=${video!.id}` })
  const put = `PUT ${UPLOADS}`
  t.same(fake.log, [`POST ${UPLOADS}`, put, put, put, 'intend', put, 'GET /youtube/v3/videos'])
  const short = await send({ ...act, postType: 'short' })
  t.equal(short.url, `https://www.youtube.com/shorts/${short.id}`)
})

t.test('after a kill at any byte, the session goes on, and makes one video', async (t) => {
  const { fake } = await start(t)
  const content = randomBytes(CHUNK_BYTES + 300_000)
  const act = actOf({ postType: 'video', media: [videoOf(content)] })
  const io = { ...ioOf(fake), credentials: fake.credentials }
  const cuts = [0, 1, 262_143, 262_144, CHUNK_BYTES - 1, CHUNK_BYTES, CHUNK_BYTES + 1, content.length - 1]
  for (const cut of [...cuts, content.length]) {
    const before = fake.videos.length
    const begun = keptOf(await youtubeAdapter.prepare(act, io, null))
    // The connection ends in the middle of a chunk, or its response is lost.
    const isFirst = cut < CHUNK_BYTES
    fake.uploading.storesBytes = isFirst ? cut : null
    const lost = { on: `PUT ${UPLOADS}`, after: true, instead: reset }
    if (isFirst) {
      // The query before the chunk.
      fake.faults.push({ ...lost, instead: { status: 308 } }, lost)
      t.has(await rejection(youtubeAdapter.prepare(act, io, begun)), { maybeSent: false, retryable: true })
    } else {
      const ready = readyOf(await youtubeAdapter.prepare(act, io, begun))
      fake.uploading.storesBytes = cut - CHUNK_BYTES
      fake.faults.push(lost)
      t.has(await rejection(youtubeAdapter.publish(act, io, ready) as Promise<unknown>), { maybeSent: true })
      const found = await youtubeAdapter.reconcile!(act, io, ready)
      if (cut === content.length) t.match(found, { id: fake.videos.at(-1)!.id }, 'it is complete')
      else t.equal(found, 'absent', `${cut}`)
    }
    fake.faults.length = 0
    const next = readyOf(await youtubeAdapter.prepare(act, io, begun))
    t.match(await youtubeAdapter.publish(act, io, next), {
      processing: { state: { videoId: fake.videos.at(-1)!.id } },
    })
    t.equal(fake.videos.length, before + 1, `${cut}: videos`)
    t.ok(fake.videos.at(-1)!.content.equals(content), `${cut}: content`)
  }
})

t.test('a session that ended before its last byte is replaced', async (t) => {
  const { fake, send } = await start(t)
  const content = randomBytes(CHUNK_BYTES + 5)
  const act = actOf({ postType: 'video', media: [videoOf(content)] })
  const io = { ...ioOf(fake), credentials: fake.credentials }
  const begun = keptOf(await youtubeAdapter.prepare(act, io, null))
  fake.sessions.clear()
  t.match(await youtubeAdapter.prepare(act, io, begun), { later: { state: { session: /upload_id=/ } } })
  t.equal(fake.sessions.size, 1)
  await send({ postType: 'video', media: [videoOf(content)] })
  t.equal(fake.videos.length, 2)
})

t.test('after its session, a video is found by its texts and its size, or is unknown', async (t) => {
  const { fake } = await start(t)
  const act = actOf({ postType: 'video', text: 'Dusk\nat sea', media: [videoOf(Buffer.from('a film'))] })
  const io = { ...ioOf(fake), credentials: fake.credentials }
  const begun = keptOf(await youtubeAdapter.prepare(act, io, null))
  const ready = readyOf(await youtubeAdapter.prepare(act, io, begun))
  await youtubeAdapter.publish(act, io, ready)
  fake.sessions.clear()
  const { id } = fake.videos.at(-1)!
  for (const state of [ready, null]) t.match(await youtubeAdapter.reconcile!(act, io, state), { id })
  const others = [{ text: 'Dawn' }, { media: [videoOf(Buffer.from('another film'))] }]
  for (const other of others) {
    let found = await youtubeAdapter.reconcile!({ ...act, ...other }, io, ready)
    const pauses: number[] = []
    while (typeof found === 'object' && 'processing' in found) {
      pauses.push(found.processing.afterMs)
      found = await youtubeAdapter.reconcile!({ ...act, ...other }, io, found.processing.state)
    }
    t.equal(found, 'unknown', 'a list that lacks it proves nothing')
    t.same(pauses, [90_000, 480_000])
  }
})

t.test('a session that has every byte and no video yet is asked again', async (t) => {
  const { fake } = await start(t)
  const act = actOf({ postType: 'video', media: [videoOf(Buffer.from('a film'))] })
  const io = { ...ioOf(fake), credentials: fake.credentials }
  const begun = keptOf(await youtubeAdapter.prepare(act, io, null))
  const ready = readyOf(await youtubeAdapter.prepare(act, io, begun))
  fake.uploading.completeLooks = 2
  const sent = await youtubeAdapter.publish(act, io, ready)
  t.match(sent, { processing: { state: { videoId: null } } })
  t.match(await youtubeAdapter.reconcile!(act, io, ready), { processing: { state: { videoId: null } } })
  t.match(await youtubeAdapter.reconcile!(act, io, ready), { id: fake.videos.at(-1)!.id })
  t.equal(fake.videos.length, 2)
})

t.test('the bytes go to Google alone', async (t) => {
  const { fake, send } = await start(t)
  for (const location of ['https://elsewhere.example/?upload_id=1', 'http://www.googleapis.com/', 'nowhere']) {
    fake.faults.push({ on: `POST ${UPLOADS}`, instead: { status: 200, headers: { location } } })
    const error = await rejection(send({ postType: 'video', media: [videoOf(Buffer.from('a film'))] }))
    t.has(error, { code: 'unexpected_answer', maybeSent: false }, location)
  }
})

t.test('what YouTube does not process is refused, in its own word', async (t) => {
  const { fake, send } = await start(t)
  fake.switches.processing = 'codec'
  await t.rejects(send({ postType: 'video', media: [videoOf(Buffer.from('a film'))] }), { message: /codec/ })
})

t.test('the quota rests all accounts of the app until midnight Pacific time', async (t) => {
  const { fake, send, parent } = await start(t)
  const limitKey = `youtube app ${fake.credentials.clientId}`
  const io = { ...ioOf(fake), credentials: fake.credentials }
  t.hasStrict(await youtubeAdapter.identify(io), { externalId: fake.channel.id, username: '@lighthouses', limitKey })
  fake.switches.inserts = 0
  const error = await rejection(send({ postType: 'video', media: [videoOf(Buffer.from('a film'))] }))
  t.has(error, { code: 'rate_limited', maybeSent: false, retryable: true, limitKey })
  t.match(error.message, /operator/)
  t.ok(Math.abs(error.retryAfterMs! - untilMidnightPacificMs(new Date())) < 5_000)
  fake.faults.push({ on: COMMENTS, instead: quotaExceeded() })
  t.has(await rejection(send({ kind: 'comment', parent })), { code: 'rate_limited', limitKey })
  t.equal(untilMidnightPacificMs(new Date('2026-11-23T14:00:00Z')), 18 * 3_600_000, 'winter')
  t.equal(untilMidnightPacificMs(new Date('2026-07-01T07:00:01Z')), 86_399_000, 'summer')
})

t.test('an error says who has to act', async (t) => {
  const { fake, send, parent } = await start(t)
  const cases = [
    [403, 'accessNotConfigured', { code: 'server_error', retryable: true, needsAttention: false }, /operator/],
    [401, 'youtubeSignupRequired', { code: 'unauthorized', needsAttention: true }, /no YouTube channel/],
    [403, 'insufficientPermissions', { code: 'unauthorized', needsAttention: true }, /the words/],
    [403, 'commentsDisabled', { code: 'content_refused', needsAttention: false }, /the words/],
    [400, 'uploadLimitExceeded', { code: 'rate_limited', retryAfterMs: 86_400_000 }, /own daily limit/],
    [404, 'videoNotFound', { code: 'server_error', retryable: true, maybeSent: false }, /the words/],
    [409, 'alreadyExists', { code: 'server_error', retryable: true, maybeSent: false }, /the words/],
  ] as const
  for (const [status, reason, expected, words] of cases) {
    fake.faults.push({ on: COMMENTS, instead: errorReply(status, reason, 'the words') })
    const error = await rejection(send({ kind: 'comment', parent }))
    t.has(error, expected, reason)
    t.match(error.message, words, reason)
  }
})

t.test('a thumbnail is passed on from its address', async (t) => {
  const { fake, send, parent } = await start(t)
  const image = { type: 'image/png', bytes: randomBytes(100_000) }
  fake.images.set('/a.png', image)
  const thumbnail = (text: string) => send({ kind: 'thumbnail', parent, text })
  t.strictSame(await thumbnail('https://images.example/a.png'), parent)
  t.ok(fake.videos[0]!.thumbnail!.bytes.equals(image.bytes))
  t.equal(fake.calls.find(({ path }) => path === '/a.png')?.headers.authorization, undefined)
  const refused = { code: 'content_refused', maybeSent: false, retryable: false }
  fake.images.set('/a.gif', { type: 'image/gif', bytes: Buffer.from('GIF') })
  t.match(await rejection(thumbnail('https://images.example/a.gif')), { ...refused, message: /a JPEG or a PNG/ })
  t.match(await rejection(thumbnail('https://images.example/none.png')), { ...refused, message: /status 404/ })
  const large = { 'content-type': 'image/png', 'content-length': '52428801' }
  fake.faults.push({ on: 'GET /a.png', instead: (_, response) => void response.writeHead(200, large).write('1') })
  t.match(await rejection(thumbnail('https://images.example/a.png')), { ...refused, message: /52428801 bytes/ })
  fake.faults.push({ on: 'GET /a.png', instead: { status: 503 } })
  const away = { code: 'unreachable', maybeSent: false, retryable: true }
  t.match(await rejection(thumbnail('https://images.example/a.png')), away)
  t.equal(fake.calls.filter(({ method, path }) => `${method} ${path}` === THUMBNAILS).length, 1)
})

t.test('a video is added to a playlist once', async (t) => {
  const { fake, send, parent } = await start(t)
  const act = { kind: 'playlist' as const, parent, text: 'PLlighthouses1' }
  const sent = await send(act)
  t.strictSame(sent, {
    id: fake.items[0]!.id,
    url: `https://www.youtube.com/watch?v=${parent.id}&list=PLlighthouses1`,
  })
  t.strictSame(await send(act), sent, 'a second time')
  t.equal(fake.items.length, 1)
  t.match(await rejection(send({ ...act, text: 'PLnone' })), { code: 'content_refused', message: /playlist/ })
})

t.test('playlists and categories are options', async (t) => {
  const { fake } = await start(t)
  const io = { ...ioOf(fake), credentials: fake.credentials }
  const { playlistId, categoryId } = youtubeAdapter.options!
  const playlist = { value: 'PLlighthouses1', label: 'Lighthouses at dusk', details: { privacyStatus: 'public' } }
  t.strictSame(await playlistId!.read(io, {}), { options: [playlist] })
  t.strictSame(await categoryId!.read(io, {}), {
    options: [
      { value: '1', label: 'Film & Animation' },
      { value: '22', label: 'People & Blogs' },
    ],
  })
})

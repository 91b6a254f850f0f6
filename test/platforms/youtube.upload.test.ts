import { randomBytes } from 'node:crypto'
import t from 'tap'
import { youtubeAdapter } from '../../src/platforms/youtube/adapter.ts'
import { limitsFor } from '../../src/platforms/youtube/facts.ts'
import { CHUNK_BYTES } from '../../src/platforms/youtube/session.ts'
import { actOf, rejection } from '../helpers/adapter-calls.ts'
import { videoLasting } from '../helpers/long-video.ts'
import { collectProblems } from '../helpers/problems.ts'
import { keptOf, readyOf, startWithVideo as start, UPLOADS, videoOf } from '../helpers/youtube-calls.ts'
import { reset } from '../networks/fakes/network.ts'
import { errorReply } from '../networks/fakes/youtube-replies.ts'

t.test('a video is uploaded in chunks, after its session was returned to be kept', async (t) => {
  const { fake, send, io } = await start(t)
  const content = randomBytes(2 * CHUNK_BYTES + 5)
  const act = { text: 'A lighthouse\nat dusk', postType: 'video' as const, media: [videoOf(content)] }
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
  const { fake, io } = await start(t)
  const content = randomBytes(CHUNK_BYTES + 300_000)
  const act = actOf({ postType: 'video', media: [videoOf(content)] })
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
  const { fake, send, io } = await start(t)
  const content = randomBytes(CHUNK_BYTES + 5)
  const act = actOf({ postType: 'video', media: [videoOf(content)] })
  const begun = keptOf(await youtubeAdapter.prepare(act, io, null))
  fake.sessions.clear()
  t.match(await youtubeAdapter.prepare(act, io, begun), { later: { state: { session: /upload_id=/ } } })
  t.equal(fake.sessions.size, 1)
  await send({ postType: 'video', media: [videoOf(content)] })
  t.equal(fake.videos.length, 2)
})

t.test('after its session, a video is found by its texts and its size, or is unknown', async (t) => {
  const { fake, io } = await start(t)
  const act = actOf({ postType: 'video', text: 'Dusk\nat sea', media: [videoOf(Buffer.from('a film'))] })
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
  const { fake, io } = await start(t)
  const act = actOf({ postType: 'video', media: [videoOf(Buffer.from('a film'))] })
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

t.test('bytes that YouTube does not store are not sent for ever', async (t) => {
  const { fake, io } = await start(t)
  const act = actOf({ postType: 'video', media: [videoOf(randomBytes(CHUNK_BYTES + 5))] })
  const begun = keptOf(await youtubeAdapter.prepare(act, io, null))
  // The query before the chunk, and the chunk.
  for (let call = 0; call < 2; call++) fake.faults.push({ on: `PUT ${UPLOADS}`, instead: { status: 308 } })
  const error = await rejection(youtubeAdapter.prepare(act, io, begun))
  t.has(error, { code: 'server_error', maybeSent: false, retryable: true })
  t.match(error.message, /stored less/)
})

t.test('a progress that cannot be read is not taken for none', async (t) => {
  const { fake, io } = await start(t)
  const act = actOf({ postType: 'video', media: [videoOf(Buffer.from('a film'))] })
  const begun = keptOf(await youtubeAdapter.prepare(act, io, null))
  const ready = readyOf(await youtubeAdapter.prepare(act, io, begun))
  for (const range of ['bytes=3-5', 'bytes=0-6', 'bytes=0-99999999999999999999', '']) {
    fake.faults.push({ on: `PUT ${UPLOADS}`, instead: { status: 308, headers: { range } } })
    t.has(
      await rejection(youtubeAdapter.reconcile!(act, io, ready)),
      { code: 'unexpected_answer', retryable: true },
      range,
    )
  }
})

t.test('only a refusal of YouTube itself ends an upload whose response was lost', async (t) => {
  const { fake, io } = await start(t)
  const act = actOf({ postType: 'video', text: 'Dusk at sea', media: [videoOf(Buffer.from('a film'))] })
  const begun = keptOf(await youtubeAdapter.prepare(act, io, null))
  const ready = readyOf(await youtubeAdapter.prepare(act, io, begun))
  fake.faults.push({ on: `PUT ${UPLOADS}`, instead: { status: 413, body: '<html>Too large</html>' } })
  t.match(await youtubeAdapter.reconcile!(act, io, ready), { processing: { afterMs: 90_000 } }, 'of a proxy')
  fake.faults.push({ on: `PUT ${UPLOADS}`, instead: errorReply(400, 'invalidVideoMetadata', 'The words.') })
  t.match(await youtubeAdapter.reconcile!(act, io, ready), { rejected: /The words/ })
  fake.faults.push({ on: `PUT ${UPLOADS}`, instead: { status: 308, headers: { range: 'bytes=0-5' } } })
  t.equal(await youtubeAdapter.reconcile!(act, io, { ...ready, looks: 10 }), 'unknown')
  await youtubeAdapter.publish(act, io, ready)
  fake.faults.push({ on: `PUT ${UPLOADS}`, instead: { status: 308, headers: { range: 'bytes=0-5' } } })
  const found = await youtubeAdapter.reconcile!(act, io, { ...ready, looks: 10 })
  t.match(found, { id: fake.videos.at(-1)!.id }, 'found among the uploads')
})

t.test('a channel that is not verified has short videos alone', async (t) => {
  const { problems, check } = collectProblems()
  const rows = { allowed: 43_200, eligible: 900, disallowed: 900, longUploadsUnspecified: 43_200 }
  for (const [status, seconds] of Object.entries(rows)) {
    const { fake, send, io } = await start(t)
    fake.channel.longUploadsStatus = status
    const { facts = {} } = await youtubeAdapter.identify(io)
    const { video, short } = limitsFor(facts).postTypes
    check([video!.video!.durationMaxSeconds, short!.video!.durationMaxSeconds], [seconds, 180], status)
    const sendLong = () => send({ postType: 'video', media: [videoOf(videoLasting(901))] })
    if (status === 'allowed') await sendLong()
    else if (seconds === 900) {
      const outcome = await sendLong().catch((error: Error) => error.message)
      check(outcome, 'processed: {"rejected":"youtube.com: the video was rejected (length)"}', status)
    }
  }
  t.strictSame(problems, [])
})

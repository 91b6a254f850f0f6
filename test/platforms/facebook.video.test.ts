import { randomBytes } from 'node:crypto'
import { Readable } from 'node:stream'
import t from 'tap'
import type { Act, ByteRange, PublishedFile } from '../../src/platforms/contract/adapter.ts'
import { facebookAdapter } from '../../src/platforms/facebook/adapter.ts'
import { actOf, clientOf, fileOf, ioOf, rejection } from '../helpers/adapter-calls.ts'
import { type FakeFacebook, PAGE_ID, startFacebook } from '../networks/fakes/facebook.ts'

const { send } = clientOf(facebookAdapter)

const VIDEOS = `POST /v26.0/${PAGE_ID}/videos`
const REELS = `POST /v26.0/${PAGE_ID}/video_reels`
const STORIES = `POST /v26.0/${PAGE_ID}/video_stories`

/** A file whose parts can be read, and the ranges that were read. */
function videoOf(content: Buffer): { file: PublishedFile; reads: (ByteRange | undefined)[] } {
  const reads: (ByteRange | undefined)[] = []
  const open = async (range?: ByteRange) => {
    reads.push(range)
    return Readable.from([range ? content.subarray(range.from, range.from + range.bytes) : content])
  }
  return { file: fileOf('video/mp4', { bytes: content.length, open }), reads }
}

const ioFor = (fake: FakeFacebook) => ({ ...ioOf(fake), credentials: fake.credentials })

/** Prepares once, from a state as it was stored. */
async function prepareOnce(act: Act, fake: FakeFacebook, saved: unknown) {
  const result = await facebookAdapter.prepare(act, ioFor(fake), JSON.parse(JSON.stringify(saved)))
  return 'later' in result ? { state: result.later.state, isReady: false } : { state: result.ready, isReady: true }
}

const phasesOf = ({ calls }: FakeFacebook) =>
  calls.filter(({ method }) => method === 'POST').map(({ body }) => (body as { upload_phase?: string })?.upload_phase)

t.test('a video is uploaded in the chunks that Facebook asks for, and the last call publishes it', async (t) => {
  const fake = await startFacebook(t)
  fake.video.chunkBytes = 1_000
  const content = randomBytes(2_500)
  const { file, reads } = videoOf(content)
  const act = actOf({ postType: 'video', text: 'The sea', media: [file], fields: { title: 'Waves' } })
  const pauses: number[] = []
  const sent = await send(act, fake.credentials, { ...ioOf(fake), pause: (ms) => pauses.push(ms) })
  t.same(phasesOf(fake), ['start', 'transfer', 'transfer', 'transfer', 'finish'])
  t.same(
    fake.calls.filter(({ method }) => method === 'POST').map(({ host }) => host),
    Array(5).fill('graph-video.facebook.com'),
  )
  t.same(reads, [
    { from: 0, bytes: 1_000 },
    { from: 1_000, bytes: 1_000 },
    { from: 2_000, bytes: 500 },
  ])
  const [video] = fake.video.videos.values()
  t.ok(video!.bytes.equals(content))
  t.same(video!.finished, { description: 'The sea', title: 'Waves' })
  t.same(sent, { id: video!.id, ref: `${PAGE_ID}_9${video!.id}`, url: `https://www.facebook.com/reel/${video!.id}/` })
  t.equal(fake.log.indexOf('intend'), fake.log.lastIndexOf(VIDEOS) - 1, 'the intent comes right before the last call')
  t.ok(pauses.length >= 2, 'the worker is given back')
})

t.test('the progress of a large upload is stored, and a killed worker sends nothing twice', async (t) => {
  const fake = await startFacebook(t)
  fake.video.chunkBytes = 20_000_000
  const { file, reads } = videoOf(Buffer.alloc(70_000_000, 'sea'))
  const act = actOf({ postType: 'video', media: [file] })
  const begun = await prepareOnce(act, fake, null)
  t.match(begun, { isReady: false, state: { video: { from: 0, isComplete: false } } })
  const part = await prepareOnce(act, fake, begun.state)
  t.match(part, { isReady: false, state: { video: { from: 40_000_000, isComplete: false } } })
  const end = await prepareOnce(act, fake, part.state)
  t.match(end, { isReady: true, state: { video: { from: 70_000_000, isComplete: true } } })
  // A worker that was killed has stored less than it sent: Facebook names the offset that it expects.
  t.match(await prepareOnce(act, fake, part.state), { isReady: true, state: { video: { isComplete: true } } })
  t.equal(fake.video.videos.size, 1)
  const sent = reads.reduce((sum, range) => sum + range!.bytes, 0)
  t.equal(sent, 90_000_000, 'one chunk was sent to find the offset')
})

t.test('an offset that Facebook keeps refusing ends the attempt', async (t) => {
  const fake = await startFacebook(t)
  const { file } = videoOf(Buffer.alloc(10))
  const act = actOf({ postType: 'video', media: [file] })
  const begun = await prepareOnce(act, fake, null)
  const error = {
    code: 6000,
    message: 'Try again',
    error_subcode: 1363037,
    error_data: { start_offset: 0, end_offset: 10 },
  }
  for (let call = 0; call < 4; call++) fake.faults.push({ on: VIDEOS, instead: { status: 400, body: { error } } })
  t.has(await rejection(prepareOnce(act, fake, begun.state)), { code: 'content_refused', maybeSent: false })
  const ranges = [
    { start_offset: 0, end_offset: 11 },
    { start_offset: -1, end_offset: 10 },
    { start_offset: 'a', end_offset: 10 },
    { start_offset: 5, end_offset: 5 },
    {},
  ]
  for (const range of ranges) {
    fake.faults.push({ on: VIDEOS, instead: { status: 200, body: range } })
    const code = 'unexpected_answer'
    t.has(await rejection(prepareOnce(act, fake, begun.state)), { code, maybeSent: false }, JSON.stringify(range))
  }
})

t.test('a reel is uploaded in one request, which goes on where it was cut off', async (t) => {
  const fake = await startFacebook(t)
  const content = randomBytes(5_000)
  const { file, reads } = videoOf(content)
  const act = actOf({ postType: 'reel', text: 'The sea', media: [file], fields: { title: 'Waves' } })
  const begun = await prepareOnce(act, fake, null)
  t.match(begun, { isReady: false }, 'the id of the video is stored before the upload')
  fake.video.cutOffAfterBytes = 3_000
  t.has(await rejection(prepareOnce(act, fake, begun.state)), { code: 'server_error', retryable: true })
  const end = await prepareOnce(act, fake, begun.state)
  t.ok(end.isReady)
  t.same(reads, [undefined, { from: 3_000, bytes: 2_000 }])
  const uploads = fake.calls.filter(({ host }) => host === 'rupload.facebook.com')
  t.match(
    uploads.map(({ headers }) => headers),
    [
      { offset: '0', file_size: '5000', authorization: `OAuth ${fake.credentials.accessToken}` },
      { offset: '3000', file_size: '5000', 'content-type': 'application/octet-stream' },
    ],
  )
  const [video] = fake.video.videos.values()
  t.ok(video!.bytes.equals(content))
  t.match(await prepareOnce(act, fake, begun.state), { isReady: true }, 'an upload that is complete is not repeated')
  t.equal(reads.length, 2)

  const published = await facebookAdapter.publish(act, ioFor(fake), end.state)
  t.match(published, { processing: { afterMs: 2_000, state: { isAccepted: true } } })
  t.match(fake.calls.at(-1), {
    body: {
      upload_phase: 'finish',
      video_id: video!.id,
      video_state: 'PUBLISHED',
      description: 'The sea',
      title: 'Waves',
    },
  })
})

t.test('an upload that arrives at the wrong offset is tried again, and a damaged one is refused', async (t) => {
  const fake = await startFacebook(t)
  const act = actOf({ postType: 'reel', media: [fileOf('video/mp4')] })
  const { state } = await prepareOnce(act, fake, null)
  const [id] = fake.video.videos.keys()
  const cases: [type: string, retriable: boolean, expected: object][] = [
    ['OffsetInvalidError', false, { code: 'server_error', maybeSent: false, retryable: true }],
    ['PartialRequestError', false, { code: 'server_error', maybeSent: false, retryable: true }],
    ['AnotherError', true, { code: 'server_error', maybeSent: false, retryable: true }],
    ['ProcessingFailedError', false, { code: 'content_refused', maybeSent: false, retryable: false }],
  ]
  for (const [type, retriable, expected] of cases) {
    const message = 'Request processing failed'
    // Meta's pages name the types, and not where they are.
    const bodies = [{ debug_info: { retriable, type, message } }, { error: { code: 100, type, message } }]
    for (const body of retriable ? bodies.slice(0, 1) : bodies) {
      fake.faults.push({ on: `POST /video-upload/v26.0/${id}`, instead: { status: 400, body } })
      const error = await rejection(prepareOnce(act, fake, state))
      t.has(error, expected, type)
      t.equal(error.message, 'facebook.com: Request processing failed')
    }
  }
  t.match(await prepareOnce(act, fake, state), { isReady: true })
})

t.test('a reel that Facebook processes is queried until it is live', async (t) => {
  const fake = await startFacebook(t)
  fake.video.processing = 3
  const act = actOf({ postType: 'reel', media: [fileOf('video/mp4')] })
  const pauses: number[] = []
  const sent = await send(act, fake.credentials, { ...ioOf(fake), pause: (ms) => pauses.push(ms) })
  const [id] = fake.video.videos.keys()
  t.same(sent, { id, ref: `${PAGE_ID}_9${id}`, url: `https://www.facebook.com/reel/${id}/` })
  t.equal(fake.log.filter((name) => name === REELS).length, 2)
  t.same(pauses, [1, 4_000, 8_000, 16_000])
})

t.test('a video that Facebook cannot process is refused in its words', async (t) => {
  const fake = await startFacebook(t)
  fake.video.processing = 'Video resolution is too low'
  const act = actOf({ postType: 'reel', media: [fileOf('video/mp4')] })
  const { state } = await prepareOnce(act, fake, null)
  const { state: ready } = await prepareOnce(act, fake, state)
  const published = await facebookAdapter.publish(act, ioFor(fake), ready)
  if (!('processing' in published)) throw new Error('Facebook processes reels')
  t.same(await facebookAdapter.reconcile!(act, ioFor(fake), published.processing.state), {
    rejected: 'facebook.com: Video resolution is too low',
  })
})

t.test('the comment under a video belongs to its post, or else to the video', async (t) => {
  const fake = await startFacebook(t)
  for (const hasPostIds of [true, false]) {
    fake.video.hasPostIds = hasPostIds
    const video = await send(actOf({ postType: 'video', media: [fileOf('video/mp4')] }), fake.credentials, ioOf(fake))
    const comment = actOf({ kind: 'comment', postType: 'video', text: 'First!', parent: video, root: video })
    await send(comment, fake.credentials, ioOf(fake))
    t.equal(fake.comments.at(-1)?.parent, hasPostIds ? `${PAGE_ID}_9${video.id}` : video.id)
  }
})

t.test('a story is a photo or a video without a text, and has the id and the address of its post', async (t) => {
  const fake = await startFacebook(t)
  const photo = actOf({ postType: 'story', text: 'Not shown', media: [fileOf('image/jpeg')] })
  const sentPhoto = await send(photo, fake.credentials, ioOf(fake))
  const video = actOf({ postType: 'story', text: 'Not shown', media: [fileOf('video/mp4')] })
  const sentVideo = await send(video, fake.credentials, ioOf(fake))
  const [ofVideo, ofPhoto] = fake.stories
  t.match(
    [ofPhoto, ofVideo],
    [
      { mediaType: 'photo', mediaId: [...fake.photos.keys()][0] },
      { mediaType: 'video', mediaId: [...fake.video.videos.keys()][0] },
    ],
  )
  t.same(sentPhoto, { id: ofPhoto!.postId, url: `https://facebook.com/stories/${ofPhoto!.postId}` })
  t.same(sentVideo, { id: ofVideo!.postId, url: `https://facebook.com/stories/${ofVideo!.postId}` })
  t.equal(fake.log.filter((name) => name === STORIES).length, 2)
  t.notOk(JSON.stringify(fake.calls.map(({ body }) => body)).includes('Not shown'))
})

t.test('a story that Facebook has confirmed and does not list is out, without an address', async (t) => {
  const fake = await startFacebook(t)
  fake.listedAfterMs = 3_600_000
  for (const mimeType of ['image/jpeg', 'video/mp4']) {
    const act = actOf({ postType: 'story', media: [fileOf(mimeType)] })
    const sent = await send(act, fake.credentials, ioOf(fake))
    t.same(sent, { id: fake.stories[0]!.postId, url: null })
  }
})

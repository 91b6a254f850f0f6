import { Readable } from 'node:stream'
import t from 'tap'
import type { PublishedFile } from '../../src/platforms/contract/adapter.ts'
import { linkedinAdapter } from '../../src/platforms/linkedin/adapter.ts'
import { NO_UPLOADS, type Uploads } from '../../src/platforms/linkedin/upload.ts'
import { actOf, clientOf, fileOf, ioOf, rejection } from '../helpers/adapter-calls.ts'
import type { Teardown } from '../helpers/database.ts'
import { type FakeLinkedin, startLinkedin } from '../networks/fakes/linkedin.ts'
import { reset } from '../networks/fakes/network.ts'

const { send } = clientOf(linkedinAdapter)

async function start(t: Teardown) {
  const fake = await startLinkedin(t)
  return { fake, member: fake.member, organization: fake.organization }
}

const assetsOf = (fake: FakeLinkedin) => [...fake.assets.values()]
const urnsOf = (fake: FakeLinkedin) => [...fake.assets.keys()]

/** A video of `bytes` bytes, each part of which can be opened. */
function videoOf(bytes: number): PublishedFile {
  const content = Buffer.from(Array.from({ length: bytes }, (_, index) => index % 251))
  const open: PublishedFile['open'] = async (range) =>
    Readable.from([range ? content.subarray(range.from, range.from + range.bytes) : content])
  return fileOf('video/mp4', { bytes, open })
}

t.test('an image is uploaded with its description and title, and waited for', async (t) => {
  const { fake, member } = await start(t)
  fake.imageProcessing = 1
  const media = [fileOf('image/png', { content: 'a png', altText: 'A lighthouse' })]
  const pauses: number[] = []
  const io = ioOf(fake, { pause: (ms) => pauses.push(ms) })
  await send(actOf({ media, fields: { mediaTitle: 'Dusk' } }), member, io)
  const [urn = ''] = urnsOf(fake)
  t.same(fake.log, [
    'POST /rest/images',
    `PUT /dms-uploads/${encodeURIComponent(urn)}/0`,
    `GET /rest/images/${encodeURIComponent(urn)}`,
    `GET /rest/images/${encodeURIComponent(urn)}`,
    'intend',
    'POST /rest/posts',
  ])
  t.same(pauses, [2000])
  t.same(fake.posts[0]?.content, { media: { id: urn, title: 'Dusk', altText: 'A lighthouse' } })
  t.same(fake.calls[0]?.body, { initializeUploadRequest: { owner: member.author } })
  t.equal(assetsOf(fake)[0]?.parts[0]?.toString(), 'a png')
})

t.test('several images and GIFs become one post', async (t) => {
  const { fake, organization } = await start(t)
  const media = [
    fileOf('image/png', { altText: 'é'.repeat(5000) }),
    fileOf('image/gif'),
    fileOf('image/jpeg', { altText: 'Third' }),
  ]
  await send(actOf({ media, fields: { altText: 'The sea' } }), organization, ioOf(fake))
  const [first, second, third] = urnsOf(fake)
  t.same(fake.posts[0]?.content, {
    multiImage: {
      images: [
        { id: first, altText: 'é'.repeat(4086) },
        { id: second, altText: 'The sea' },
        { id: third, altText: 'Third' },
      ],
    },
  })
})

t.test('a video is uploaded in parts without the token, finished, and waited for', async (t) => {
  const { fake, member } = await start(t)
  fake.partBytes = 400
  fake.processing = 2
  const { id } = await send(actOf({ media: [videoOf(1001)], fields: { mediaTitle: 'A film' } }), member, ioOf(fake))
  const [urn = ''] = urnsOf(fake)
  const path = encodeURIComponent(urn)
  t.same(fake.log, [
    'POST /rest/videos',
    ...[0, 1, 2].map((part) => `PUT /dms-uploads/${path}/${part}`),
    'POST /rest/videos',
    ...Array(3).fill(`GET /rest/videos/${path}`),
    'intend',
    'POST /rest/posts',
  ])
  t.ok(
    Buffer.concat(assetsOf(fake)[0]!.parts as Buffer[]).equals(
      Buffer.from(Array.from({ length: 1001 }, (_, i) => i % 251)),
    ),
  )
  t.same(fake.posts[0]?.content, { media: { id: urn, title: 'A film' } })
  t.match(id, /^urn:li:ugcPost:/)
})

t.test('the upload of a video goes on where it was stored, and every 16 MB are stored', async (t) => {
  const { fake, member } = await start(t)
  fake.partBytes = 2_000_000
  const bytes = 22_000_000
  const content = Buffer.alloc(bytes, 7)
  const file = fileOf('video/mp4', {
    bytes,
    open: async (range) =>
      Readable.from([content.subarray(range?.from ?? 0, (range?.from ?? 0) + (range?.bytes ?? bytes))]),
  })
  const act = actOf({ media: [file] })
  const io = { ...ioOf(fake), credentials: member }
  const runs: number[] = []
  let saved: Uploads | null = null
  for (;;) {
    const before = fake.log.filter((name) => name.startsWith('PUT')).length
    // A worker that dies here loses the parts of this run alone.
    if (runs.length === 1) {
      fake.faults.push({ on: `PUT /dms-uploads/${encodeURIComponent(urnsOf(fake)[0]!)}/10`, instead: reset })
      t.has(await rejection(linkedinAdapter.prepare(act, io, saved)), { maybeSent: false, retryable: true })
    }
    const prepared: Awaited<ReturnType<typeof linkedinAdapter.prepare>> = await linkedinAdapter.prepare(act, io, saved)
    runs.push(fake.log.filter((name) => name.startsWith('PUT')).length - before)
    if ('ready' in prepared) break
    saved = JSON.parse(JSON.stringify(prepared.later.state))
  }
  t.same(runs, [9, 4, 0, 0], 'parts of each run')
  t.equal(fake.assets.size, 1)
  t.equal(assetsOf(fake)[0]?.status, 'AVAILABLE')
})

t.test('an upload is finished once, also if that response was lost', async (t) => {
  const { fake, member } = await start(t)
  const act = actOf({ media: [videoOf(100)] })
  const io = { ...ioOf(fake), credentials: member }
  const first = await linkedinAdapter.prepare(act, io, null)
  if (!('later' in first)) throw new Error('a video is not ready immediately')
  fake.faults.push({ on: 'POST /rest/videos', after: true, instead: reset })
  t.has(await rejection(linkedinAdapter.prepare(act, io, first.later.state)), { maybeSent: false, retryable: true })
  const again = await linkedinAdapter.prepare(act, io, first.later.state)
  t.match(again, { ready: { urns: urnsOf(fake) } })
})

t.test('an upload whose addresses have expired starts again', async (t) => {
  const { fake, member } = await start(t)
  const act = actOf({ media: [videoOf(100)] })
  const io = { ...ioOf(fake), credentials: member }
  const first = await linkedinAdapter.prepare(act, io, null)
  if (!('later' in first)) throw new Error('a video is not ready immediately')
  const { state } = first.later
  await linkedinAdapter.prepare(act, io, { ...state, video: { ...state.video!, expiresAt: Date.now() - 1 } })
  t.equal(fake.assets.size, 2)
})

t.test('an upload whose addresses expire sooner than LinkedIn said starts again, once it had begun', async (t) => {
  const { fake, member } = await start(t)
  fake.partBytes = 9_000_000
  const act = actOf({ media: [videoOf(20_000_000)] })
  const io = { ...ioOf(fake), credentials: member }
  const body = { status: 400, code: 'EXPIRED_UPLOAD_URL', message: 'The upload URL has expired' }
  const expire = (video: Uploads['video'], part: number) =>
    fake.faults.push({ on: `PUT ${new URL(video!.parts[part]!.url).pathname}`, instead: { status: 400, body } })
  const first = await linkedinAdapter.prepare(act, io, null)
  if (!('later' in first)) throw new Error('a video is not ready immediately')
  t.equal(first.later.state.video?.etags.length, 2)
  expire(first.later.state.video, 2)
  const second = await linkedinAdapter.prepare(act, io, first.later.state)
  t.match(second, { later: { state: { video: null, urns: [] } } })
  await linkedinAdapter.prepare(act, io, NO_UPLOADS)
  t.equal(fake.assets.size, 2)

  const video = { ...first.later.state.video!, etags: [] }
  expire(video, 0)
  const refused = linkedinAdapter.prepare(act, io, { ...first.later.state, video })
  t.has(await rejection(refused), { code: 'content_refused', maybeSent: false })
})

t.test('files whose state may not be read are given time', async (t) => {
  const { fake, member } = await start(t)
  fake.mayReadAssets = false
  const act = actOf({ media: [fileOf('image/png')] })
  const io = { ...ioOf(fake), credentials: member }
  const first = await linkedinAdapter.prepare(act, io, null)
  if (!('later' in first)) throw new Error('it is not known whether the image is ready')
  t.ok(first.later.afterMs > 10_000 && first.later.afterMs <= 15_000)
  const { state } = first.later
  const ready = { ...state, uploadedAt: state.uploadedAt - 15_000 }
  t.same(await linkedinAdapter.prepare(act, io, ready), { ready })
})

t.test('a file that is not uploaded or processed leaves the act unsent', async (t) => {
  const { fake, member } = await start(t)
  fake.processing = 'VIDEO_TOO_SHORT'
  t.has(await rejection(send(actOf({ media: [videoOf(10)] }), member, ioOf(fake))), {
    code: 'content_refused',
    maybeSent: false,
    message: 'api.linkedin.com: the video could not be processed (VIDEO_TOO_SHORT)',
  })
  const value = { image: 'urn:li:image:1', uploadUrl: 'https://evil.example/' }
  for (const instead of [{ status: 500 }, reset, { status: 200, body: {} }, { status: 200, body: { value } }]) {
    fake.faults.push({ on: 'POST /rest/images', instead })
    const error = await rejection(send(actOf({ media: [fileOf('image/png')] }), member, ioOf(fake)))
    t.has(error, { maybeSent: false, retryable: true })
  }
  const parts = [{ uploadUrl: 'https://www.linkedin.com/dms-uploads/1', firstByte: 0, lastByte: 8 }]
  const video = { video: 'urn:li:video:1', uploadInstructions: parts }
  fake.faults.push({ on: 'POST /rest/videos', instead: { status: 200, body: { value: video } } })
  t.has(
    await rejection(send(actOf({ media: [videoOf(10)] }), member, ioOf(fake))),
    { code: 'unexpected_answer', maybeSent: false },
    'the parts do not cover the file',
  )
  t.notOk(fake.log.includes('intend'))
})

t.test('the card of a link has the title, description and picture of the caller', async (t) => {
  const { fake, organization } = await start(t)
  const io = ioOf(fake)
  const png = Buffer.from('a png')
  const fetch: typeof globalThis.fetch = async (input, init) =>
    String(input) === 'https://images.example/a.png'
      ? new Response(png, { headers: { 'content-type': 'image/png', 'content-length': String(png.length) } })
      : io.fetch(input, init)
  const card = { linkTitle: 'Dusk', linkDescription: 'At the pier.', linkImageUrl: 'https://images.example/a.png' }
  await send(actOf({ fields: { link: 'https://example.com/a', ...card } }), organization, { ...io, fetch })
  const [thumbnail] = urnsOf(fake)
  t.match(fake.posts[0], {
    content: {
      article: { source: 'https://example.com/a', title: 'Dusk', description: 'At the pier.', thumbnail },
    },
  })
  t.ok(thumbnail?.startsWith('urn:li:image:'))
})

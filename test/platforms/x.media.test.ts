import { randomBytes } from 'node:crypto'
import { Readable } from 'node:stream'
import t from 'tap'
import type { ByteRange, PublishedFile } from '../../src/platforms/contract/adapter.ts'
import { xAdapter } from '../../src/platforms/x/adapter.ts'
import { CHUNK_BYTES, SAVE_EVERY_BYTES } from '../../src/platforms/x/upload.ts'
import { actOf, clientOf, fileOf, ioOf, rejection } from '../helpers/adapter-calls.ts'
import type { Teardown } from '../helpers/database.ts'
import { reset } from '../networks/fakes/network.ts'
import { type FakeX, startX } from '../networks/fakes/x.ts'

const { send } = clientOf(xAdapter)

type State = Parameters<typeof xAdapter.publish>[2]

async function start(t: Teardown) {
  const fake = await startX(t)
  return { fake, credentials: fake.credentials }
}

/** A video of random bytes, of which parts can be read. */
function videoOf(bytes: number): { file: PublishedFile; content: Buffer } {
  const content = randomBytes(bytes)
  const open = async ({ from, bytes: length }: ByteRange = { from: 0, bytes }) =>
    Readable.from([content.subarray(from, from + length)])
  return { file: fileOf('video/mp4', { bytes, open }), content }
}

const uploaded = ({ media }: FakeX) => [...media.uploads.values()]
const appends = ({ log }: FakeX) => log.filter((name) => name.endsWith('/append')).length

/** One call of `prepare` with the state of the last one, as the engine stores it. */
async function prepare({ fake, credentials }: Awaited<ReturnType<typeof start>>, act = actOf(), saved?: State) {
  const result = await xAdapter.prepare(act, { ...ioOf(fake), credentials }, saved ?? null)
  const state = 'later' in result ? result.later.state : result.ready
  return { isReady: 'ready' in result, state: JSON.parse(JSON.stringify(state)) as State }
}

t.test('images take one call each, and one more for a description', async (t) => {
  const { fake, credentials } = await start(t)
  const media = [
    fileOf('image/png', { content: 'a png', altText: 'é'.repeat(2000) }),
    fileOf('image/jpeg', { content: 'a jpeg' }),
  ]
  await send(actOf({ media, text: '', fields: { altText: 'The sea' } }), credentials, ioOf(fake))
  const pair = ['POST /2/media/upload', 'POST /2/media/metadata']
  t.strictSame(fake.log, [...pair, ...pair, 'intend', 'POST /2/tweets'])
  t.strictSame(
    uploaded(fake).map(({ category, altText, chunks }) => [category, altText, String(chunks[0])]),
    [
      ['tweet_image', 'é'.repeat(1000), 'a png'],
      ['tweet_image', 'The sea', 'a jpeg'],
    ],
  )
  t.strictSame(fake.calls.at(-1)!.body, { text: '', media: { media_ids: uploaded(fake).map(({ id }) => id) } })
})

t.test('a GIF or video is uploaded by its category, and waited for as long as X asks', async (t) => {
  const cases = [
    ['image/gif', 'tweet_gif', 'The sea'],
    ['video/mp4', 'tweet_video', null],
    ['video/quicktime', 'tweet_video', null],
  ] as const
  for (const [type, category, altText] of cases) {
    const { fake, credentials } = await start(t)
    fake.media.switches.processing = 3
    const pauses: number[] = []
    const act = actOf({ media: [fileOf(type)], fields: { altText: 'The sea' } })
    await send(act, credentials, ioOf(fake, { pause: (ms) => pauses.push(ms) }))
    const [upload] = uploaded(fake)
    t.hasStrict(upload, { category, altText }, 'X has descriptions for images alone')
    t.strictSame(pauses, [2_000, 2_000, 2_000])
    t.strictSame(
      fake.log.filter((name) => name !== 'POST /2/media/metadata'),
      [
        'POST /2/media/upload/initialize',
        `POST /2/media/upload/${upload!.id}/append`,
        `POST /2/media/upload/${upload!.id}/finalize`,
        ...Array(3).fill('GET /2/media/upload'),
        'intend',
        'POST /2/tweets',
      ],
    )
  }
})

t.test('a video arrives in chunks, and its progress is stored after every 16 MB', async (t) => {
  const world = await start(t)
  const { fake } = world
  fake.media.switches.processing = 0
  const { file, content } = videoOf(SAVE_EVERY_BYTES + CHUNK_BYTES + 1000)
  const act = actOf({ media: [file] })
  const first = await prepare(world, act)
  t.equal(first.isReady, false)
  t.equal(first.state.uploads[0]!.bytesSent, SAVE_EVERY_BYTES)
  t.equal(appends(fake), SAVE_EVERY_BYTES / CHUNK_BYTES)

  const second = await prepare(world, act, first.state)
  t.equal(second.isReady, true)
  t.equal(appends(fake), SAVE_EVERY_BYTES / CHUNK_BYTES + 2)
  t.ok(Buffer.concat(uploaded(fake)[0]!.chunks).equals(content))
  t.equal(uploaded(fake).length, 1)
})

t.test('a video is continued after a crash where the progress was stored', async (t) => {
  for (const acceptsChunksAgain of [true, false]) {
    const world = await start(t)
    const { fake } = world
    Object.assign(fake.media.switches, { processing: 0, acceptsChunksAgain })
    const { file, content } = videoOf(SAVE_EVERY_BYTES + 3 * CHUNK_BYTES)
    const act = actOf({ media: [file] })
    const { state } = await prepare(world, act)
    // Two chunks arrive, and nothing of them is stored.
    const on = `POST /2/media/upload/${uploaded(fake)[0]!.id}/append`
    fake.faults.push({ on, instead: { status: 503 } })
    t.has(await rejection(prepare(world, act, state)), { maybeSent: false, retryable: true })
    fake.faults.push({ on, after: true, instead: reset })
    t.has(await rejection(prepare(world, act, state)), { maybeSent: false, retryable: true })

    let last = await prepare(world, act, state)
    for (let calls = 0; calls < 3 && !last.isReady; calls++) last = await prepare(world, act, last.state)
    t.equal(last.isReady, true)
    t.equal(uploaded(fake).length, acceptsChunksAgain ? 1 : 2, 'X may refuse to get a chunk twice')
    t.ok(Buffer.concat(uploaded(fake).at(-1)!.chunks).equals(content))
    t.equal(last.state.uploads[0]!.id, uploaded(fake).at(-1)!.id)
  }
})

t.test('uploaded files are used again for 20 hours, and uploaded again after them', async (t) => {
  const world = await start(t)
  const act = actOf({ media: [fileOf('image/png')] })
  const { state } = await prepare(world, act)
  t.strictSame((await prepare(world, act, state)).state, state)
  t.equal(uploaded(world.fake).length, 1)
  const old = { ...state, uploadedAt: Date.now() - 20 * 3_600_000 - 1 }
  t.notSame((await prepare(world, act, old)).state.uploads, state.uploads)
  t.equal(uploaded(world.fake).length, 2)
})

t.test('a file that is not uploaded or processed leaves the act unsent', async (t) => {
  const { fake, credentials } = await start(t)
  const act = actOf({ media: [fileOf('video/mp4')] })
  fake.media.switches.processing = 'Unsupported video codec'
  t.has(await rejection(send(act, credentials, ioOf(fake))), {
    code: 'content_refused',
    message: 'api.x.com could not process the file: Unsupported video codec',
    maybeSent: false,
    retryable: false,
  })
  fake.media.switches.processing = 1
  for (const instead of [
    { status: 500 },
    reset,
    { status: 200, body: {} },
    { status: 200, body: { data: { id: '../1' } } },
  ]) {
    fake.faults.push({ on: 'POST /2/media/upload/initialize', instead })
    t.has(await rejection(send(act, credentials, ioOf(fake))), { maybeSent: false, retryable: true })
  }
  const large = await rejection(
    send(
      actOf({
        media: [fileOf('image/png', { bytes: 5_242_881, open: async () => Readable.from([Buffer.alloc(5_242_881)]) })],
      }),
      credentials,
      ioOf(fake),
    ),
  )
  t.has(large, { code: 'content_refused', message: 'api.x.com: File size exceeds the maximum.' })
  t.notOk(fake.log.includes('intend'))
})

t.test('a file of another user is uploaded anew, not posted', async (t) => {
  const world = await start(t)
  const { fake, credentials } = world
  const act = actOf({ media: [fileOf('image/png')] })
  const { state } = await prepare(world, act)
  uploaded(fake)[0]!.isOwn = false
  const error = await rejection(xAdapter.publish(act, { ...ioOf(fake), credentials }, state))
  t.has(error, { maybeSent: false, retryable: true, discardsPrepared: true })
  t.equal(fake.posts.length, 0)
  await send(act, credentials, ioOf(fake))
  t.equal(fake.posts.length, 1)
})

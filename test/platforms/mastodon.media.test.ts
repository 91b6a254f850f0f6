import t from 'tap'
import { mastodonAdapter } from '../../src/platforms/mastodon/adapter.ts'
import { at } from '../../src/platforms/wire/json.ts'
import { actOf, clientOf, fileOf, ioOf, rejection } from '../helpers/adapter-calls.ts'
import type { Teardown } from '../helpers/database.ts'
import { type FakeMastodon, startMastodon } from '../networks/fakes/mastodon.ts'
import { reset } from '../networks/fakes/network.ts'

const { send } = clientOf(mastodonAdapter)

async function start(t: Teardown) {
  const fake = await startMastodon(t)
  return { fake, credentials: fake.credentials }
}

/** Bodies of the calls that create a status. */
const bodies = ({ calls }: FakeMastodon) =>
  calls.filter(({ path, method }) => method === 'POST' && path === '/api/v1/statuses').map(({ body }) => body)

t.test('images are uploaded with their descriptions before the intent', async (t) => {
  const { fake, credentials } = await start(t)
  const media = [
    fileOf('image/png', { content: 'a png', altText: 'A lighthouse' }),
    fileOf('image/jpeg', { content: 'a jpeg', altText: 'é'.repeat(5000) }),
    { ...fileOf('image/webp', { content: 'a webp' }), focus: { x: -0.25, y: 1 } },
  ]
  await send(actOf({ media, text: '', fields: { altText: 'The sea' } }), credentials, ioOf(fake))
  const upload = 'POST /api/v2/media'
  t.same(fake.log, [upload, upload, upload, 'intend', 'POST /api/v1/statuses'])
  t.same(
    fake.calls.slice(0, 3).map(({ files }) => files.map((file) => ({ ...file, bytes: file.bytes.toString() }))),
    [
      [{ field: 'file', name: 'image-1.png', type: 'image/png', bytes: 'a png' }],
      [{ field: 'file', name: 'image-2.jpg', type: 'image/jpeg', bytes: 'a jpeg' }],
      [{ field: 'file', name: 'image-3.webp', type: 'image/webp', bytes: 'a webp' }],
    ],
  )
  t.same(
    fake.calls.slice(0, 3).map(({ body }) => at(body, 'focus')),
    [undefined, undefined, '-0.25,1'],
  )
  t.ok(Number(fake.calls[0]?.headers['content-length']) > 0, 'streamed, with a length')
  t.same(
    fake.statuses[0]?.media_attachments.map(({ description }) => description),
    ['A lighthouse', 'é'.repeat(1500), 'The sea'],
  )
  t.same(bodies(fake), [
    {
      visibility: 'public',
      sensitive: false,
      media_ids: fake.statuses[0]?.media_attachments.map(({ id }) => id),
    },
  ])
})

t.test('a video or GIF is waited for until the instance has processed it', async (t) => {
  for (const type of ['video/mp4', 'video/quicktime', 'image/gif']) {
    const { fake, credentials } = await start(t)
    fake.processing = 2
    const pauses: number[] = []
    await send(actOf({ media: [fileOf(type)] }), credentials, ioOf(fake, { pause: (ms) => pauses.push(ms) }))
    const look = `GET /api/v1/media/${fake.statuses[0]?.media_attachments[0]?.id}`
    t.same(fake.log, ['POST /api/v2/media', look, look, look, 'intend', 'POST /api/v1/statuses'], type)
    t.same(pauses, [500, 1000, 2000])
  }
})

t.test('uploaded files are used again within an hour, and uploaded again after it', async (t) => {
  const { fake, credentials } = await start(t)
  const act = actOf({ media: [fileOf('image/png')] })
  const io = { ...ioOf(fake), credentials }
  const first = await mastodonAdapter.prepare(act, io, null)
  if (!('ready' in first)) throw new Error('an image is ready immediately')
  t.same(await mastodonAdapter.prepare(act, io, first.ready), { ready: { ...first.ready, looks: 1 } })
  t.same(fake.log, ['POST /api/v2/media'])
  const old = { ...first.ready, uploadedAt: Date.now() - 3_600_001 }
  const again = await mastodonAdapter.prepare(act, io, old)
  t.notSame(again, { ready: old })
  t.same(fake.log, ['POST /api/v2/media', 'POST /api/v2/media'])
})

t.test('a file that is not uploaded or processed leaves the act unsent', async (t) => {
  const { fake, credentials } = await start(t)
  const act = actOf({ media: [fileOf('video/mp4')] })
  fake.processing = 'Error processing thumbnail for uploaded media'
  t.has(await rejection(send(act, credentials, ioOf(fake))), {
    code: 'content_refused',
    maybeSent: false,
    retryable: false,
    message: 'mastodon.example: Error processing thumbnail for uploaded media',
  })

  fake.processing = 1
  t.has(
    await rejection(send(act, credentials, ioOf(fake, { signal: AbortSignal.abort() }))),
    { code: 'timeout', maybeSent: false },
    'aborted',
  )
  for (const instead of [{ status: 500 }, reset, { status: 200, body: {} }]) {
    fake.faults.push({ on: 'POST /api/v2/media', instead })
    t.has(await rejection(send(act, credentials, ioOf(fake))), { maybeSent: false, retryable: true })
  }
  t.notOk(fake.log.includes('intend'))
})

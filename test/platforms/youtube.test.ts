import { randomBytes } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import t from 'tap'
import { youtubeAdapter } from '../../src/platforms/youtube/adapter.ts'
import { actOf, rejection } from '../helpers/adapter-calls.ts'
import { startWithVideo as start } from '../helpers/youtube-calls.ts'
import { errorReply } from '../networks/fakes/youtube-replies.ts'

const THUMBNAILS = 'POST /upload/youtube/v3/thumbnails/set'

// A comment, because each call for a video has the same name.

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

  const half = (_: unknown, response: ServerResponse) => {
    response.writeHead(200, { 'content-type': 'image/png', 'content-length': '100' })
    response.write('1', () => response.destroy())
  }
  fake.faults.push({ on: 'GET /a.png', instead: half })
  const lost = { code: 'disconnected', maybeSent: false, retryable: true, message: /^thumbnailUrl: images.example/ }
  t.match(await rejection(thumbnail('https://images.example/a.png')), lost)
  fake.switches.hasCustomThumbnails = false
  const unverified = await rejection(thumbnail('https://images.example/a.png'))
  t.match(unverified, {
    ...refused,
    message: /custom video thumbnails\. The owner of the channel verifies it at https:/,
  })
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

t.test('a video that YouTube adds although it does not find it is not added again', async (t) => {
  const { fake, io, send, parent } = await start(t)
  const act = { kind: 'playlist' as const, parent, text: 'PLlighthouses1' }
  const instead = errorReply(404, 'videoNotFound', 'Video not found.')
  fake.faults.push({ on: 'POST /youtube/v3/playlistItems', after: true, instead })
  t.has(await rejection(send(act)), { maybeSent: true, retryable: true })
  t.match(await youtubeAdapter.reconcile!(actOf(act), io, null), { id: fake.items[0]!.id })
})

t.test('playlists and categories are options', async (t) => {
  const { fake, io } = await start(t)
  const { playlistId, categoryId } = youtubeAdapter.options!
  const playlist = { value: 'PLlighthouses1', label: 'Lighthouses at dusk', details: { privacyStatus: 'public' } }
  t.strictSame(await playlistId!.read(io, {}), { options: [playlist] })
  for (let index = 2; index <= 120; index++) fake.playlists.set(`PLlighthouses${index}`, `Lighthouses ${index}`)
  const { options } = await playlistId!.read(io, {})
  t.strictSame([options.length, options.at(-1)?.value], [120, 'PLlighthouses120'], 'of all pages')
  t.strictSame(await categoryId!.read(io, {}), {
    options: [
      { value: '1', label: 'Film & Animation' },
      { value: '22', label: 'People & Blogs' },
    ],
  })
})

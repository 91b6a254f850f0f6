import { readFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { sql } from 'kysely'
import sharp from 'sharp'
import t, { type Test } from 'tap'
import { createWorld } from '../helpers/app.ts'
import { until } from '../helpers/until.ts'
import { filesIn, isClean, jpeg, upload } from '../helpers/upload.ts'

async function createScene(t: Test) {
  const world = await createWorld(t)
  const ada = await world.user()
  const add = async (bytes: Buffer) => (await upload(world.app, ada, [['file', bytes]])).body.id as string
  const preview = (id: string, query = '', headers: object = {}) =>
    world.app.inject({
      url: `/api/v1/media/${id}/preview${query}`,
      headers: { authorization: `Bearer ${ada.key}`, ...headers },
    })
  return { ...world, ada, add, preview }
}

t.test('a preview is an upright WebP without metadata, and wide enough', async (t) => {
  const { add, preview } = await createScene(t)
  const picture = sharp({ create: { width: 1000, height: 2000, channels: 3, background: 'teal' } })
  const turned = await picture.withMetadata({ orientation: 6, density: 300 }).jpeg().toBuffer()
  const id = await add(turned)
  for (const [query, width] of [
    ['', 320],
    ['?width=1', 160],
    ['?width=160', 160],
    ['?width=161', 320],
    ['?width=1280', 1280],
  ] as const) {
    const { statusCode, headers, rawPayload } = await preview(id, query)
    const { format, exif, ...size } = await sharp(rawPayload).metadata()
    t.strictSame([statusCode, headers['content-type'], format, exif], [200, 'image/webp', 'webp', undefined], query)
    t.match(size, { width, height: width / 2 })
  }
  const small = await sharp((await preview(await add(await jpeg(40, 30)))).rawPayload).metadata()
  t.match(small, { width: 40, height: 30 }, 'a smaller image keeps its size')
  const strip = await sharp({ create: { width: 10, height: 9000, channels: 3, background: 'teal' } })
    .png()
    .toBuffer()
  t.match(await sharp((await preview(await add(strip))).rawPayload).metadata(), { height: 1280 })
})

t.test('a preview is made once, however many ask at a time, and is deleted with its file', async (t) => {
  const { ada, add, preview, mediaDir, db } = await createScene(t)
  const id = await add(await jpeg(800, 400))
  const answers = await Promise.all(Array.from({ length: 10 }, () => preview(id)))
  t.strictSame(new Set(answers.map(({ statusCode, headers }) => `${statusCode} ${headers.etag}`)).size, 1)
  t.equal((await filesIn(mediaDir)).length, 2)
  t.ok(await isClean(db, mediaDir, 2))
  const { etag } = answers[0]!.headers
  t.equal((await preview(id, '', { 'if-none-match': etag })).statusCode, 304)
  t.equal((await ada.call('DELETE', `/media/${id}`)).status, 200)
  await until('the sweep has something to delete', async () => {
    const { rows } = await sql`select from loose_files where renewed_at is null`.execute(db)
    return rows.length === 1
  })
  t.equal((await preview(id)).statusCode, 404)
})

t.test('a preview whose bytes are lost is made again', async (t) => {
  const { add, preview, mediaDir } = await createScene(t)
  const id = await add(await jpeg(800, 400))
  const [original] = await filesIn(mediaDir)
  await preview(id)
  for (const path of await filesIn(mediaDir)) if (path !== original) await rm(path)
  t.strictSame([(await preview(id)).statusCode, (await preview(id)).statusCode], [500, 200])
})

t.test('videos and pictures that cannot be decoded have a grey picture of their shape', async (t) => {
  const { add, preview, mediaDir } = await createScene(t)
  const video = await add(readFileSync(new URL('../samples/plain.mp4', import.meta.url)))
  const large = await add(
    await sharp({ create: { width: 10_000, height: 6_000, channels: 3, background: 'teal' } })
      .png()
      .toBuffer(),
  )
  for (const [id, high] of [
    [video, null],
    [large, 192],
    [large, 192],
  ] as const) {
    const { statusCode, headers, body } = await preview(id)
    t.strictSame([statusCode, headers['content-type']], [200, 'image/svg+xml'])
    t.match(headers['content-security-policy'], /default-src 'none'/)
    t.match(body, high ? `width="320" height="${high}"` : '<path ')
  }
  t.equal((await filesIn(mediaDir)).length, 2)
})

t.test('previews of others do not exist, and a width is a number of pixels', async (t) => {
  const { app, user, add, preview } = await createScene(t)
  const id = await add(await jpeg())
  const eve = await user()
  const url = `/api/v1/media/${id}/preview`
  t.equal((await app.inject({ url, headers: { authorization: `Bearer ${eve.key}` } })).statusCode, 404)
  t.equal((await preview('none')).statusCode, 404)
  for (const query of ['?width=0', '?width=1281', '?width=a', '?width=', '?width=1&width=2']) {
    const { statusCode, json } = await preview(id, query)
    t.match([statusCode, json()], [400, { details: [{ path: ['width'] }] }], query)
  }
})

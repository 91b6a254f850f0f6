import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { sql } from 'kysely'
import sharp, { type Sharp } from 'sharp'
import t, { type Test } from 'tap'
import { createKey } from '../../src/features/auth/create-key.ts'
import { drawImage } from '../../src/features/media/draw-image.ts'
import type { Drawn } from '../../src/features/media/make-rendition.ts'
import { DECODED_PIXELS_MAX } from '../../src/platforms/rules/rendition.ts'
import { call, createFolder, createWorld } from '../helpers/app.ts'
import { callsOf, createNetworkWorld } from '../helpers/network-world.ts'
import { until } from '../helpers/until.ts'
import { filesIn, isClean, jpeg, upload } from '../helpers/upload.ts'

const noise = (width: number, height: number) =>
  sharp({
    create: { width, height, channels: 3, background: 'teal', noise: { type: 'gaussian', mean: 128, sigma: 60 } },
  })

async function createScene(t: Test, options: Parameters<typeof createWorld>[1] = {}) {
  const world = await createWorld(t, options)
  const ada = await world.user()
  const add = async (bytes: Buffer) => (await upload(world.app, ada, [['file', bytes]])).body.id as string
  const create = (body: object) => ada.call('POST', '/posts', { caption: 'Hi', ...body })
  const validate = async (body: object) => (await ada.call('POST', '/posts/validate', { caption: 'Hi', ...body })).body
  const instagram = await ada.account('instagram')
  /** The only rendition that is stored. */
  const made = async () => {
    const { storageKey } = await world.db
      .selectFrom('renditions')
      .select('storageKey')
      .where('storageKey', 'is not', null)
      .executeTakeFirstOrThrow()
    const path = (await filesIn(world.mediaDir)).find((path) => path.replaceAll('/', '').endsWith(storageKey!))
    return sharp(await readFile(path!))
  }
  return { ...world, ada, add, create, validate, instagram, made }
}

const GREEN = '#00ff00'
const isNear = (pixel: readonly number[], [red, green, blue]: readonly [number, number, number]) =>
  [red, green, blue].every((value, index) => Math.abs(value - pixel[index]!) < 24)

/** The colour of the pixel at this place. */
async function colourAt(image: Sharp, left: number, top: number): Promise<number[]> {
  return [...(await image.clone().extract({ left, top, width: 1, height: 1 }).raw().toBuffer())]
}

t.test('a file that a network does not take becomes a JPEG for it, and others get it as it is', async (t) => {
  const { connect, uploadFile, post, work, mastodon, bluesky, ada } = await createNetworkWorld(t)
  const png = await noise(1500, 1000).png().toBuffer()
  const file = await uploadFile(png)
  const accountIds = [await connect('mastodon'), await connect('bluesky')]
  const body = { accountIds, caption: 'Hi', mediaIds: [file], mediaFit: 'auto' }
  const validated = await ada.call('POST', '/posts/validate?include=parts', body)
  const id = await post(body)
  await work()
  t.same(callsOf(mastodon, '/api/v2/media')[0]!.files[0]!.bytes, png, 'Mastodon takes the PNG')
  const sent = callsOf(bluesky, 'uploadBlob')[0]!
  t.equal(sent.headers['content-type'], 'image/jpeg')
  const { adjustments } = (await ada.call('GET', `/posts/${id}`)).body
  t.match(adjustments, [{ accountId: accountIds[1], mediaId: file, why: ['media_bytes'], to: { width: 1500 } }])
  const [forMastodon, forBluesky] = validated.body.targets.map(
    ({ parts }: { parts: { files: object[] }[] }) => parts[0]!.files,
  )
  t.strictSame(forMastodon, [{ mediaId: file, altText: null }])
  t.strictSame(forBluesky, [{ mediaId: file, altText: null, rendition: adjustments[0].to }])
  t.equal(adjustments[0].to.bytes, sent.files[0]!.bytes.length)
})

t.test('without mediaFit, the same file is a violation, and nothing is made', async (t) => {
  const { instagram: account, add, create, validate, mediaDir } = await createScene(t)
  const body = { accountIds: [account], mediaIds: [await add(await noise(100, 100).png().toBuffer())] }
  for (const fit of [{}, { mediaFit: 'exact' }, { mediaFit: 'auto', accountOverrides: [exactFor(account)] }]) {
    t.match(await create({ ...body, ...fit }), { status: 400, body: { error: /is of type image\/png, allowed are/ } })
    t.match(await validate({ ...body, ...fit }), { violations: [{ rule: 'media_type' }], adjustments: [] })
  }
  t.equal((await filesIn(mediaDir)).length, 1)
})

t.test('a file that is attached several times and cannot be made to fit is one violation', async (t) => {
  const { instagram, ada, validate } = await createScene(t)
  const wide = await ada.media({ width: 4_000, height: 500, bytes: 10_000_000 })
  const body = { accountIds: [instagram], mediaIds: [wide, wide, wide] }
  const rulesOf = async (mediaFit: string) =>
    (await validate({ ...body, mediaFit })).violations.map(({ rule }: { rule: string }) => rule)
  t.strictSame(await rulesOf('auto'), await rulesOf('exact'))
  t.strictSame(await rulesOf('exact'), ['media_bytes', 'media_aspect_ratio'])
})

const exactFor = (accountId: string) => ({ accountId, mediaFit: 'exact' })

t.test('a rendition is upright, without metadata, and opaque where the network takes JPEG alone', async (t) => {
  const { add, create, instagram, made } = await createScene(t)
  const picture = sharp({
    create: { width: 400, height: 500, channels: 4, background: { r: 255, g: 0, b: 0, alpha: 0 } },
  }).composite([
    {
      input: await sharp({ create: { width: 400, height: 100, channels: 3, background: GREEN } })
        .png()
        .toBuffer(),
      top: 0,
      left: 0,
    },
  ])
  const turned = await picture.png().withMetadata({ orientation: 6, density: 300 }).toBuffer()
  const { status, body } = await create({ accountIds: [instagram], mediaIds: [await add(turned)], mediaFit: 'auto' })
  t.match([status, body.adjustments], [201, [{ to: { mimeType: 'image/jpeg', width: 500, height: 400 } }]])
  const image = await made()
  t.match(await image.metadata(), { width: 500, height: 400, format: 'jpeg', orientation: undefined, exif: undefined })
  t.ok(isNear(await colourAt(image, 490, 10), [0, 255, 0]), 'the top is right after the turn')
  t.ok(isNear(await colourAt(image, 10, 10), [255, 255, 255]), 'transparent pixels are white')
})

t.test('a transparent image stays transparent where the network takes WebP', async (t) => {
  const { ada, add, create, made } = await createScene(t)
  const tiktok = await ada.account('tiktok')
  const fields = { privacyLevel: 'SELF_ONLY' }
  const image = sharp({
    create: { width: 1200, height: 1600, channels: 4, background: { r: 255, g: 0, b: 0, alpha: 0.5 } },
  })
  const { body } = await create({
    accountIds: [tiktok],
    mediaIds: [await add(await image.png().toBuffer())],
    accountOverrides: [{ accountId: tiktok, fields, mediaFit: 'auto' }],
  })
  const to = { mimeType: 'image/webp', width: 1080, height: 1440 }
  t.match(body.adjustments, [{ to, why: ['media_type', 'media_short_side'] }])
  t.equal((await (await made()).stats()).isOpaque, false)
})

t.test('pad and crop change the aspect ratio to the nearest that the network takes', async (t) => {
  const { ada, add, create, instagram, made, db } = await createScene(t)
  const stripes = sharp({ create: { width: 400, height: 1000, channels: 3, background: GREEN } }).composite([
    {
      input: await sharp({ create: { width: 400, height: 500, channels: 3, background: '#0000ff' } })
        .png()
        .toBuffer(),
      top: 250,
      left: 0,
    },
  ])
  const file = await add(await stripes.jpeg({ quality: 95 }).toBuffer())
  const body = { accountIds: [instagram], mediaIds: [file] }
  t.match(await create({ ...body, mediaFit: 'auto' }), {
    status: 400,
    body: {
      error: /aspect ratio of 0.4 \(400x1000\), at least 0.8 is required. mediaFit changes nothing: the aspect/,
    },
  })
  const cropped = await create({ ...body, mediaFit: 'crop' })
  t.match(cropped.body.adjustments, [{ to: { width: 400, height: 500 }, why: ['media_aspect_ratio'] }])
  t.ok(isNear(await colourAt(await made(), 200, 5), [0, 0, 255]), 'the centre stays')
  await sql`delete from renditions`.execute(db)
  const padded = await create({ ...body, mediaFit: 'auto', padColor: '#FF0000', accountOverrides: [padFor(instagram)] })
  t.match(padded.body.adjustments, [{ to: { width: 800, height: 1000 } }])
  const image = await made()
  t.ok(isNear(await colourAt(image, 100, 500), [255, 0, 0]), 'bars have the colour')
  t.ok(isNear(await colourAt(image, 400, 500), [0, 0, 255]))
  t.match((await ada.call('GET', `/posts/${padded.body.id}`)).body, {
    mediaFit: 'auto',
    padColor: '#FF0000',
    targets: [{ mediaFit: 'pad' }],
  })
})

t.test('pad makes no image that is larger than those that are decoded', async (t) => {
  const { add, create, instagram, made } = await createScene(t)
  const strip = sharp({ create: { width: 400, height: 10_000, channels: 3, background: GREEN } })
  const file = await add(await strip.jpeg().toBuffer())
  const { body } = await create({ accountIds: [instagram], mediaIds: [file], mediaFit: 'pad' })
  const { width, height } = body.adjustments[0].to
  t.ok(width * height <= DECODED_PIXELS_MAX && width * height > 0.99 * DECODED_PIXELS_MAX, `${width}x${height}`)
  t.ok(width / height >= 0.8)
  const image = await made()
  t.match(await image.metadata(), { width, height })
  t.ok(isNear(await colourAt(image, Math.floor(width / 2), Math.floor(height / 2)), [0, 255, 0]))
  t.ok(isNear(await colourAt(image, 5, Math.floor(height / 2)), [255, 255, 255]))
})

t.test('crop keeps the focus of a file, as near to it as the edges allow', async (t) => {
  const { ada, add, create, instagram, made, db } = await createScene(t)
  const left = await sharp({ create: { width: 200, height: 200, channels: 3, background: GREEN } })
    .png()
    .toBuffer()
  const wide = sharp({ create: { width: 800, height: 200, channels: 3, background: '#0000ff' } })
  const whole = await wide
    .composite([{ input: left, top: 0, left: 0 }])
    .png()
    .toBuffer()
  const turned = sharp(whole).rotate(270).withMetadata({ orientation: 6 })
  const file = await add(await turned.png().toBuffer())
  for (const [focus, [first, last]] of [
    [{ x: -1, y: 0 }, ['green', 'blue']],
    [{ x: -0.49, y: 0.3 }, ['green', 'blue']],
    [{ x: 0.9, y: -1 }, ['blue', 'blue']],
    [null, ['blue', 'blue']],
  ] as const) {
    await ada.call('PATCH', `/media/${file}`, { focus })
    await sql`delete from renditions`.execute(db)
    const { body } = await create({ accountIds: [instagram], mediaIds: [file], mediaFit: 'crop' })
    t.match(body.adjustments, [{ to: { width: 382, height: 200 } }])
    const image = await made()
    const colours = { green: [0, 255, 0], blue: [0, 0, 255] } as const
    t.ok(isNear(await colourAt(image, 10, 100), colours[first]), `${JSON.stringify(focus)}: the left is ${first}`)
    t.ok(isNear(await colourAt(image, 370, 100), colours[last]), `${JSON.stringify(focus)}: the right is ${last}`)
  }
})

t.test('a stored post keeps its crop after a change of the focus, until updatePost', async (t) => {
  const { ada, add, create, instagram, db } = await createScene(t)
  const file = await add(await noise(800, 200).png().toBuffer())
  const body = { accountIds: [instagram], caption: 'a', mediaIds: [file], mediaFit: 'crop' }
  const { id } = (await create(body)).body
  const readTarget = async () => {
    const { renditions } = await db.selectFrom('postTargets').select('renditions').executeTakeFirstOrThrow()
    return (renditions as Record<string, { target: string }>)[file]!.target
  }
  const centred = await readTarget()
  t.equal((await ada.call('PATCH', `/media/${file}`, { focus: { x: -1, y: 0 } })).status, 200)
  t.equal(await readTarget(), centred)
  t.equal((await ada.call('PATCH', `/posts/${id}`, { caption: 'b' })).status, 200)
  t.not(await readTarget(), centred)
})

const padFor = (accountId: string) => ({ accountId, mediaFit: 'pad' })

t.test('a file has one rendition for a target, whoever asks at a time, and loses it with itself', async (t) => {
  const { ada, add, create, validate, instagram, mediaDir, db } = await createScene(t)
  const other = await ada.account('instagram')
  const file = await add(await noise(300, 300).png().toBuffer())
  const body = { accountIds: [instagram, other], mediaIds: [file], mediaFit: 'auto' }
  const [{ adjustments }, ...created] = await Promise.all([validate(body), create(body), create(body)])
  for (const each of created) t.strictSame([each.status, each.body.adjustments], [201, adjustments])
  t.equal(adjustments.length, 2)
  t.ok(await isClean(db, mediaDir, 2))
  const { rows: files } = await sql<{ key: string }>`
    select storage_key as key from media union all select storage_key from renditions`.execute(db)
  t.equal(files.length, 2)
  for (const { body } of created) t.equal((await ada.call('DELETE', `/posts/${body.id}`)).status, 200)
  t.equal((await ada.call('DELETE', `/media/${file}`)).status, 200)
  // One that both requests have made may be there as well.
  await until('the sweep has both files to delete', async () => {
    const { rows } = await sql`
      select from loose_files where renewed_at is null and storage_key = any(${files.map(({ key }) => key)})`.execute(
      db,
    )
    return rows.length === 2
  })
})

t.test('what cannot be made to fit is the violation, with the reason, and nothing is stored', async (t) => {
  const { ada, add, create, validate, instagram, mediaDir } = await createScene(t)
  const x = await ada.account('x')
  const frames = await noise(40, 80).removeAlpha().raw().toBuffer()
  const gif = await sharp(frames, { raw: { width: 40, height: 80, channels: 3, pageHeight: 40 } })
    .gif()
    .toBuffer()
  const bomb = sharp({ create: { width: 9_000, height: 6_000, channels: 3, background: 'teal' } })
  const largeAvif = sharp({ create: { width: 5_000, height: 3_500, channels: 3, background: 'teal' } })
  const broken = await noise(64, 64).avif().toBuffer()
  // Inside of the compressed pixels, which an upload does not decode.
  broken.fill(255, broken.length >> 1)
  for (const [account, bytes, reason] of [
    [instagram, gif, 'the network takes no such animation here'],
    [instagram, await bomb.png().toBuffer(), 'images of more than 51000000 pixels are not decoded'],
    [instagram, await largeAvif.avif({ effort: 0 }).toBuffer(), 'images of more than 17000000 pixels are not decoded'],
    [instagram, broken, 'the image cannot be decoded'],
    [x, await noise(20_000, 8).jpeg().toBuffer(), 'the image would be 8192x3 pixels large'],
  ] as const) {
    const body = { accountIds: [account], mediaIds: [await add(bytes)], mediaFit: 'auto' }
    const { status, body: created } = await create(body)
    t.match([status, created.error], [400, new RegExp(`mediaFit changes nothing: ${reason}$`)])
    t.match(await validate(body), { create: { status: 400, error: created.error } })
  }
  t.equal((await filesIn(mediaDir)).length, 5)
})

t.test('files that exceed a request together become smaller, the largest ones first', async (t) => {
  const { ada, add, create, validate } = await createScene(t)
  const discord = await ada.account('discord')
  const small = await add(await jpeg(300, 300))
  const large = await Promise.all(
    [0, 1, 2].map(async (at) =>
      add(
        await noise(1700, 1700 + at)
          .png({ compressionLevel: 1 })
          .toBuffer(),
      ),
    ),
  )
  const body = { accountIds: [discord], mediaIds: [small, ...large] }
  t.match((await create(body)).body.error, /has files of \d+ bytes in total, at most 26214400/)
  const { body: created, status } = await create({ ...body, mediaFit: 'auto' })
  t.equal(status, 201)
  const { adjustments } = created
  t.match(
    adjustments,
    large.map((mediaId) => ({ mediaId, to: { mimeType: 'image/jpeg' }, why: ['request_bytes'] })),
  )
  t.ok(adjustments.every(({ from }: { from: { bytes: number } }) => from.bytes > 8_000_000 && from.bytes < 10_485_760))
  t.strictSame((await validate({ ...body, mediaFit: 'auto' })).violations, [])
})

t.test('an animation becomes smaller, and another type where the network takes no other', async (t) => {
  const { ada, add, create, made, db } = await createScene(t)
  const [telegram, mastodon, linkedin] = await Promise.all(
    (['telegram', 'mastodon', 'linkedin'] as const).map((network) => ada.account(network)),
  )
  const frames = (width: number, height: number, count: number) =>
    sharp({ create: { width, height: height * count, channels: 3, background: 'teal' } })
      .raw()
      .toBuffer()
      .then((bytes) => sharp(bytes, { raw: { width, height: height * count, channels: 3, pageHeight: height } }))
  const gif = await (await frames(1200, 900, 3)).gif({ delay: [50, 50, 50], keepDuplicateFrames: true }).toBuffer()
  const body = { mediaIds: [await add(gif)], mediaFit: 'auto' }
  t.match(await create({ ...body, accountIds: [telegram] }), { status: 201, body: { adjustments: undefined } })
  const { adjustments } = (await create({ ...body, accountIds: [mastodon] })).body
  const smaller = { width: 1108, height: 831 }
  t.match(adjustments, [{ to: { mimeType: 'image/gif', ...smaller }, why: ['media_pixels'] }])
  t.match(await (await made()).metadata(), { format: 'gif', ...smaller, pages: 3, delay: [50, 50, 50] })
  await sql`delete from renditions`.execute(db)
  const raw = await noise(40, 90).removeAlpha().raw().toBuffer()
  const moving = sharp(raw, { raw: { width: 40, height: 90, channels: 3, pageHeight: 30 } }).webp({ delay: 100 })
  const webp = await add(await moving.toBuffer())
  const converted = await create({ accountIds: [linkedin], mediaIds: [webp], mediaFit: 'auto' })
  t.match(converted.body.adjustments, [{ to: { mimeType: 'image/gif', width: 40, height: 30 }, why: ['media_type'] }])
  t.match(await (await made()).metadata(), { format: 'gif', pages: 3 })
})

t.test('an animation with too many bytes gets fewer pixels, and keeps its frames', async (t) => {
  const folder = await createFolder(t)
  const [source, path] = [join(folder, 'source.gif'), join(folder, 'drawn.gif')]
  const raw = await noise(400, 320 * 4)
    .removeAlpha()
    .raw()
    .toBuffer()
  const gif = sharp(raw, { raw: { width: 400, height: 320 * 4, channels: 3, pageHeight: 320 } }).gif({ delay: 70 })
  const { size: bytes } = await gif.toFile(source)
  const type = { mimeType: 'image/gif', transparentType: 'image/gif' } as const
  const size = { width: 400, height: 320, ratio: { min: 0, max: Infinity }, frames: 4 }
  const target = { ...type, ...size, name: 'a', background: '#ffffff', bytesMax: Math.floor(bytes * 0.7) }
  const drawn = (await drawImage(source, path, target)) as Drawn
  t.match(drawn, { mimeType: 'image/gif', fallsShort: false })
  t.ok((await stat(path)).size <= target.bytesMax)
  t.match(await sharp(path, { animated: true }).metadata(), {
    pages: 4,
    width: drawn.width,
    pageHeight: drawn.height,
  })
  t.ok(drawn.width! < 400 && drawn.width! > 240)
})

t.test('an image with too many bytes gets a lower quality, then fewer pixels', async (t) => {
  const { ada, add, create } = await createScene(t)
  const bluesky = await ada.account('bluesky')
  for (const [size, width] of [
    [1500, 1500],
    [3500, null],
  ] as const) {
    const { body } = await create({
      accountIds: [bluesky],
      mediaIds: [await add(await noise(size, size).png().toBuffer())],
      mediaFit: 'auto',
    })
    const [{ to }] = body.adjustments
    t.ok(to.bytes <= 2_000_000 && to.bytes > 1_000_000, `${to.bytes} bytes`)
    if (width) t.equal(to.width, width)
    else t.ok(to.width < size && to.width === to.height)
  }
})

t.test('a key that may only read validates without making anything', async (t) => {
  const { app, ada, add, instagram, mediaDir, db } = await createScene(t)
  const file = await add(await jpeg(400, 100))
  const body = { accountIds: [instagram], caption: 'Hi', mediaIds: [file], mediaFit: 'pad' }
  const { key } = await createKey(db, { userId: ada.id, name: null, expiresAt: null, scopes: ['posts:read'] })
  const planned = { mediaId: file, to: { mimeType: 'image/jpeg', width: 400, height: 210, bytes: null } }
  for (const padColor of ['#000000', '#000001', '#000002']) {
    const post = { ...body, padColor }
    const { status, body: validated } = await call(app, key, 'POST', '/posts/validate', post)
    t.match([status, validated], [200, { violations: [], adjustments: [planned] }])
    const batch = await call(app, key, 'POST', '/posts/batch/validate', { posts: [post] })
    t.match(batch.body.data, [{ violations: [], adjustments: [planned] }])
  }
  t.strictSame(await db.selectFrom('renditions').select('target').execute(), [])
  t.ok(await isClean(db, mediaDir, 1))
  const { body: made } = await ada.call('POST', '/posts/validate', body)
  const { body: read } = await call(app, key, 'POST', '/posts/validate', body)
  t.ok(made.adjustments[0].to.bytes > 0)
  t.strictSame(read.adjustments, made.adjustments, 'what was made is described as it is')
})

t.test('renditions count towards the quota', async (t) => {
  const png = await noise(600, 600).png().toBuffer()
  const { ada, add, create, validate, instagram, mediaDir, db } = await createScene(t, {
    media: { quotaBytes: png.length + 1000, fetchFile: async () => Readable.from([png]) },
  })
  const body = { accountIds: [instagram], mediaIds: [await add(png)], mediaFit: 'auto' }
  t.match(await create(body), { status: 409, headers: { 'x-error-code': 'media_quota' } })
  t.match(await validate(body), { error: /your files use \d+ of \d+ bytes/ })
  t.ok(await isClean(db, mediaDir, 1))
  t.equal((await ada.call('GET', '/posts')).body.data.length, 0)
})

t.test('a change of the post changes what is sent, and batches make the same', async (t) => {
  const { ada, add, create, instagram } = await createScene(t)
  const file = await add(await noise(300, 300).png().toBuffer())
  const wide = await add(await jpeg(400, 100))
  const body = { accountIds: [instagram], mediaIds: [file], mediaFit: 'auto' }
  const { id } = (await create(body)).body
  const patch = async (change: object) => (await ada.call('PATCH', `/posts/${id}`, change)).body
  t.match((await patch({ mediaIds: [wide] })).error, /aspect ratio of 4/)
  t.match((await patch({ mediaIds: [wide], mediaFit: 'crop' })).adjustments, [{ mediaId: wide, to: { width: 191 } }])
  t.match(await patch({ mediaFit: 'pad' }), { adjustments: [{ to: { width: 400, height: 210 } }] })
  const both = await patch({ mediaIds: [file, await add(await jpeg())], mediaFit: 'auto' })
  t.match(both.adjustments, [{ mediaId: file, to: { mimeType: 'image/jpeg' } }])
  t.equal((await patch({ mediaIds: [await add(await jpeg(50, 50))], mediaFit: null })).adjustments, undefined)
  const batch = {
    mode: 'each',
    posts: [body, { ...body, mediaIds: [wide], mediaFit: 'pad' }, { ...body, mediaFit: 'exact' }],
  }
  const { status, body: stored } = await ada.call('POST', '/posts/batch', batch)
  t.match(
    [status, stored],
    [
      200,
      { data: [{ adjustments: [{ mediaId: file }] }, { adjustments: [{ mediaId: wide }] }], rejected: [{ index: 2 }] },
    ],
  )
})

t.test('networks that fetch files get the rendition at its address', async (t) => {
  const { connect, uploadFile, post, work, ada, instagram } = await createNetworkWorld(t)
  const file = await uploadFile(await noise(300, 300).png().toBuffer())
  const id = await post({ accountIds: [await connect('instagram')], caption: 'Hi', mediaIds: [file], mediaFit: 'auto' })
  await work()
  for (let turn = 0; turn < 5; turn++) await work(60_000)
  const { targets } = (await ada.call('GET', `/posts/${id}`)).body
  t.match(targets[0].delivery, { state: 'published', error: null })
  t.match(JSON.stringify(callsOf(instagram, '/media').map(({ body }) => body)), /\/files\/[\da-f]{32}\.jpg/)
})

import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import sharp from 'sharp'
import t from 'tap'
import { drawFrame } from '../../src/features/media/draw-video.ts'
import { inspectFile } from '../../src/features/media/inspect.ts'
import { makeNextVideo } from '../../src/features/media/make-videos.ts'
import { createFolder } from '../helpers/app.ts'
import { callsOf, createNetworkWorld } from '../helpers/network-world.ts'
import { until } from '../helpers/until.ts'
import { filesIn, isClean } from '../helpers/upload.ts'
import {
  addVideoWorker,
  encode,
  ffmpeg,
  makeVideos,
  needsFfmpeg,
  PICTURE,
  repeat,
  TONE,
  videoMaker,
} from '../helpers/videos.ts'

t.test('a worker makes the video that a network takes, and the delivery waits for it', needsFfmpeg, async (t) => {
  const world = await createNetworkWorld(t)
  const { connect, uploadFile, post, work, telegram, ada, db, mediaDir } = world
  await addVideoWorker(db)
  // Telegram takes MP4 alone.
  const codecs = '-c:v mpeg4 -c:a pcm_s16le -metadata title=secret -metadata location=+52-013/'
  const clip = await encode(t, 'mov', `${PICTURE('640x360', 30, 2)} ${TONE(2)} ${codecs}`)
  const file = await uploadFile(clip)
  const accountId = await connect('telegram')
  const body = { accountIds: [accountId], caption: 'Hi', mediaIds: [file], mediaFit: 'auto' }
  const { targets: validated } = (await ada.call('POST', '/posts/validate?include=parts', body)).body
  t.match(validated, [{ parts: [{ files: [{ mediaId: file, rendition: { mimeType: 'video/mp4', bytes: null } }] }] }])
  const id = await post(body)
  const read = async () => (await ada.call('GET', `/posts/${id}`)).body
  const to = { mimeType: 'video/mp4', width: 640, height: 360 }
  t.match((await read()).adjustments, [{ accountId, mediaId: file, to: { ...to, bytes: null }, why: ['media_type'] }])
  t.match((await ada.call('GET', `/media/${file}`)).body.renditions, [{ ...to, state: 'waiting', progress: 0 }])

  await work()
  t.match((await read()).targets, [{ delivery: { state: 'queued', error: null } }])
  t.equal(callsOf(telegram, 'sendVideo').length, 0)

  t.equal(await makeVideos(world), 1)
  await work(10_000)
  const { targets, adjustments } = await read()
  t.match(targets, [{ delivery: { state: 'published', error: null } }])
  const [sent] = callsOf(telegram, 'sendVideo')[0]!.files
  t.equal(adjustments[0].to.bytes, sent!.bytes.length)
  const path = join(await createFolder(t), 'sent.mp4')
  await writeFile(path, sent!.bytes)
  const { facts } = await inspectFile(path, ada.id)
  t.match(facts, { ...to, fps: 30, tracks: { video: { codec: 'avc', closedGop: true }, audio: { codec: 'aac' } } })
  t.ok(clip.includes('secret') && !sent!.bytes.includes('secret'), 'no metadata is left')
  t.ok(sent!.bytes.indexOf('moov') < sent!.bytes.indexOf('mdat'), 'the index comes first')
  t.match((await ada.call('GET', `/media/${file}`)).body.renditions, [{ ...to, state: 'made', progress: 1 }])
  t.ok(await isClean(db, mediaDir, 2))
  t.equal(await makeVideos(world), 0)
})

t.test(
  'a video that cannot be made to fit is the violation, with the reason, and no job is left',
  needsFfmpeg,
  async (t) => {
    const { connect, uploadFile, ada, db } = await createNetworkWorld(t)
    const [telegram, x, discord] = [await connect('telegram'), await connect('x'), await connect('discord')]
    const short = await uploadFile(await encode(t, 'mov', `${PICTURE('320x180', 10, 0.3)} -c:v mpeg4`))
    const wide = await uploadFile(await encode(t, 'mov', `${PICTURE('640x64', 10, 1)} -c:v mpeg4`))
    const long = await uploadFile(await encode(t, 'webm', `${PICTURE('16x16', 1, 2)} -c:v libvpx`))
    const sizes = { bytes: 21_000_000, durationSeconds: 7_200 }
    await db.updateTable('media').set(sizes).where('id', '=', long).execute()
    const large = await uploadFile(await encode(t, 'mov', `${PICTURE('7680x4320', 1, 1)} -c:v mjpeg`))
    const huge = await uploadFile(await encode(t, 'mov', `${PICTURE('9000x4096', 1, 1)} -c:v mjpeg`))
    const create = (account: string, file: string) =>
      ada.call('POST', '/posts', { accountIds: [account], caption: 'Hi', mediaIds: [file], mediaFit: 'auto' })
    const refuses = async (account: string, file: string, reason: string) => {
      const { status, body } = await create(account, file)
      t.match([status, body.error], [400, new RegExp(`mediaFit changes nothing: ${reason}`)])
    }
    await refuses(telegram, short, 'no worker has ffmpeg, which converts videos$')
    await addVideoWorker(db)
    await refuses(x, short, 'the duration of a video does not change$')
    await refuses(x, wide, 'the aspect ratio changes with pad or crop only$')
    await refuses(discord, long, 'only 0 bits are left for each second of the video$')
    await refuses(telegram, huge, 'videos of more than 36000000 pixels are not converted$')
    t.strictSame(await db.selectFrom('renditionJobs').selectAll().execute(), [])
    t.strictSame((await ada.call('GET', '/posts')).body.data, [])
    t.match((await create(telegram, large)).body.adjustments, [{ to: { width: 3840, height: 2160 } }])
  },
)

t.test('a damaged video fails its deliveries in words, and the next post with it', needsFfmpeg, async (t) => {
  const world = await createNetworkWorld(t)
  const { connect, uploadFile, post, work, readDelivery, ada, db, mediaDir } = world
  await addVideoWorker(db)
  const clip = await encode(t, 'mov', `${PICTURE('320x180', 30, 1)} -c:v libx264 -movflags +faststart`)
  clip.fill(0xa5, clip.indexOf('mdat') + 4)
  const body = { accountIds: [await connect('telegram')], caption: 'Hi', mediaIds: [await uploadFile(clip)] }
  const id = await post({ ...body, mediaFit: 'auto' })
  await makeVideos(world)
  await work()
  const error = { code: 'media_unconvertible', message: /cannot be converted: ffmpeg cannot convert it$/ }
  t.match(await readDelivery(id), { state: 'failed', error: { ...error, retryable: false } })
  t.match((await ada.call('POST', '/posts', { ...body, mediaFit: 'auto' })).body, {
    error: /mediaFit changes nothing: ffmpeg cannot convert it$/,
  })
  const { renditions } = (await ada.call('GET', `/media/${body.mediaIds[0]}`)).body
  t.match(renditions, [{ state: 'failed', problem: 'ffmpeg cannot convert it' }])
  t.ok(await isClean(db, mediaDir, 1))
})

t.test('a high dynamic range becomes a standard one', needsFfmpeg, async (t) => {
  const world = await createNetworkWorld(t)
  const { connect, uploadFile, post, work, telegram, ada, app, db } = world
  await addVideoWorker(db)
  const accountId = await connect('telegram')
  const folder = await createFolder(t)
  const checkWhite = async (picture: Buffer | string) => {
    for (const { mean } of (await sharp(picture).stats()).channels) t.ok(mean > 205, `white is ${mean}`)
  }
  // The white of 203 cd/m² in each.
  for (const [transfer, name, luma] of [
    ['hlg', 'arib-std-b67', 721],
    ['pq', 'smpte2084', 573],
  ] as const) {
    const picture = `-f lavfi -i color=s=320x180:r=10:d=1,format=yuv420p10le,geq=lum=${luma}:cb=512:cr=512`
    const tags = `-color_range tv -color_primaries bt2020 -color_trc ${name} -colorspace bt2020nc`
    const file = await uploadFile(await encode(t, 'mov', `${picture} -c:v libx264 -pix_fmt yuv420p10le ${tags}`))
    t.match((await ada.call('GET', `/media/${file}`)).body.tracks.video, { transfer, bitDepth: 10 })
    await post({ accountIds: [accountId], caption: transfer, mediaIds: [file], mediaFit: 'auto' })
    await makeVideos(world)
    await work(10_000)
    const path = join(folder, `${transfer}.mp4`)
    await writeFile(path, callsOf(telegram, 'sendVideo').at(-1)!.files[0]!.bytes)
    const { facts } = await inspectFile(path, ada.id)
    t.match(facts.tracks!.video, { codec: 'avc', bitDepth: 8, transfer: undefined })
    const frame = join(folder, `${transfer}.png`)
    const run = { ffmpeg: ffmpeg!, cwd: folder, timeMaxMs: 60_000, signal: new AbortController().signal }
    await drawFrame({ path, mimeType: 'video/mp4', durationSeconds: 1 }, frame, { frameWidth: 320 }, run)
    await checkWhite(frame)
    const preview = { url: `/api/v1/media/${file}/preview`, headers: { authorization: `Bearer ${ada.key}` } }
    t.match((await app.inject(preview)).headers, { 'content-type': 'image/svg+xml' })
    await makeVideos(world)
    await checkWhite((await app.inject(preview)).rawPayload)
  }
})

t.test('frame rate, scan, size and aspect ratio become those that the network takes', needsFfmpeg, async (t) => {
  const world = await createNetworkWorld(t)
  const { connect, uploadFile, ada, db, mediaDir } = world
  await addVideoWorker(db)
  const source = `${PICTURE('2048x512', 75, 1)} -c:v libx264 -pix_fmt yuv444p -x264-params open-gop=1`
  const file = await uploadFile(await encode(t, 'mp4', source))
  await ada.call('PATCH', `/media/${file}`, { focus: { x: -1, y: 0 } })
  const [x, pinterest] = [await connect('x'), await connect('pinterest')]
  const body = { accountIds: [x, pinterest], caption: 'Hi', mediaIds: [file], mediaFit: 'crop' }
  const own = {
    accountId: pinterest,
    mediaFit: 'pad',
    padColor: '#ff0000',
    fields: { boardId: '1', coverImageUrl: 'https://a.example/b.jpg' },
  }
  const { status, body: created } = await ada.call('POST', '/posts', { ...body, accountOverrides: [own] })
  t.match(
    [status, created.error],
    [400, /is 1 seconds long, at least 4 are required. mediaFit changes nothing: the duration/],
  )
  const alone = await ada.call('POST', '/posts', { ...body, accountIds: [x] })
  t.match(alone.body.adjustments, [
    { to: { width: 1536, height: 512 }, why: ['media_fps', 'media_chroma_subsampling', 'media_aspect_ratio'] },
  ])
  await makeVideos(world)
  const made = (await filesIn(join(mediaDir, 'files'))).filter((path) => !path.endsWith(file))
  const facts = await Promise.all(made.map(async (path) => (await inspectFile(path, ada.id)).facts))
  t.match(
    facts.find(({ width }) => width === 1536),
    { height: 512, fps: 60, tracks: { video: { chromaSubsampling: '4:2:0', closedGop: true }, audio: null } },
  )
})

t.test('a video has a placeholder until a worker has made its preview', needsFfmpeg, async (t) => {
  const world = await createNetworkWorld(t)
  const { uploadFile, ada, app, db } = world
  const file = await uploadFile(await encode(t, 'mp4', `${PICTURE('640x360', 10, 2)} -c:v libx264`))
  const preview = async () => {
    const { headers, rawPayload } = await app.inject({
      url: `/api/v1/media/${file}/preview?width=300`,
      headers: { authorization: `Bearer ${ada.key}` },
    })
    return { type: headers['content-type'], cache: headers['cache-control'], bytes: rawPayload }
  }
  t.match(await preview(), { type: 'image/svg+xml', cache: 'private, no-cache' })
  t.equal(await makeVideos(world), 0, 'no worker was there')
  await addVideoWorker(db)
  t.match(await preview(), { type: 'image/svg+xml', cache: 'no-store' })
  t.equal(await makeVideos(world), 1)
  const { type, bytes } = await preview()
  t.equal(type, 'image/webp')
  t.match(await sharp(bytes).metadata(), { width: 320, height: 180 })
  t.strictSame((await ada.call('GET', `/media/${file}`)).body.renditions, [])
})

t.test('a video of one picture has a preview', needsFfmpeg, async (t) => {
  const world = await createNetworkWorld(t)
  const { uploadFile, ada, app, db } = world
  await addVideoWorker(db)
  const file = await uploadFile(await encode(t, 'mp4', `${PICTURE('64x48', 25, 0.04)} -c:v libx264`))
  const preview = { url: `/api/v1/media/${file}/preview`, headers: { authorization: `Bearer ${ada.key}` } }
  t.match((await app.inject(preview)).headers, { 'content-type': 'image/svg+xml' })
  await makeVideos(world)
  t.match((await app.inject(preview)).headers, { 'content-type': 'image/webp' })
})

t.test('the progress shows, and a worker that stops gives the job back', needsFfmpeg, async (t) => {
  const world = await createNetworkWorld(t)
  const { connect, uploadFile, ada, db, mediaDir } = world
  await addVideoWorker(db)
  const clip = await encode(t, 'mov', `${PICTURE('1280x720', 30, 2)} -c:v mpeg4 -q:v 31`)
  const file = await uploadFile(await repeat(t, 'mov', clip, 60))
  await ada.call('POST', '/posts', {
    accountIds: [await connect('telegram')],
    caption: 'Hi',
    mediaIds: [file],
    mediaFit: 'auto',
    scheduledAt: '2999-01-01T00:00:00Z',
  })
  const stop = new AbortController()
  const making = makeNextVideo(videoMaker(world), stop.signal)
  const shown = async () => (await ada.call('GET', `/media/${file}`)).body.renditions[0]
  await until('progress shows', async () => (await shown()).progress > 0)
  t.match(await shown(), { state: 'running', bytes: null })
  t.equal(await makeNextVideo(videoMaker(world), stop.signal), false, 'no other worker takes it')
  stop.abort()
  t.equal(await making, true)
  t.match(await shown(), { state: 'waiting', progress: 0 })
  t.ok(await isClean(db, mediaDir, 1))
  t.match(await db.selectFrom('renditionJobs').select(['attempts', 'leaseToken']).execute(), [
    { attempts: 0, leaseToken: null },
  ])
})

t.test('a video that exceeds the quota is tried again later, and leaves nothing', needsFfmpeg, async (t) => {
  const world = await createNetworkWorld(t)
  const { connect, uploadFile, ada, db, mediaDir } = world
  await addVideoWorker(db)
  const clip = await encode(t, 'mov', `${PICTURE('320x180', 30, 1)} -c:v mpeg4`)
  const file = await uploadFile(clip)
  const body = { accountIds: [await connect('telegram')], caption: 'Hi', mediaIds: [file], mediaFit: 'auto' }
  t.equal((await ada.call('POST', '/posts', body)).status, 201)
  const signal = new AbortController().signal
  t.equal(await makeNextVideo(videoMaker(world, { quotaBytes: clip.length + 10 }), signal), true)
  t.match((await ada.call('GET', `/media/${file}`)).body.renditions, [{ state: 'waiting' }])
  t.ok(await isClean(db, mediaDir, 1))
  t.equal(await makeVideos(world), 0, 'it waits')
  await db
    .updateTable('renditionJobs')
    .set({ claimableAt: new Date(0) })
    .execute()
  t.equal(await makeVideos(world), 1)
  t.match((await ada.call('GET', `/media/${file}`)).body.renditions, [{ state: 'made' }])
})

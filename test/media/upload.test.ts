import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import sharp from 'sharp'
import t from 'tap'
import { createWorld } from '../helpers/app.ts'
import { filesIn, jpeg, send, upload } from '../helpers/upload.ts'

t.test('an upload responds with the facts of the file, and stores its bytes unchanged', async (t) => {
  const { app, user, mediaDir } = await createWorld(t)
  const ada = await user()
  const image = await jpeg(40, 30)
  const { status, body } = await upload(app, ada, [
    ['file', image],
    ['altText', 'A lighthouse'],
  ])
  t.equal(status, 201)
  const { id, createdAt, ...facts } = body
  t.match(id, /^[0-9a-f-]{36}$/)
  t.match(createdAt, /^\d{4}-\d\d-\d\dT[\d:]{8}\.\d{3}Z$/)
  t.strictSame(facts, {
    kind: 'image',
    mimeType: 'image/jpeg',
    bytes: image.length,
    width: 40,
    height: 30,
    durationSeconds: null,
    fps: null,
    tracks: null,
    pages: null,
    altText: 'A lighthouse',
    focus: null,
    fileName: 'some name.bin',
    externalReference: null,
    metadata: null,
  })

  const video = readFileSync(new URL('../samples/plain.mp4', import.meta.url))
  const { body: played } = await upload(app, ada, [['file', video]])
  t.match(played, { kind: 'video', mimeType: 'video/mp4', bytes: video.length, altText: null })
  t.ok(played.durationSeconds > 0 && played.fps > 0)
  t.match(played.tracks, { video: { codec: 'avc', scan: 'progressive' }, audio: { codec: 'aac', channels: 1 } })

  const files = await filesIn(mediaDir)
  const hashes = new Set(files.map((file) => createHash('sha256').update(readFileSync(file)).digest('hex')))
  t.strictSame(hashes, new Set([image, video].map((bytes) => createHash('sha256').update(bytes).digest('hex'))))
  t.notMatch(
    files.join(),
    new RegExp(`${id}|${played.id}`),
    'file names on the disk cannot be derived from the response',
  )
})

t.test('the parts of a form may have any order; the name and declared type of the file are ignored', async (t) => {
  const { app, user } = await createWorld(t)
  const ada = await user()
  const image = await jpeg()
  const { status, body } = await upload(app, ada, [
    ['altText', 'Ä 🗼'],
    ['file', image],
  ])
  t.strictSame([status, body.altText], [201, 'Ä 🗼'])
  const empty = await upload(app, ada, [
    ['file', await jpeg(41)],
    ['altText', ''],
  ])
  t.strictSame([empty.status, empty.body.altText], [201, null], 'an empty alt text is stored as null')

  const png = await sharp(image).png().toBuffer()
  const boundary = 'x'
  const raw = (name: string, type: string) =>
    Buffer.concat([
      Buffer.from(`--${boundary}\r\nContent-Disposition: form-data; name="file"${name}\r\n${type}\r\n`),
      png,
      Buffer.from(`\r\n--${boundary}--\r\n`),
    ])
  for (const [name, type] of [
    ['; filename="a.jpg"', 'Content-Type: image/jpeg\r\n'],
    ['; filename="../../../etc/passwd"', 'Content-Type: text/html\r\n'],
    ['; filename=""', ''],
    ['', ''],
  ] as const) {
    const reply = await send(app, ada.key, `multipart/form-data; boundary=${boundary}`, raw(name, type))
    t.match([reply.status, reply.body], [/20[01]/, { mimeType: 'image/png' }], `${name} ${type}`)
  }
})

t.test('the same bytes of the same user are one file, also if they are uploaded concurrently', async (t) => {
  const { app, user, mediaDir, db } = await createWorld(t, { poolMax: 10 })
  const [ada, bob] = [await user(), await user()]
  const image = await jpeg()
  const first = await upload(app, ada, [
    ['file', image],
    ['altText', 'mine'],
  ])
  const again = await upload(app, ada, [
    ['file', image],
    ['altText', 'other'],
  ])
  t.strictSame([first.status, again.status, again.body], [201, 200, first.body])
  const foreign = await upload(app, bob, [['file', image]])
  t.equal(foreign.status, 201)
  t.not(foreign.body.id, first.body.id)

  const other = await jpeg(50)
  const replies = await Promise.all(Array.from({ length: 6 }, () => upload(app, ada, [['file', other]])))
  t.strictSame(replies.map(({ status }) => status).sort(), [200, 200, 200, 200, 200, 201])
  t.equal(new Set(replies.map(({ body }) => body.id)).size, 1)
  t.equal((await filesIn(mediaDir)).length, 3)
  t.strictSame(await db.selectFrom('looseFiles').selectAll().execute(), [])
})

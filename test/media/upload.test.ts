import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import net, { type AddressInfo } from 'node:net'
import sharp from 'sharp'
import t from 'tap'
import { createWorld } from '../helpers/app.ts'
import { until } from '../helpers/until.ts'
import { filesIn, form, isClean, jpeg, send, upload } from '../helpers/upload.ts'

const sample = (name: string) => readFileSync(new URL(`../samples/${name}`, import.meta.url))

const missing = { code: 'invalid_type', expected: 'file', received: 'undefined', path: ['file'], message: 'Required' }

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
    altText: 'A lighthouse',
  })

  const video = sample('plain.mp4')
  const { body: played } = await upload(app, ada, [['file', video]])
  t.match(played, { kind: 'video', mimeType: 'video/mp4', bytes: video.length, altText: null })
  t.ok(played.durationSeconds > 0 && played.fps > 0)

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

t.test('an invalid form is refused with details', async (t) => {
  const { app, user, mediaDir, db } = await createWorld(t)
  const ada = await user()
  const image = await jpeg()
  const cases: [name: string, parts: [string, Uint8Array | string][], details: object][] = [
    ['no file', [['altText', 'a']], missing],
    ['nothing', [], missing],
    [
      'an unknown part',
      [
        ['file', image],
        ['caption', 'a'],
      ],
      { code: 'unrecognized_keys', keys: ['caption'], path: [] },
    ],
    [
      'an unknown part first',
      [
        ['File', image],
        ['file', image],
      ],
      { code: 'unrecognized_keys', keys: ['File'] },
    ],
    [
      'two files',
      [
        ['file', image],
        ['file', image],
      ],
      { code: 'custom', path: ['file'] },
    ],
    [
      'two texts',
      [
        ['altText', 'a'],
        ['altText', 'a'],
        ['file', image],
      ],
      { code: 'custom', path: ['altText'] },
    ],
    [
      'a text too long',
      [
        ['file', image],
        ['altText', 'a'.repeat(5_001)],
      ],
      { code: 'too_big', maximum: 5_000, path: ['altText'] },
    ],
    [
      'a text far too long',
      [
        ['altText', 'a'.repeat(500_000)],
        ['file', image],
      ],
      { code: 'too_big', path: ['altText'] },
    ],
    [
      'NUL',
      [
        ['file', image],
        ['altText', 'a\0'],
      ],
      { code: 'custom', path: ['altText'] },
    ],
    [
      'no UTF-8',
      [
        ['file', image],
        ['altText', Buffer.from([0xff, 0xfe])],
      ],
      { code: 'custom', path: ['altText'] },
    ],
    [
      'a prototype',
      [
        ['__proto__', 'a'],
        ['file', image],
      ],
      {},
    ],
    [
      'a prototype’s file',
      [
        ['constructor', image],
        ['file', image],
      ],
      {},
    ],
    ['many parts', [...Array.from({ length: 30 }, () => ['altText', 'a'] as [string, string])], {}],
  ]
  for (const [name, parts, details] of cases) {
    const { status, body } = await upload(app, ada, parts)
    t.match([status, body], [400, { error: 'Invalid request', details: [details] }], name)
  }

  const whole = await form([['file', image]])
  const type = 'multipart/form-data; boundary=x'
  const part = 'Content-Disposition: form-data; name="file"; filename="a"\r\n'
  const bodies: [name: string, type: string, body: Buffer][] = [
    ['no boundary', 'multipart/form-data', whole.body],
    ['another boundary', 'multipart/form-data; boundary=other', whole.body],
    ['an empty body', whole.type, Buffer.alloc(0)],
    ['garbage', whole.type, Buffer.from('garbage')],
    ['a file without an end', type, Buffer.concat([Buffer.from(`--x\r\n${part}\r\n`), image])],
    ['headers without an end', type, Buffer.from(`--x\r\n${part}`)],
    ['a part without a name', type, Buffer.from('--x\r\nContent-Type: a/b\r\n\r\nx\r\n--x--\r\n')],
    ['cut off in the closing line', whole.type, whole.body.subarray(0, -6)],
  ]
  for (const [name, type, body] of bodies) {
    const reply = await send(app, ada.key, type, body)
    t.match([reply.status, reply.body], [400, { error: 'Invalid request', details: [{ code: String }] }], name)
  }
  for (const [type, body] of [
    ['application/json', Buffer.from('{}')],
    ['text/plain', image],
    ['application/x-www-form-urlencoded', Buffer.from('file=a')],
    ['image/jpeg', image],
  ] as const) {
    const { status, body: answer } = await send(app, ada.key, type, body)
    const message = 'Content-Type must be multipart/form-data'
    t.match([status, answer], [400, { details: [{ code: 'invalid_content_type', message }] }], type)
  }
  const asJson = await ada.call('POST', '/media', '------form\r\n')
  t.match(
    asJson,
    { status: 400, body: { details: [{ code: 'invalid_content_type' }] } },
    'a JSON body is refused for its type, not for its content',
  )
  t.match(await ada.call('POST', '/media'), { status: 400, body: { details: [{ code: 'invalid_content_type' }] } })

  t.strictSame(await filesIn(mediaDir), [], 'no file is left')
  t.strictSame(await db.selectFrom('looseFiles').selectAll().execute(), [])
  t.strictSame((await ada.call('GET', '/media')).body.data, [])
})

t.test('an unusable file is refused with a reason, and is not kept', async (t) => {
  const { app, user, mediaDir, db } = await createWorld(t)
  const ada = await user()
  const image = await jpeg()
  const video = sample('plain.mp4')
  const bomb = await sharp({ create: { width: 1, height: 1, channels: 3, background: 'red' } })
    .png()
    .toBuffer()
  bomb.writeUInt32BE(60_000, 16)
  bomb.writeUInt32BE(60_000, 20)
  const cases: [name: string, bytes: Buffer][] = [
    ['zero bytes', Buffer.alloc(0)],
    ['a truncated image', image.subarray(0, -20)],
    ['a truncated video', video.subarray(0, -20)],
    ['HTML', Buffer.from('<html><script>alert(1)</script></html>')],
    ['random bytes', randomBytes(1_000)],
    ['an image with a script appended', Buffer.concat([image, Buffer.from('<script>alert(1)</script>')])],
    ['a video with an archive appended', Buffer.concat([video, Buffer.from('PK\x03\x04'), randomBytes(50)])],
    ['a decompression bomb', bomb],
  ]
  for (const [name, bytes] of cases) {
    const { status, body } = await upload(app, ada, [['file', bytes]])
    t.match([status, Object.keys(body), body.error], [400, ['error'], /^file /], `${name}: ${body.error}`)
  }
  t.strictSame(await filesIn(mediaDir), [])
  t.strictSame(await db.selectFrom('looseFiles').selectAll().execute(), [])
  t.strictSame((await ada.call('GET', '/media')).body.data, [])
})

t.test('a file above the maximum is a 413; a file of exactly that size is accepted', async (t) => {
  const image = await jpeg()
  const { app, user, mediaDir } = await createWorld(t, { media: { bytesMax: image.length } })
  const ada = await user()
  t.equal((await upload(app, ada, [['file', image]])).status, 201)
  const { status, body } = await upload(app, ada, [['file', Buffer.concat([image, Buffer.alloc(1)])]])
  t.strictSame([status, body], [413, { error: `File is larger than ${image.length} bytes` }])
  t.equal((await filesIn(mediaDir)).length, 1)
})

/** The service on a TCP port, and the head of an upload request with `length` as its Content-Length. */
async function listening(t: Parameters<typeof createWorld>[0], options: Parameters<typeof createWorld>[1] = {}) {
  const world = await createWorld(t, options)
  const ada = await world.user()
  await world.app.listen({ port: 0, host: '127.0.0.1' })
  const { port } = world.app.server.address() as AddressInfo
  const connect = async () => {
    const socket = net.connect({ port, host: '127.0.0.1' })
    socket.on('error', () => {})
    t.teardown(async () => socket.destroy())
    await once(socket, 'connect')
    return socket
  }
  const head = (type: string, length: number | string) =>
    `POST /api/v1/media HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${ada.key}\r\nContent-Type: ${type}\r\nContent-Length: ${length}\r\n\r\n`
  return { ...world, ada, port, connect, head }
}

t.test('an upload that the client aborts leaves no file', async (t) => {
  const { db, mediaDir, connect, head, app } = await listening(t)
  const image = await jpeg()
  const { type, body } = await form([['file', image]])
  for (const end of ['destroy', 'resetAndDestroy', 'end'] as const) {
    for (const part of [0, 10, 200, body.length - 30, body.length - 1]) {
      const socket = await connect()
      socket.write(head(type, body.length))
      socket.write(body.subarray(0, part))
      if (part > 100) await until('the file is being received', async () => (await filesIn(mediaDir)).length > 0)
      socket[end]()
      await until(`no file is left after ${end} at ${part} bytes`, () => isClean(db, mediaDir, 0))
    }
  }
  t.ok(app.server.listening)
})

/** The text that arrives on `socket`. A reset is one way to end a connection, and keeps what arrived before it. */
function collect(socket: net.Socket) {
  let text = ''
  socket.on('data', (chunk) => {
    text += chunk
  })
  return () => text
}

t.test('a large upload that is refused gets its response while the client is still sending', async (t) => {
  const { connect, head, mediaDir } = await listening(t, { media: { bytesMax: 100_000 } })
  const { type, body } = await form([['file', randomBytes(300_000)]])
  const socket = await connect()
  const received = collect(socket)
  socket.write(head(type, 10_000_000))
  socket.write(body.subarray(0, 200_000))
  await until('the response is complete', () => received().endsWith('}'))
  t.match(received(), /^HTTP\/1\.1 413 .*\r\n\r\n\{"error":"File is larger than 100000 bytes"\}$/s)

  const sendMore = () => {
    if (!socket.destroyed) socket.write(Buffer.alloc(1_000))
    return socket.destroyed
  }
  await until('the server closes the connection of a client that keeps sending', sendMore, { intervalMs: 100 })
  t.strictSame(await filesIn(mediaDir), [])
})

t.test('an upload may take longer than other requests, as long as bytes arrive', async (t) => {
  const { connect, head, mediaDir, db } = await listening(t)
  const chunk = 'a'.repeat(20_000)
  const start = '--x\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\n'
  const end = '\r\n--x--\r\n'
  /** Sends `chunks` of 12 chunks, one per second, and then the end of the form if all were sent. */
  const responseTo = async (chunks: number) => {
    const socket = await connect()
    const received = collect(socket)
    socket.write(head('multipart/form-data; boundary=x', start.length + 12 * chunk.length + end.length) + start)
    let sent = 0
    const sendNext = () => {
      if (received().endsWith('}')) return true
      if (sent < chunks) socket.write(chunk)
      else if (sent === 12) socket.write(end)
      sent++
      return false
    }
    await until(`a response to an upload of ${chunks} chunks`, sendNext, { intervalMs: 1_000, timeoutMs: 120_000 })
    return received()
  }
  const [steady, stalled] = await Promise.all([responseTo(12), responseTo(2)])
  t.match(steady, /^HTTP\/1\.1 400 .*"error":"file type is not supported/s, 'read to its end, after 13 seconds')
  t.match(stalled, /^HTTP\/1\.1 408 .*\r\n\r\n\{"error":"Request was not complete in time"\}$/s)
  await until('no file is left', () => isClean(db, mediaDir, 0))
})

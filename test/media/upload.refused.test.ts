import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import sharp from 'sharp'
import t, { type Test } from 'tap'
import { createWorld, type Person, type World } from '../helpers/app.ts'
import { filesIn, form, jpeg, send, upload } from '../helpers/upload.ts'

const missing = { code: 'invalid_type', expected: 'file', received: 'undefined', path: ['file'], message: 'Required' }

/** Nothing of a refused file is kept. */
async function isUnchanged(t: Test, { db, mediaDir }: World, person: Person): Promise<void> {
  t.strictSame(await filesIn(mediaDir), [], 'no file is left')
  t.strictSame(await db.selectFrom('looseFiles').selectAll().execute(), [], 'no file is staged')
  t.strictSame((await person.call('GET', '/media')).body.data, [], 'no media were added')
}

t.test('a form with missing, unknown, repeated or invalid parts is refused with details', async (t) => {
  const world = await createWorld(t)
  const ada = await world.user()
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
      'a file under another name',
      [
        ['image', image],
        ['altText', 'a'],
      ],
      [{ code: 'unrecognized_keys', keys: ['image'], message: "Unrecognized key(s) in object: 'image'" }, missing],
    ],
    [
      'several unknown parts, and no file',
      [
        ['title', 'a'],
        ['image', image],
      ],
      [{ code: 'unrecognized_keys', keys: ['title', 'image'] }, missing],
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
      { code: 'custom', path: ['altText'], message: 'Text is not valid UTF-8' },
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
    const { status, body } = await upload(world.app, ada, parts)
    const issues = [details].flat()
    t.match([status, body], [400, { error: 'Invalid request', details: issues }], name)
    t.equal(body.details.length, issues.length, name)
  }
  await isUnchanged(t, world, ada)
})

t.test('a malformed form is refused with details', async (t) => {
  const world = await createWorld(t)
  const ada = await world.user()
  const image = await jpeg()
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
    const reply = await send(world.app, ada.key, type, body)
    t.match([reply.status, reply.body], [400, { error: 'Invalid request', details: [{ code: String }] }], name)
  }
  await isUnchanged(t, world, ada)
})

t.test('a body that is not a form is refused for its Content-Type', async (t) => {
  const world = await createWorld(t)
  const ada = await world.user()
  const image = await jpeg()
  for (const [type, body] of [
    ['application/json', Buffer.from('{}')],
    ['text/plain', image],
    ['application/x-www-form-urlencoded', Buffer.from('file=a')],
    ['image/jpeg', image],
  ] as const) {
    const { status, body: refused } = await send(world.app, ada.key, type, body)
    const message = 'Content-Type must be multipart/form-data'
    t.match([status, refused], [400, { details: [{ code: 'invalid_content_type', message }] }], type)
  }
  const asJson = await ada.call('POST', '/media', '------form\r\n')
  t.match(
    asJson,
    { status: 400, body: { details: [{ code: 'invalid_content_type' }] } },
    'a JSON body is refused for its type, not for its content',
  )
  t.match(await ada.call('POST', '/media'), { status: 400, body: { details: [{ code: 'invalid_content_type' }] } })
  await isUnchanged(t, world, ada)
})

t.test('an unusable file is refused with a reason, and is not kept', async (t) => {
  const world = await createWorld(t)
  const ada = await world.user()
  const image = await jpeg()
  const video = readFileSync(new URL('../samples/plain.mp4', import.meta.url))
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
    const { status, body } = await upload(world.app, ada, [['file', bytes]])
    t.match([status, Object.keys(body), body.error], [400, ['error'], /^file /], `${name}: ${body.error}`)
  }
  await isUnchanged(t, world, ada)
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

import { Readable } from 'node:stream'
import t from 'tap'
import type { Act } from '../../src/platforms/contract/adapter.ts'
import { pinterestAdapter } from '../../src/platforms/pinterest/adapter.ts'
import { actOf, clientOf, fileOf, ioOf, rejection } from '../helpers/adapter-calls.ts'
import { type FakePinterest, STORAGE, startPinterest, throttled } from '../networks/fakes/pinterest.ts'

const { send, identify } = clientOf(pinterestAdapter)

const BOARD = '549755885175'
const SECTION = '5258814934636085108'

const pinOf = ({ fields, ...act }: Partial<Act> = {}) =>
  actOf({ media: [fileOf('image/jpeg')], ...act, fields: { boardId: BOARD, ...fields } })
const filmOf = (fields: Act['fields'] = { coverTimestampSeconds: 2 }) => pinOf({ media: [fileOf('video/mp4')], fields })

const bodies = ({ calls }: FakePinterest) =>
  calls.filter(({ method, path }) => `${method} ${path}` === 'POST /v5/pins').map(({ body }) => body)

t.test('the account is named, with the name of a business where it has one', async (t) => {
  const fake = await startPinterest(t)
  t.same(await identify(fake.credentials, ioOf(fake)), {
    externalId: '2783136121146311751',
    username: 'lighthouses',
    displayName: 'Lighthouses Ltd',
  })
  const person = { status: 200, body: { id: '1', username: 'ada', business_name: null } }
  fake.faults.push({ on: 'GET /v5/user_account', instead: person })
  t.equal((await identify(fake.credentials, ioOf(fake))).displayName, null)
})

t.test('an image becomes a pin by one call, with all fields', async (t) => {
  const fake = await startPinterest(t)
  const content = 'seven b'
  const fields = { boardSectionId: SECTION, title: ' A pin ', link: 'https://example.com/a', dominantColor: '#6E7874' }
  const media = [fileOf('image/png', { content, altText: 'The sea' })]
  const sent = await send(pinOf({ media, fields }), fake.credentials, ioOf(fake))
  const [pin] = fake.pins
  t.same(sent, { id: pin!.id, url: `https://www.pinterest.com/pin/${pin!.id}/` })
  t.same(fake.log, ['intend', 'POST /v5/pins'])
  t.same(bodies(fake), [
    {
      board_id: BOARD,
      board_section_id: SECTION,
      title: 'A pin',
      description: 'A lighthouse at dusk',
      link: 'https://example.com/a',
      alt_text: 'The sea',
      dominant_color: '#6E7874',
      media_source: {
        source_type: 'image_base64',
        content_type: 'image/png',
        data: Buffer.from(content).toString('base64'),
      },
    },
  ])
})

t.test('a pin without texts has none', async (t) => {
  const fake = await startPinterest(t)
  await send(pinOf({ text: ' ', fields: { title: '', link: '' } }), fake.credentials, ioOf(fake))
  t.same(Object.keys(bodies(fake)[0] as object), ['board_id', 'media_source'])
})

t.test('files of every length arrive unchanged, however they are cut', async (t) => {
  const fake = await startPinterest(t)
  for (const length of [1, 2, 3, 4, 5, 6, 1000]) {
    const bytes = Buffer.from(Array.from({ length }, (_, index) => index % 251))
    const open = async () => Readable.from([bytes.subarray(0, 1), bytes.subarray(1, 3), bytes.subarray(3)])
    await send(pinOf({ media: [fileOf('image/png', { bytes: length, open })] }), fake.credentials, ioOf(fake))
    t.ok(fake.pins.at(-1)!.images[0]!.equals(bytes), `${length} bytes`)
  }
})

t.test('several images become a carousel, in their order, with the first as its cover', async (t) => {
  const fake = await startPinterest(t)
  const media = ['one', 'two', 'three'].map((content) => fileOf('image/jpeg', { content }))
  await send(pinOf({ postType: 'carousel', media }), fake.credentials, ioOf(fake))
  t.same(fake.pins[0]!.images.map(String), ['one', 'two', 'three'])
  t.match(bodies(fake)[0], { media_source: { source_type: 'multiple_image_base64', index: 0 } })
})

t.test('a video is uploaded to the storage without the token, and waited for without a worker', async (t) => {
  const fake = await startPinterest(t)
  fake.processing = 3
  const pauses: number[] = []
  const io = ioOf(fake, { pause: (ms) => pauses.push(ms) })
  await send(filmOf(), fake.credentials, io)
  t.same(pauses, [5_000, 5_000, 10_000, 20_000])
  const look = `GET /v5/media/${[...fake.media.keys()][0]}`
  t.same(fake.log, ['POST /v5/media', 'POST /', look, look, look, look, 'intend', 'POST /v5/pins'])
  const upload = fake.calls[1]!
  t.equal(upload.host, new URL(STORAGE).host)
  t.equal(upload.headers.authorization, undefined)
  t.equal(String([...fake.media.values()][0]!.bytes), 'bytes')
  t.match(bodies(fake)[0], {
    media_source: { source_type: 'video_id', media_id: /^\d+$/, cover_image_key_frame_time: 2 },
  })
  await send(filmOf({ coverUrl: 'https://example.com/c.jpg', coverTimestampSeconds: 2 }), fake.credentials, ioOf(fake))
  const { media_source: source } = bodies(fake)[1] as { media_source: object }
  t.match(source, { cover_image_url: 'https://example.com/c.jpg' })
  t.notOk('cover_image_key_frame_time' in source, 'one cover')
})

t.test('an upload that fails begins anew, and a video that Pinterest has lost is uploaded again', async (t) => {
  const fake = await startPinterest(t)
  const io = { ...ioOf(fake), credentials: fake.credentials }
  const location = 'https://s3.example/'
  const refusals = [{ status: 400 }, { status: 403 }, { status: 301, headers: { location } }, { status: 503 }]
  for (const refusal of refusals) {
    fake.faults.push({ on: 'POST /', instead: { body: '<Error/>', ...refusal } })
    const error = await rejection(pinterestAdapter.prepare(filmOf(), io, null))
    t.has(error, { maybeSent: false, retryable: true, needsAttention: false }, `${refusal.status}`)
  }
  const first = await pinterestAdapter.prepare(filmOf(), io, null)
  const { state } = (first as Extract<typeof first, { later: unknown }>).later
  t.equal(fake.media.size, refusals.length + 1)
  fake.media.clear()
  t.match(await pinterestAdapter.prepare(filmOf(), io, state), { later: { state: { video: { looks: 0 } } } })
  t.equal(fake.media.size, 1)
})

t.test('a video that Pinterest cannot process fails with the reason, before anything is visible', async (t) => {
  const fake = await startPinterest(t)
  fake.processing = 'VIDEO_TOO_SHORT'
  t.has(await rejection(send(filmOf(), fake.credentials, ioOf(fake))), {
    code: 'content_refused',
    maybeSent: false,
    retryable: false,
    message: 'Pinterest could not process the video: VIDEO_TOO_SHORT',
  })
  t.equal(fake.pins.length, 0)
})

t.test('an id that cannot be one is refused before any call', async (t) => {
  const fake = await startPinterest(t)
  for (const fields of [{ boardId: '../user_account' }, { boardId: 5 }, { boardSectionId: 'a' }]) {
    const error = await rejection(send(pinOf({ fields }), fake.credentials, ioOf(fake)))
    t.has(error, { code: 'content_refused', maybeSent: false, retryable: false })
    t.match(error.message, /^fields\.board(?:Section)?Id has to consist of digits only$/)
  }
  t.same(fake.calls, [])
})

t.test('refusals keep the words of Pinterest, and say who has to act', async (t) => {
  const fake = await startPinterest(t)
  const refused = { code: 'content_refused', maybeSent: false, retryable: false, needsAttention: false }
  const sendTo = (fields: Act['fields']) => rejection(send(pinOf({ fields }), fake.credentials, ioOf(fake)))
  t.has(await sendTo({ boardId: '1234' }), { ...refused, message: 'api.pinterest.com: Board not found.' })
  t.has(await sendTo({ boardSectionId: '12' }), {
    ...refused,
    message: "api.pinterest.com: Sorry! We couldn't find this board section.",
  })
  const forbidden = await sendTo({ boardId: '549755885178' })
  t.has(forbidden, refused, 'no right to the board')
  t.match(forbidden.message, /access that resource: choose a board that the account may add pins to$/)

  fake.isTrial = true
  const trial = await sendTo({})
  t.has(trial, { code: 'app_not_approved', maybeSent: false, retryable: false, needsAttention: true })
  t.match(trial.message, /the operator of this service has to get Standard access/)
  fake.isTrial = false

  const on = 'POST /v5/pins'
  const body = { code: 1, message: 'Sorry! Unable to reach the URL. Please try again.' }
  fake.faults.push({ on, instead: { status: 400, body } })
  const unreachable = await sendTo({})
  t.has(unreachable, { maybeSent: false, retryable: true, needsAttention: false })
  t.match(unreachable.message, /Please try again: Pinterest has to be able to fetch fields\.coverUrl$/)
  fake.tokens.get(fake.credentials.accessToken)!.scopes.delete('boards:write')
  t.has(await sendTo({}), { code: 'unauthorized', needsAttention: true })
  t.equal(fake.pins.length, 0)
})

t.test('a missing right is not a refused token', async (t) => {
  const fake = await startPinterest(t)
  const sendWith = (status: number, code: number, message: string) => {
    fake.faults.push({ on: 'POST /v5/pins', instead: { status, body: { code, message } } })
    return rejection(send(pinOf(), fake.credentials, ioOf(fake)))
  }
  const refused = { code: 'content_refused', maybeSent: false, retryable: false, needsAttention: false }
  t.has(await sendWith(401, 7, 'Not authorized to access board or Pin.'), refused)
  t.has(await sendWith(403, 403, 'Not authorized to create board sections.'), refused)
  t.has(await sendWith(403, 2625, 'Sorry, your account has been disapproved.'), refused)
  t.has(await sendWith(401, 29, 'Apps with Trial access may not create Pins in production'), {
    code: 'app_not_approved',
  })
  t.has(await sendWith(401, 2, 'Authentication failed.'), { code: 'unauthorized', needsAttention: true })
})

t.test('an internal error of Pinterest with status 400 leaves the outcome open', async (t) => {
  const fake = await startPinterest(t)
  const body = { code: 2787, message: 'Sorry! Something went wrong on our end.' }
  fake.faults.push({ on: 'POST /v5/pins', after: true, instead: { status: 400, body } })
  const error = await rejection(send(pinOf(), fake.credentials, ioOf(fake)))
  t.has(error, { code: 'server_error', maybeSent: true, retryable: true, needsAttention: false })
  t.equal(fake.pins.length, 1)
})

t.test('a link that Pinterest takes for spam is refused, and the account goes on', async (t) => {
  const fake = await startPinterest(t)
  const body = { code: 9, message: 'Sorry! We blocked this link because it may lead to spam.' }
  fake.faults.push({ on: 'POST /v5/pins', instead: { status: 429, body } })
  t.has(await rejection(send(pinOf(), fake.credentials, ioOf(fake))), {
    code: 'content_refused',
    maybeSent: false,
    retryable: false,
    message: 'api.pinterest.com: Sorry! We blocked this link because it may lead to spam: change fields.link',
  })
})

t.test('a rate limit rests for a minute, a spam block for hours', async (t) => {
  const fake = await startPinterest(t)
  const on = 'POST /v5/pins'
  const HOUR = 3_600_000
  const spam = { code: 9, message: "You've hit a block (Pins)" }
  const cases = [
    [throttled(), 60_000],
    [throttled({ 'retry-after': '7' }), 7_000],
    [throttled({ 'x-ratelimit-reset': '1' }), 60_000],
    [throttled({ 'x-ratelimit-reset': '7200' }), 2 * HOUR],
    [{ status: 403, body: spam }, 4 * HOUR],
    [{ status: 429, body: spam, headers: { 'x-ratelimit-reset': '1' } }, 4 * HOUR],
    [{ status: 429, body: { code: 8, message: 'no', message_detail: 'This looks like spam' } }, 4 * HOUR],
  ] as const
  for (const [instead, retryAfterMs] of cases) {
    fake.faults.push({ on, instead })
    const error = await rejection(send(pinOf(), fake.credentials, ioOf(fake)))
    t.has(error, { code: 'rate_limited', maybeSent: false, retryable: true, retryAfterMs })
  }
  t.equal(fake.pins.length, 0)
})

t.test('boards and sections are listed, page by page, without those for advertisements', async (t) => {
  const fake = await startPinterest(t)
  const { boardId, boardSectionId } = pinterestAdapter.options!
  const io = { ...ioOf(fake), credentials: fake.credentials }
  t.same(await boardId!.read(io, {}), {
    options: [
      { value: BOARD, label: 'Lighthouses', details: { privacy: 'PUBLIC', owner: 'lighthouses' } },
      { value: '549755885176', label: 'Harbours', details: { privacy: 'PUBLIC', owner: 'lighthouses' } },
      { value: '549755885177', label: 'Sea', details: { privacy: 'PUBLIC', owner: 'bob' } },
    ],
  })
  const [board] = fake.boards
  for (let id = 1000; id < 1600; id++) fake.boards.push({ ...board!, id: String(id), name: `Board ${id}` })
  fake.log.length = 0
  t.equal((await boardId!.read(io, {})).options.length, 603)
  t.same(fake.log, Array(3).fill('GET /v5/boards'))

  t.same(await boardSectionId!.read(io, { boardId: BOARD }), { options: [{ value: SECTION, label: 'At dusk' }] })
  t.has(await rejection(boardSectionId!.read(io, { boardId: '99' })), { code: 'content_refused', retryable: false })
  t.has(await rejection(boardSectionId!.read(io, { boardId: '1/../2' })), { code: 'content_refused' })
  fake.tokens.get(fake.credentials.accessToken)!.status = 'revoked'
  t.has(await rejection(boardId!.read(io, {})), { code: 'unauthorized', needsAttention: true })
})

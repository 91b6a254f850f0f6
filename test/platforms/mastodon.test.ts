import t from 'tap'
import type { Credentials } from '../../src/platforms/adapter.ts'
import { mastodonAdapter } from '../../src/platforms/mastodon/adapter.ts'
import { actOf, clientOf, fileOf, ioOf, rejection, TOKEN } from '../helpers/adapter-calls.ts'
import { testAdapterContract } from '../helpers/adapter-contract.ts'
import type { Teardown } from '../helpers/database.ts'
import { type FakeMastodon, startMastodon, throttled } from '../helpers/fake-mastodon.ts'
import { broken, type Fault, reset } from '../helpers/fake-network.ts'

const { send, identify, reconcile } = clientOf(mastodonAdapter)

async function start(t: Teardown) {
  const fake = await startMastodon(t)
  return { fake, credentials: fake.credentials }
}

/** What the status was asked for with. */
const bodies = ({ calls }: FakeMastodon) =>
  calls.filter(({ path, method }) => method === 'POST' && path === '/api/v1/statuses').map(({ body }) => body)

t.test('an account is named by the instance', async (t) => {
  const { fake, credentials } = await start(t)
  t.same(await identify(credentials, ioOf(fake)), {
    externalId: '14715@mastodon.example',
    username: 'alice@mastodon.example',
    displayName: 'Alice A.',
    textLengthMax: 500,
  })
  t.same(fake.log, ['GET /api/v1/accounts/verify_credentials', 'GET /api/v2/instance'])
})

t.test('an instance says how long a status of its accounts may be', async (t) => {
  const { fake, credentials } = await start(t)
  for (const max of [1, 5000, 1_000_000]) {
    fake.maxCharacters = max
    t.equal((await identify(credentials, ioOf(fake))).textLengthMax, max)
  }
  t.equal(fake.calls.at(-1)?.headers.authorization, `Bearer ${credentials.accessToken}`, 'some ask for a user here too')
})

t.test('an instance that does not say how long a status may be is as good as others', async (t) => {
  const { fake, credentials } = await start(t)
  fake.maxCharacters = 5000
  const says = (max: unknown) => ({ status: 200, body: { configuration: { statuses: { max_characters: max } } } })
  const answers: Fault['instead'][] = [
    ...[0, -500, 500.5, 1_000_001, '5000', null, undefined, [5000]].map(says),
    ...['<html>', [], null, {}, { configuration: null }].map((body) => ({ status: 200, body })),
    ...[301, 401, 403, 404, 422, 429, 500, 503].map((status) => ({ status, body: { error: 'Not found' } })),
    ...[reset, broken(200)],
  ]
  for (const instead of answers) {
    fake.faults.push({ on: 'GET /api/v2/instance', instead })
    const { username, textLengthMax } = await identify(credentials, ioOf(fake))
    t.same([username, textLengthMax], ['alice@mastodon.example', null], JSON.stringify(instead))
  }
  t.same(fake.faults, [])
})

t.test('an instance takes a status up to its own maximum, and not one further', async (t) => {
  const { fake, credentials } = await start(t)
  fake.maxCharacters = 600
  const error = await rejection(send(actOf({ text: 'a'.repeat(601) }), credentials, ioOf(fake)))
  t.match(error, { code: 'content_refused', message: /character limit of 600 exceeded$/ })
  await send(actOf({ text: 'a'.repeat(600) }), credentials, ioOf(fake))
  t.equal(fake.statuses.length, 1)
})

t.test('credentials that are no good are refused, and never told', async (t) => {
  const { fake, credentials } = await start(t)
  const wrong: Credentials[] = [
    { ...credentials, accessToken: 'another' },
    { ...credentials, accessToken: 's3cret\nx-evil: 1' },
    { ...credentials, instance: 'http://mastodon.example' },
    { ...credentials, instance: 'https://s3cret:pw@mastodon.example' },
    { ...credentials, instance: 'https://mastodon.example/s3cret' },
    { ...credentials, instance: 's3cret' },
    {},
  ]
  for (const credentials of wrong) {
    for (const attempt of [identify, send.bind(null, actOf())] as const) {
      const error = await rejection(attempt(credentials, ioOf(fake)))
      t.match(error, { code: 'unauthorized', maybeSent: false, retryable: false, needsAttention: true })
      t.notMatch(error.message, /s3cret|another/)
    }
  }
  const on = 'GET /api/v1/accounts/verify_credentials'
  const error = 'This method requires an authenticated user'
  fake.faults.push({ on, instead: { status: 422, body: { error } } })
  t.match(await rejection(identify(credentials, ioOf(fake))), { code: 'unauthorized', needsAttention: true })
  t.equal(fake.statuses.length, 0)
})

t.test('a text becomes a status, by one call with a key against repetition', async (t) => {
  const { fake, credentials } = await start(t)
  const sent = await send(actOf(), credentials, ioOf(fake))
  t.same(fake.log, ['intend', 'POST /api/v1/statuses'])
  t.same(bodies(fake), [{ status: 'A lighthouse at dusk', visibility: 'public', sensitive: false }])
  t.match(fake.calls[0]?.headers, { 'idempotency-key': TOKEN, 'content-type': 'application/json' })
  t.same(sent, { id: fake.statuses[0]?.id, url: fake.statuses[0]?.url })
  t.match(fake.statuses[0], { visibility: 'public', sensitive: false }, 'whatever the settings of the account')
})

t.test('an instance that answers what no Mastodon does is not believed', async (t) => {
  const { fake, credentials } = await start(t)
  const on = 'POST /api/v1/statuses'
  for (const id of ['../../x', '', 'a'.repeat(65), { a: 1 }, null]) {
    fake.faults.push({ on, instead: { status: 200, body: { id } } })
    t.match(await rejection(send(actOf(), credentials, ioOf(fake))), { code: 'unexpected_answer', maybeSent: true })
  }
  for (const url of ['javascript:alert(1)', `https://example.com/${'a'.repeat(2048)}`, null, 7]) {
    fake.faults.push({ on, instead: { status: 200, body: { id: '1', url } } })
    t.same(await send(actOf(), credentials, ioOf(fake)), { id: '1', url: null })
  }
  const error = `${'a'.repeat(480)} ${credentials.accessToken} \0\n${'b'.repeat(1000)}`
  fake.faults.push({ on, instead: { status: 422, body: { error } } })
  const { message } = await rejection(send(actOf(), credentials, ioOf(fake)))
  t.match(message, /^mastodon\.example: a{480} … {2}b{98}$/, 'cut after the token, without control characters')
})

t.test('the fields of the post are the parameters of the status', async (t) => {
  const { fake, credentials } = await start(t)
  const fields = {
    visibility: 'unlisted',
    sensitive: true,
    spoilerText: 'Sea',
    language: 'en',
    quoteApprovalPolicy: 'followers',
    poll: { options: ['Yes', 'No'], expiresIn: 3600, multiple: true },
  }
  await send(actOf({ fields }), credentials, ioOf(fake))
  t.same(bodies(fake), [
    {
      status: 'A lighthouse at dusk',
      visibility: 'unlisted',
      sensitive: true,
      spoiler_text: 'Sea',
      language: 'en',
      quote_approval_policy: 'followers',
      poll: { options: ['Yes', 'No'], expires_in: 3600, multiple: true },
    },
  ])
  const error = await rejection(send(actOf({ fields: { poll: { options: 'Yes' } } }), credentials, ioOf(fake)))
  t.match(error, { code: 'content_refused', maybeSent: false, retryable: false })
})

t.test('images are uploaded with their descriptions before anything is intended', async (t) => {
  const { fake, credentials } = await start(t)
  const media = [
    fileOf('image/png', { content: 'a png', altText: 'A lighthouse' }),
    fileOf('image/jpeg', { content: 'a jpeg', altText: 'é'.repeat(5000) }),
    fileOf('image/webp', { content: 'a webp' }),
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
  t.ok(Number(fake.calls[0]?.headers['content-length']) > 0, 'streamed, with a length')
  t.same(
    fake.statuses[0]?.media_attachments.map(({ description }) => description),
    ['A lighthouse', 'é'.repeat(1500), 'The sea'],
  )
  t.same(bodies(fake), [
    {
      status: '',
      visibility: 'public',
      sensitive: false,
      media_ids: fake.statuses[0]?.media_attachments.map(({ id }) => id),
    },
  ])
})

t.test('a video or GIF is prepared until the instance has processed it, without a call in between', async (t) => {
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

t.test('files on the instance are used again within an hour, and uploaded again after it', async (t) => {
  const { fake, credentials } = await start(t)
  const act = actOf({ media: [fileOf('image/png')] })
  const io = { ...ioOf(fake), credentials }
  const first = await mastodonAdapter.prepare(act, io, null)
  if (!('ready' in first)) throw new Error('an image is ready at once')
  t.same(await mastodonAdapter.prepare(act, io, first.ready), { ready: { ...first.ready, looks: 1 } })
  t.same(fake.log, ['POST /api/v2/media'])
  const old = { ...first.ready, uploadedAt: Date.now() - 3_600_001 }
  const again = await mastodonAdapter.prepare(act, io, old)
  t.notSame(again, { ready: old })
  t.same(fake.log, ['POST /api/v2/media', 'POST /api/v2/media'])
})

t.test('a file that the instance cannot read, or that cannot be uploaded, was not sent', async (t) => {
  const { fake, credentials } = await start(t)
  const act = actOf({ media: [fileOf('video/mp4')] })
  fake.processing = 'Error processing thumbnail for uploaded media'
  t.match(await rejection(send(act, credentials, ioOf(fake))), {
    code: 'content_refused',
    maybeSent: false,
    retryable: false,
    message: 'mastodon.example: Error processing thumbnail for uploaded media',
  })

  fake.processing = 1
  t.match(
    await rejection(send(act, credentials, ioOf(fake, { signal: AbortSignal.abort() }))),
    { code: 'timeout', maybeSent: false },
    'the delivery has ended',
  )
  for (const instead of [{ status: 500 }, reset, { status: 200, body: {} }]) {
    fake.faults.push({ on: 'POST /api/v2/media', instead })
    t.match(await rejection(send(act, credentials, ioOf(fake))), { maybeSent: false, retryable: true })
  }
  t.notOk(fake.log.includes('intend'))
})

t.test('the parts of a thread answer to each other, and a comment to its post', async (t) => {
  const { fake, credentials } = await start(t)
  const fields = { visibility: 'unlisted', spoilerText: 'Sea', poll: { options: ['Yes', 'No'], expiresIn: 3600 } }
  const root = await send(actOf({ text: 'One', fields, token: 'a' }), credentials, ioOf(fake))
  const second = await send(actOf({ text: 'Two', fields, parent: root, root, token: 'b' }), credentials, ioOf(fake))
  await send(actOf({ text: 'Three', fields, parent: second, root, token: 'c' }), credentials, ioOf(fake))
  const comment = actOf({ kind: 'comment', text: 'First!', fields, parent: root, root, token: 'd' })
  await send(comment, credentials, ioOf(fake))
  t.same(bodies(fake).slice(1), [
    { status: 'Two', visibility: 'unlisted', sensitive: false, spoiler_text: 'Sea', in_reply_to_id: root.id },
    { status: 'Three', visibility: 'unlisted', sensitive: false, spoiler_text: 'Sea', in_reply_to_id: second.id },
    { status: 'First!', visibility: 'unlisted', sensitive: false, spoiler_text: 'Sea', in_reply_to_id: root.id },
  ])
  t.same(
    fake.statuses.map(({ in_reply_to_id }) => in_reply_to_id),
    [root.id, second.id, root.id, null],
  )
})

t.test('what Mastodon refuses is told in its words', async (t) => {
  const { fake, credentials } = await start(t)
  const refusals: [Parameters<typeof actOf>[0], string][] = [
    [{ text: '' }, "Validation failed: Text can't be blank"],
    [{ text: 'a'.repeat(501) }, 'Validation failed: Text character limit of 500 exceeded'],
    [{ media: [fileOf('image/bmp')] }, 'Validation failed: File content type is invalid, File is invalid'],
    [{ parent: { id: '1', url: null } }, 'The post you are trying to reply to does not appear to exist.'],
    [
      { fields: { poll: { options: ['Yes'], expiresIn: 3600 } } },
      'Validation failed: Options must be more than one item',
    ],
    [
      { fields: { poll: { options: ['Yes', 'Yes'], expiresIn: 3600 } } },
      'Validation failed: Options contain duplicate items',
    ],
  ]
  for (const [act, words] of refusals) {
    t.match(await rejection(send(actOf(act), credentials, ioOf(fake))), {
      code: 'content_refused',
      message: `mastodon.example: ${words}`,
      maybeSent: false,
      retryable: false,
      needsAttention: false,
    })
  }
  t.equal(fake.statuses.length, 0)
})

t.test('a token that may not do it needs its owner, and one that may do no more than it takes is enough', async (t) => {
  const { fake, credentials } = await start(t)
  fake.scopes = new Set(['read', 'write:media'])
  t.match(await rejection(send(actOf(), credentials, ioOf(fake))), {
    code: 'unauthorized',
    message: 'mastodon.example: This action is outside the authorized scopes',
    maybeSent: false,
    retryable: false,
    needsAttention: true,
  })
  fake.scopes = new Set(['read:accounts', 'read:statuses', 'write:media', 'write:statuses'])
  const act = actOf({ media: [fileOf('video/mp4')] })
  await identify(credentials, ioOf(fake))
  const { id, url } = await send(act, credentials, ioOf(fake))
  t.same(await reconcile(act, credentials, ioOf(fake)), { id, url })
})

t.test('the same act again within the hour gives the status that is there', async (t) => {
  const { fake, credentials } = await start(t)
  const first = await send(actOf(), credentials, ioOf(fake))
  t.same(await send(actOf(), credentials, ioOf(fake)), first)
  t.equal(fake.statuses.length, 1)
  fake.setTime(new Date(Date.now() + 3_600_001))
  await send(actOf(), credentials, ioOf(fake))
  t.equal(fake.statuses.length, 2, 'but not after it')
})

t.test('an act whose answer was lost is found among the statuses of the account', async (t) => {
  const { fake, credentials } = await start(t)
  const root = await send(actOf({ text: 'Root', token: 'r' }), credentials, ioOf(fake))
  const acts = [
    actOf({ text: '  <b> & @bob https://example.com\n\nsea  ', token: '1' }),
    actOf({ text: 'With a warning', fields: { spoilerText: ' Sea ' }, token: '2' }),
    actOf({ text: '', fields: { spoilerText: 'Only a warning' }, media: [fileOf('image/png')], token: '3' }),
    actOf({ text: 'A part', parent: root, root, token: '4' }),
    actOf({ text: 'A film', media: [fileOf('video/mp4')], token: '5' }),
  ]
  for (const act of acts) {
    t.equal(await reconcile(act, credentials, ioOf(fake)), 'absent')
    fake.faults.push({ on: 'POST /api/v1/statuses', instead: reset, after: true })
    t.match(await rejection(send(act, credentials, ioOf(fake))), { maybeSent: true })
    const { id, url } = fake.statuses[0] ?? {}
    t.same(await reconcile(act, credentials, ioOf(fake)), { id, url }, act.text)
  }
})

t.test('a status that only resembles an act is not taken for it', async (t) => {
  const { fake, credentials } = await start(t)
  const startedAt = new Date('2026-03-01T12:00:00Z')
  const ask = (act = {}) => reconcile(actOf({ startedAt, ...act }), credentials, ioOf(fake))
  const text = 'A lighthouse at dusk'

  fake.setTime(new Date('2026-03-01T11:58:00Z'))
  const before = fake.post({ status: text })
  t.equal(await ask(), 'absent', 'posted before the act began')

  fake.setTime(new Date('2026-03-01T11:59:30Z'))
  fake.post({ status: text, in_reply_to_id: before.id })
  fake.post({ status: `${text}.` })
  t.equal(await ask(), 'absent', 'a reply, and another text')
  t.equal(await ask({ media: [fileOf('image/png')] }), 'absent', 'without the file')
  t.equal(await ask({ fields: { spoilerText: 'Sea' } }), 'absent', 'without the warning')

  const { id, url } = fake.post({ status: text })
  t.same(await ask(), { id, url }, 'even where the clock of the instance is half a minute behind')
  fake.post({ status: text })
  t.equal(await ask(), 'unknown', 'two that are the same')
})

t.test('what cannot be made sure of is unknown', async (t) => {
  const { fake, credentials } = await start(t)
  const ask = () => reconcile(actOf(), credentials, ioOf(fake))
  const edited = fake.post({ status: 'Was something else' })
  edited.edited_at = new Date().toISOString()
  t.equal(await ask(), 'unknown', 'it was edited since')

  fake.statuses.length = 0
  for (let count = 0; count < 199; count++) fake.post({ status: `Number ${count}` })
  fake.setTime(new Date(Date.now() - 600_000))
  fake.statuses.push(fake.post({ status: 'Old' }))
  fake.statuses.shift()
  fake.log.length = 0
  t.equal(await ask(), 'absent')
  t.equal(fake.log.filter((name) => name === 'GET /api/v1/accounts/14715/statuses').length, 5, 'in pages of 40')
  fake.setTime(new Date())
  fake.post({ status: 'Number 200' })
  t.equal(await ask(), 'unknown', 'more than can be looked at')

  fake.faults.push({ on: 'GET /api/v1/accounts/14715/statuses', instead: { status: 503 } })
  const error = await rejection(ask() as Promise<unknown>)
  t.match(error, { code: 'server_error', maybeSent: false, retryable: true })
})

testAdapterContract(async (t) => {
  const fake = await startMastodon(t)
  let acts = 0
  const act = () => actOf({ token: `act-${++acts}` })
  return {
    fake,
    send: (io) => send(act(), fake.credentials, io),
    sendFile: (file, io) => send({ ...act(), media: [file] }, fake.credentials, io),
    limited: (seconds) => throttled(new Date(Date.now() + seconds * 1000)),
    count: () => fake.statuses.length,
    secret: fake.credentials.accessToken,
    visible: 'POST /api/v1/statuses',
  }
})

import t from 'tap'
import { callsOf, createNetworkWorld, VIDEO } from '../helpers/network-world.ts'
import { jpeg } from '../helpers/upload.ts'
import { throttled } from '../networks/fakes/mastodon.ts'
import { broken, type FakeNetwork, reset } from '../networks/fakes/network.ts'

const SECOND = 1_000
const MINUTE = 60_000
const HOUR = 3_600_000

const keysOf = (mastodon: FakeNetwork) =>
  callsOf(mastodon, 'POST /api/v1/statuses').map(({ headers }) => headers['idempotency-key'])

t.test('Mastodon: a text is published with its fields, and the delivery has its address', async (t) => {
  const { connect, post, work, readDelivery, readStatus, mastodon, of } = await createNetworkWorld(t)
  const account = await connect('mastodon')
  const fields = { visibility: 'unlisted', sensitive: true, spoilerText: 'Whales', language: 'en' }
  const id = await post({
    accountIds: [account],
    caption: 'Not this',
    accountOverrides: [{ accountId: account, captionOverride: 'Thar she blows & <breathes>', fields }],
  })
  await work()
  t.equal(mastodon.statuses.length, 1)
  const [shown] = mastodon.statuses
  t.hasStrict(shown, {
    text: 'Thar she blows & <breathes>',
    visibility: 'unlisted',
    sensitive: true,
    spoiler_text: 'Whales',
    language: 'en',
    in_reply_to_id: null,
  })
  const externalUrl = `https://mastodon.example/@alice/${shown!.id}`
  t.hasStrict(await readDelivery(id), {
    state: 'published',
    attempts: 1,
    externalId: shown!.id,
    externalUrl,
    error: null,
  })
  t.equal(await readStatus(id), 'published')
  t.equal(
    mastodon.calls.at(-1)?.headers.authorization,
    `Bearer ${of('mastodon').secret}`,
    'with the credentials of the account',
  )
})

t.test('Mastodon: files are uploaded first, and the status follows when they are processed', async (t) => {
  const { connect, uploadFile, post, work, readDelivery, mastodon } = await createNetworkWorld(t)
  const account = await connect('mastodon')
  const images = [await jpeg(40, 30, 1), await jpeg(30, 40, 2)]
  const mediaIds = [await uploadFile(images[0]!, 'A lighthouse at dusk'), await uploadFile(images[1]!)]
  const pictures = await post({ accountIds: [account], caption: 'Two', mediaIds })
  await work()
  t.same(
    callsOf(mastodon, '/api/v2/media').map(({ files }) => files[0]!.bytes),
    images,
  )
  t.hasStrict(mastodon.statuses[0], {
    media_attachments: [{ description: 'A lighthouse at dusk' }, { description: null }],
  })
  t.hasStrict(await readDelivery(pictures), { state: 'published', attempts: 1 })

  mastodon.processing = 3
  const film = await post({ accountIds: [account], postType: 'video', mediaIds: [await uploadFile(VIDEO, 'Bars')] })
  await work()
  for (let looks = 0; looks < 4; looks++) {
    t.hasStrict(
      await readDelivery(film),
      { state: 'queued', attempts: 0, error: null },
      'the instance is still processing it',
    )
    await work(5 * SECOND)
  }
  t.same(
    callsOf(mastodon, '/api/v2/media').map(({ files }) => files[0]?.bytes),
    [...images, VIDEO],
    'the file was uploaded once',
  )
  t.hasStrict(mastodon.statuses[0], { text: '', media_attachments: [{ description: 'Bars' }] })
  t.hasStrict(await readDelivery(film), { state: 'published', attempts: 1 })

  mastodon.processing = 'Could not be converted'
  const bad = await post({ accountIds: [account], postType: 'video', mediaIds: [await uploadFile(VIDEO)] })
  await work()
  await work(SECOND)
  const message = 'mastodon.example: Could not be converted'
  t.hasStrict(await readDelivery(bad), {
    state: 'failed',
    error: { code: 'content_refused', message, retryable: false },
  })
  t.hasStrict((await readDelivery(bad)).history, [{ intendedAt: null, outcome: 'failed' }])
  t.equal(mastodon.statuses.length, 2)
})

t.test('Mastodon: the parts of a thread and its comment reply to each other, also after lost responses', async (t) => {
  const { connect, post, work, readDelivery, mastodon } = await createNetworkWorld(t)
  const account = await connect('mastodon')
  const id = await post({
    accountIds: [account],
    postType: 'thread',
    threadParts: { [account]: ['one', 'two', 'three'] },
    firstComment: 'and a comment',
    accountOverrides: [{ accountId: account, fields: { visibility: 'unlisted' } }],
  })
  await work()
  const [comment, three, two, one] = mastodon.statuses
  t.same(
    [one, two, three, comment].map((each) => each?.text),
    ['one', 'two', 'three', 'and a comment'],
  )
  t.same(
    [two, three, comment].map((each) => each?.in_reply_to_id),
    [one?.id, two?.id, three?.id],
  )
  t.same(
    mastodon.statuses.map(({ visibility }) => visibility),
    Array(4).fill('unlisted'),
  )
  t.equal(new Set(keysOf(mastodon)).size, 4)
  const acts = [one, two, three, comment].map((each) => ({ externalId: each!.id, externalUrl: each!.url }))
  t.hasStrict(await readDelivery(id), { state: 'published', attempts: 4, externalId: one!.id, acts })

  const lost = await post({
    accountIds: [account],
    postType: 'thread',
    threadParts: { [account]: ['first', 'second', 'third'] },
  })
  const ok = { on: 'POST /api/v1/statuses', after: true }
  mastodon.faults.push({ ...ok, instead: broken(200) })
  await work()
  t.hasStrict(await readDelivery(lost), { state: 'queued', acts: [], error: { code: 'disconnected' } })
  mastodon.faults.push({ ...ok, instead: reset })
  await work(MINUTE)
  t.hasStrict(await readDelivery(lost), { state: 'queued', acts: [{}], error: { code: 'disconnected' } })
  await work(MINUTE)
  t.same(
    mastodon.statuses.slice(0, 3).map(({ text }) => text),
    ['third', 'second', 'first'],
  )
  t.equal(mastodon.statuses.length, 7)
  t.equal(mastodon.statuses[1]?.in_reply_to_id, mastodon.statuses[2]?.id)
  t.equal(mastodon.statuses[0]?.in_reply_to_id, mastodon.statuses[1]?.id)
  t.hasStrict((await readDelivery(lost)).history, [
    { act: 1, outcome: 'found' },
    { act: 2, outcome: 'found' },
    { act: 3, outcome: 'published' },
  ])
})

t.test('Mastodon: after a 429 the account rests as requested, and the Idempotency-Key stays the same', async (t) => {
  const { connect, post, work, readDelivery, mastodon, time } = await createNetworkWorld(t)
  const account = await connect('mastodon')
  const id = await post({ accountIds: [account], caption: 'patience' })
  mastodon.faults.push({ on: 'POST /api/v1/statuses', instead: throttled(new Date(Date.now() + HOUR)) })
  await work()
  t.hasStrict(await readDelivery(id), {
    state: 'queued',
    attempts: 1,
    error: { code: 'rate_limited', message: 'mastodon.example: Too many requests', retryable: true },
  })
  const rest = Date.parse((await readDelivery(id)).nextAttemptAt!) - time.now.getTime()
  t.ok(rest > HOUR - MINUTE && rest <= HOUR, `${rest}`)
  await post({ accountIds: [account], caption: 'next' })
  await work(rest - SECOND)
  t.equal(keysOf(mastodon).length, 1)
  await work(SECOND)
  t.same(
    mastodon.statuses.map(({ text }) => text),
    ['next', 'patience'],
  )
  const [first, second, other] = keysOf(mastodon)
  t.match(first, /^[\da-f-]{36}$/)
  t.equal(first, second)
  t.not(first, other)
  t.hasStrict((await readDelivery(id)).history, [{ outcome: 'failed' }, { outcome: 'published' }])
})

t.test('Mastodon: a lost response is reconciled, and there is one status', async (t) => {
  const { connect, post, work, readDelivery, readStatus, mastodon, time } = await createNetworkWorld(t)
  const account = await connect('mastodon')
  const on = 'POST /api/v1/statuses'

  mastodon.faults.push({ on, after: true, instead: reset })
  const there = await post({ accountIds: [account], caption: 'there' })
  await work()
  t.hasStrict(await readDelivery(there), { state: 'queued', publishedAt: null, error: { code: 'disconnected' } })
  t.equal(await readStatus(there), 'published', 'it may be published')
  const intendedAt = time.now.toISOString()
  await work(MINUTE)
  t.equal(keysOf(mastodon).length, 1)
  const { id: externalId, url: externalUrl } = mastodon.statuses[0]!
  const found = { state: 'published', attempts: 1, externalId, externalUrl, publishedAt: intendedAt, error: null }
  t.hasStrict(await readDelivery(there), found)

  mastodon.faults.push({ on, instead: reset })
  const absent = await post({ accountIds: [account], caption: 'absent' })
  await work()
  await work(MINUTE)
  t.hasStrict((await readDelivery(absent)).history, [{ outcome: 'absent' }, { outcome: 'published' }])
  t.equal(keysOf(mastodon)[1], keysOf(mastodon)[2])

  // The status exists and is not listed yet: the Idempotency-Key prevents a second one.
  mastodon.faults.push({ on, after: true, instead: { status: 504 } })
  mastodon.faults.push({ on: 'GET /api/v1/accounts/14715/statuses', instead: { status: 200, body: [] } })
  const late = await post({ accountIds: [account], caption: 'late' })
  await work()
  await work(MINUTE)
  t.hasStrict((await readDelivery(late)).history, [{ outcome: 'absent' }, { outcome: 'published' }])
  t.equal(keysOf(mastodon)[3], keysOf(mastodon)[4])
  t.equal(keysOf(mastodon).length, 5)
  t.same(
    mastodon.statuses.map(({ text }) => text),
    ['late', 'absent', 'there'],
  )
})

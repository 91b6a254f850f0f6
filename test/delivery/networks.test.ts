import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { sql } from 'kysely'
import t, { type Test } from 'tap'
import { sandboxStore } from '../../db/queries/sandbox.ts'
import type { SandboxFault } from '../../schemas/sandbox.ts'
import { createKeyring } from '../../src/credentials/keyring.ts'
import { createNetworks } from '../../src/platforms/adapters.ts'
import { createLoggerOptions } from '../../src/runtime/logging.ts'
import { everythingIn } from '../helpers/database.ts'
import { throttled } from '../helpers/fake-mastodon.ts'
import { broken, type FakeNetwork, reset } from '../helpers/fake-network.ts'
import { startFakeNetworks } from '../helpers/fake-networks.ts'
import { createDeliveryWorld } from '../helpers/publisher.ts'
import { jpeg, upload } from '../helpers/upload.ts'

const SECOND = 1_000
const MINUTE = 60_000
const HOUR = 3_600_000
const DAY = 86_400_000

const VIDEO = readFileSync('test/samples/plain.mp4')

/** The whole service, up to fakes of the networks, which it waits for without any time going by. */
async function createOffice(t: Test) {
  const fakes = await startFakeNetworks(t)
  const log: string[] = []
  const logger = {
    ...((await createLoggerOptions('trace')) as object),
    stream: { write: (line: string) => log.push(line) },
  }
  const desk = await createDeliveryWorld(t, (db) => createNetworks(sandboxStore(db)), { fetch: fakes.fetch, logger })
  const { ada, app } = desk

  return {
    ...desk,
    ...fakes,
    log,
    /** Connects the account that there is on a network. Gives its id. */
    async connect(platform: string): Promise<string> {
      const credentials = platform === 'sandbox' ? SANDBOX : fakes.of(platform).body.credentials
      const { status, body } = await ada.call('POST', '/accounts', { platform, credentials })
      if (status !== 200 && status !== 201) throw new Error(body.error)
      return body.id
    },
    /** The account as the list shows it. */
    async listed(id: string) {
      return (await ada.call('GET', '/accounts')).body.data.find((account: { id: string }) => account.id === id)
    },
    async file(bytes: Buffer, altText = ''): Promise<string> {
      const { status, body } = await upload(app, ada, [
        ['altText', altText],
        ['file', bytes],
      ])
      if (status !== 201 && status !== 200) throw new Error(body.error)
      return body.id
    },
    /** The clock of Mastodon goes with that of the publishers. */
    async work(ms = 0) {
      desk.time.now = new Date(desk.time.now.getTime() + ms)
      fakes.mastodon.setTime(desk.time.now)
      await desk.work()
    },
    retry: (post: string, account: string) => ada.call('POST', `/posts/${post}/deliveries/${account}/retry`),
    resolve: (post: string, account: string, body: object) =>
      ada.call('POST', `/posts/${post}/deliveries/${account}/resolve`, body),
  }
}

const SANDBOX = { username: 'ada', token: 'the-sandbox-token-of-ada' }

const TELEGRAM_BOT = '/bot123456:ABC-DEF1234ghIkl-zyx57W2v1u123ew11'

/** The calls to a network of that name. */
const callsOf = ({ calls }: FakeNetwork, name: string) =>
  calls.filter(({ method, path }) => `${method} ${path}`.endsWith(name))

const keysOf = (mastodon: FakeNetwork) =>
  callsOf(mastodon, 'POST /api/v1/statuses').map(({ headers }) => headers['idempotency-key'])

t.test('Mastodon: a text goes out as its fields have it, and the post says where it is', async (t) => {
  const { connect, post, work, readDelivery, readStatus, mastodon, of } = await createOffice(t)
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
  t.match(shown, {
    text: 'Thar she blows & <breathes>',
    visibility: 'unlisted',
    sensitive: true,
    spoiler_text: 'Whales',
    language: 'en',
    in_reply_to_id: null,
  })
  const externalUrl = `https://mastodon.example/@alice/${shown!.id}`
  t.match(await readDelivery(id), { state: 'published', attempts: 1, externalId: shown!.id, externalUrl, error: null })
  t.equal(await readStatus(id), 'published')
  t.equal(mastodon.calls.at(-1)?.headers.authorization, `Bearer ${of('mastodon').secret}`, 'as it was connected')
})

t.test('Mastodon: files go first, and the post when the instance is done with them', async (t) => {
  const { connect, file, post, work, readDelivery, mastodon } = await createOffice(t)
  const account = await connect('mastodon')
  const images = [await jpeg(40, 30, 1), await jpeg(30, 40, 2)]
  const mediaIds = [await file(images[0]!, 'A lighthouse at dusk'), await file(images[1]!)]
  const pictures = await post({ accountIds: [account], caption: 'Two', mediaIds })
  await work()
  t.same(
    callsOf(mastodon, '/api/v2/media').map(({ files }) => files[0]!.bytes),
    images,
  )
  t.match(mastodon.statuses[0], { media_attachments: [{ description: 'A lighthouse at dusk' }, { description: null }] })
  t.match(await readDelivery(pictures), { state: 'published', attempts: 1 })

  mastodon.processing = 3
  const film = await post({ accountIds: [account], postType: 'video', mediaIds: [await file(VIDEO, 'Bars')] })
  await work()
  for (let looks = 0; looks < 4; looks++) {
    t.match(
      await readDelivery(film),
      { state: 'queued', attempts: 0, error: null },
      'the instance is still processing it',
    )
    await work(5 * SECOND)
  }
  t.same(
    callsOf(mastodon, '/api/v2/media').map(({ files }) => files[0]?.bytes),
    [...images, VIDEO],
    'it was uploaded once',
  )
  t.match(mastodon.statuses[0], { text: '', media_attachments: [{ description: 'Bars' }] })
  t.match(await readDelivery(film), { state: 'published', attempts: 1 })

  mastodon.processing = 'Could not be converted'
  const bad = await post({ accountIds: [account], postType: 'video', mediaIds: [await file(VIDEO)] })
  await work()
  await work(SECOND)
  const message = 'mastodon.example: Could not be converted'
  t.match(await readDelivery(bad), { state: 'failed', error: { code: 'content_refused', message, retryable: false } })
  t.match((await readDelivery(bad)).history, [{ intendedAt: null, outcome: 'failed' }])
  t.equal(mastodon.statuses.length, 2)
})

t.test('Mastodon: a thread of three and its comment answer to each other, also when an answer is lost', async (t) => {
  const { connect, post, work, readDelivery, mastodon } = await createOffice(t)
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
  t.match(await readDelivery(id), { state: 'published', attempts: 4, externalId: one!.id, acts })

  const lost = await post({
    accountIds: [account],
    postType: 'thread',
    threadParts: { [account]: ['first', 'second', 'third'] },
  })
  const ok = { on: 'POST /api/v1/statuses', after: true }
  mastodon.faults.push({ ...ok, instead: broken(200) })
  await work()
  t.match(await readDelivery(lost), { state: 'queued', acts: [], error: { code: 'disconnected' } })
  mastodon.faults.push({ ...ok, instead: reset })
  await work(MINUTE)
  t.match(await readDelivery(lost), { state: 'queued', acts: [{}], error: { code: 'disconnected' } })
  await work(MINUTE)
  t.same(
    mastodon.statuses.slice(0, 3).map(({ text }) => text),
    ['third', 'second', 'first'],
  )
  t.equal(mastodon.statuses.length, 7)
  t.equal(mastodon.statuses[1]?.in_reply_to_id, mastodon.statuses[2]?.id)
  t.equal(mastodon.statuses[0]?.in_reply_to_id, mastodon.statuses[1]?.id)
  t.match((await readDelivery(lost)).history, [
    { act: 1, outcome: 'found' },
    { act: 2, outcome: 'found' },
    { act: 3, outcome: 'published' },
  ])
})

t.test('Mastodon: after a 429, the account rests as long as it is told, and the key is the same', async (t) => {
  const { connect, post, work, readDelivery, mastodon, time } = await createOffice(t)
  const account = await connect('mastodon')
  const id = await post({ accountIds: [account], caption: 'patience' })
  mastodon.faults.push({ on: 'POST /api/v1/statuses', instead: throttled(new Date(Date.now() + HOUR)) })
  await work()
  t.match(await readDelivery(id), {
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
  t.match((await readDelivery(id)).history, [{ outcome: 'failed' }, { outcome: 'published' }])
})

t.test('Mastodon: an answer that was lost is looked for, and there is one status', async (t) => {
  const { connect, post, work, readDelivery, readStatus, mastodon, time } = await createOffice(t)
  const account = await connect('mastodon')
  const on = 'POST /api/v1/statuses'

  mastodon.faults.push({ on, after: true, instead: reset })
  const there = await post({ accountIds: [account], caption: 'there' })
  await work()
  t.match(await readDelivery(there), { state: 'queued', publishedAt: null, error: { code: 'disconnected' } })
  t.equal(await readStatus(there), 'published', 'it may be out')
  const intendedAt = time.now.toISOString()
  await work(MINUTE)
  t.equal(keysOf(mastodon).length, 1)
  const { id: externalId, url: externalUrl } = mastodon.statuses[0]!
  const found = { state: 'published', attempts: 1, externalId, externalUrl, publishedAt: intendedAt, error: null }
  t.match(await readDelivery(there), found)

  mastodon.faults.push({ on, instead: reset })
  const absent = await post({ accountIds: [account], caption: 'absent' })
  await work()
  await work(MINUTE)
  t.match((await readDelivery(absent)).history, [{ outcome: 'absent' }, { outcome: 'published' }])
  t.equal(keysOf(mastodon)[1], keysOf(mastodon)[2])

  // It is there, and not in the list yet: then the key prevents a second one.
  mastodon.faults.push({ on, after: true, instead: { status: 504 } })
  mastodon.faults.push({ on: 'GET /api/v1/accounts/14715/statuses', instead: { status: 200, body: [] } })
  const late = await post({ accountIds: [account], caption: 'late' })
  await work()
  await work(MINUTE)
  t.match((await readDelivery(late)).history, [{ outcome: 'absent' }, { outcome: 'published' }])
  t.equal(keysOf(mastodon)[3], keysOf(mastodon)[4])
  t.equal(keysOf(mastodon).length, 5)
  t.same(
    mastodon.statuses.map(({ text }) => text),
    ['late', 'absent', 'there'],
  )
})

t.test('Telegram: texts, a photo, a video and an album arrive as such, a comment as a reply', async (t) => {
  const { connect, file, post, work, readDelivery, telegram } = await createOffice(t)
  const account = await connect('telegram')
  const image = await jpeg()
  const photo = await file(image)
  const accountIds = [account]

  const text = await post({ accountIds, caption: 'Hello', firstComment: 'And more' })
  await work()
  t.match(await readDelivery(text), { state: 'queued', attempts: 1, acts: [{ externalId: '1' }], error: null })
  await work(SECOND)
  t.match(telegram.calls.at(-1)?.body, { text: 'And more', reply_parameters: { message_id: 1 } })
  t.match(await readDelivery(text), {
    state: 'published',
    externalUrl: 'https://t.me/lighthouses/1',
    acts: [{}, { externalId: '2', externalUrl: 'https://t.me/lighthouses/2' }],
  })

  await post({ accountIds, caption: 'A photo', mediaIds: [photo] })
  await work(SECOND)
  t.match(telegram.calls.at(-1), {
    path: `${TELEGRAM_BOT}/sendPhoto`,
    body: { chat_id: '@lighthouses', caption: 'A photo' },
    files: [{ field: 'photo', type: 'image/jpeg', bytes: image }],
  })

  const film = await post({ accountIds, caption: 'A film', postType: 'video', mediaIds: [await file(VIDEO)] })
  await work(SECOND)
  t.match(telegram.calls.at(-1), {
    path: `${TELEGRAM_BOT}/sendVideo`,
    body: { caption: 'A film', width: '64', height: '36', duration: '1' },
    files: [{ field: 'video', type: 'video/mp4', bytes: VIDEO }],
  })
  t.match(await readDelivery(film), { state: 'published', externalId: '4' })

  const mediaIds = [photo, await file(await jpeg(30, 30, 9)), await file(VIDEO)]
  const album = await post({ accountIds, caption: 'An album', mediaIds, firstComment: 'Of it' })
  await work(SECOND)
  const { body, files, path } = telegram.calls.at(-1)!
  t.equal(path, `${TELEGRAM_BOT}/sendMediaGroup`)
  t.match(JSON.parse((body as { media: string }).media), [
    { type: 'photo', caption: 'An album' },
    { type: 'photo', caption: undefined },
    { type: 'video', caption: undefined },
  ])
  t.same(
    files.map(({ bytes }) => bytes.length),
    [image.length, files[1]!.bytes.length, VIDEO.length],
  )
  await work(SECOND)
  t.match(telegram.calls.at(-1)?.body, { text: 'Of it', reply_parameters: { message_id: 5 } })
  t.match(await readDelivery(album), {
    state: 'published',
    attempts: 2,
    acts: [{ externalId: '5' }, { externalId: '8' }],
  })
  t.equal(telegram.messages.length, 8)
})

t.test('Telegram: a lost answer is never sent again, until its owner says that it is not there', async (t) => {
  const { connect, post, work, readDelivery, readStatus, telegram, retry, resolve } = await createOffice(t)
  const account = await connect('telegram')
  const on = `POST ${TELEGRAM_BOT}/sendMessage`
  const count = () => callsOf(telegram, '/sendMessage').length

  telegram.faults.push({ on, after: true, instead: reset })
  const there = await post({ accountIds: [account], caption: 'there' })
  for (const ms of [0, MINUTE, HOUR, 12 * HOUR]) await work(ms)
  t.equal(count(), 1)
  t.match(await readDelivery(there), { state: 'unconfirmed', nextAttemptAt: null, error: { code: 'disconnected' } })
  t.equal(await readStatus(there), 'published')
  t.equal((await retry(there, account)).status, 409)
  const url = 'https://t.me/lighthouses/1'
  t.equal((await resolve(there, account, { outcome: 'published', url })).status, 200)
  await work(HOUR)
  t.match(await readDelivery(there), { state: 'published', externalId: null, externalUrl: url, error: null })
  t.equal(count(), 1)

  telegram.faults.push({ on, instead: { status: 502, body: '<html>' } })
  const absent = await post({ accountIds: [account], caption: 'absent' })
  await work()
  t.match(await readDelivery(absent), { state: 'unconfirmed', error: { code: 'server_error' } })
  t.equal((await resolve(absent, account, { outcome: 'not_published' })).status, 200)
  await work(HOUR)
  t.equal(count(), 2, 'not by itself')
  t.equal(await readStatus(absent), 'scheduled')
  t.equal((await retry(absent, account)).status, 202)
  await work(HOUR)
  t.equal(count(), 3)
  t.same(
    telegram.messages.map(({ text }) => text),
    ['there', 'absent'],
  )
  t.match(await readDelivery(absent), { state: 'published', externalId: '2' })
  t.match((await readDelivery(absent)).history, [{ outcome: 'said_not_published' }, { outcome: 'published' }])
})

t.test('Telegram: after a 429 the account rests, and no other one', async (t) => {
  const { connect, post, work, readDelivery, telegram, discord, time } = await createOffice(t)
  const [account, other] = [await connect('telegram'), await connect('discord')]
  const parameters = { retry_after: 3600 }
  const body = { ok: false, error_code: 429, description: 'Too Many Requests: retry after 3600', parameters }
  telegram.faults.push({ on: `POST ${TELEGRAM_BOT}/sendMessage`, instead: { status: 429, body } })
  const limited = await post({ accountIds: [account], caption: 'limited' })
  await work()
  const nextAttemptAt = new Date(time.now.getTime() + HOUR).toISOString()
  t.match(await readDelivery(limited), { state: 'queued', nextAttemptAt, error: { code: 'rate_limited' } })
  await post({ accountIds: [account, other], caption: 'next' })
  await work(HOUR - SECOND)
  t.equal(callsOf(telegram, '/sendMessage').length, 1)
  t.same(
    discord.messages.map(({ content }) => content),
    ['next'],
  )
  await work(SECOND)
  await work(SECOND)
  t.same(
    telegram.messages.map(({ text }) => text),
    ['limited', 'next'],
  )
})

t.test('Telegram: a bot that was removed needs its owner, who connects it again and retries', async (t) => {
  const { connect, listed, post, work, readDelivery, readStatus, telegram, retry, time } = await createOffice(t)
  const account = await connect('telegram')
  const description = 'Forbidden: bot is not a member of the channel chat'
  const gone = { status: 403, body: { ok: false, error_code: 403, description } }
  const on = `POST ${TELEGRAM_BOT}/sendMessage`
  telegram.faults.push({ on, instead: gone })
  const id = await post({ accountIds: [account], caption: 'Hello' })
  await work()
  const error = { code: 'unauthorized', message: `api.telegram.org: ${description}` }
  t.match(await readDelivery(id), { state: 'failed', nextAttemptAt: null, error: { ...error, retryable: false } })
  t.equal(await readStatus(id), 'scheduled')
  t.strictSame((await listed(account)).attention, { ...error, since: time.now.toISOString() })

  t.equal(await connect('telegram'), account, 'it is the same account')
  t.notOk('attention' in (await listed(account)))
  await work(HOUR)
  t.equal(telegram.messages.length, 0, 'nothing goes out by itself')
  t.equal((await retry(id, account)).status, 202)
  await work()
  t.match(await readDelivery(id), { state: 'published', externalId: '1', error: null })

  telegram.faults.push({ on, instead: gone })
  const again = await post({ accountIds: [account], caption: 'Again' })
  await work(SECOND)
  t.match(await listed(account), { attention: error })
  t.equal((await retry(again, account)).status, 202)
  await work(SECOND)
  t.notOk('attention' in (await listed(account)), 'what gets through is proof enough')
})

t.test('Discord: texts and files with their descriptions arrive, a comment after its post', async (t) => {
  const { connect, file, post, work, readDelivery, discord } = await createOffice(t)
  const account = await connect('discord')
  const accountIds = [account]
  const text = await post({ accountIds, caption: 'Hello', firstComment: 'And more' })
  await work()
  t.same(
    discord.messages.map(({ content }) => content),
    ['Hello', 'And more'],
  )
  const urlOf = ({ id, channel_id }: { id: string; channel_id: string }) =>
    `https://discord.com/channels/199737254929760256/${channel_id}/${id}`
  t.match(await readDelivery(text), {
    state: 'published',
    attempts: 2,
    externalUrl: urlOf(discord.messages[0]!),
    acts: discord.messages.map((message) => ({ externalId: message.id, externalUrl: urlOf(message) })),
  })

  const image = await jpeg()
  const mediaIds = [await file(image, 'A lighthouse at dusk'), await file(VIDEO)]
  await post({ accountIds, mediaIds })
  await work(2 * SECOND)
  t.match(discord.messages[2], {
    content: '',
    attachments: [{ filename: 'image-1.jpg', description: 'A lighthouse at dusk' }, { filename: 'video-2.mp4' }],
  })
  t.same(
    discord.calls.at(-1)?.files.map(({ bytes }) => bytes),
    [image, VIDEO],
  )
})

t.test('Discord: a webhook that was deleted needs its owner', async (t) => {
  const { connect, listed, post, work, readDelivery, discord, of, retry } = await createOffice(t)
  const account = await connect('discord')
  const path = of('discord').firstCall.split(' ')[1]
  discord.faults.push({
    on: `POST ${path}`,
    instead: { status: 404, body: { message: 'Unknown Webhook', code: 10015 } },
  })
  const id = await post({ accountIds: [account], caption: 'Hello' })
  await work(MINUTE)
  const error = { code: 'unauthorized', message: 'discord.com: Unknown Webhook' }
  t.match(await readDelivery(id), { state: 'failed', attempts: 1, error: { ...error, retryable: false } })
  t.match(await listed(account), { attention: error })
  t.equal(discord.messages.length, 0)
  await connect('discord')
  t.notOk('attention' in (await listed(account)))
  t.equal((await retry(id, account)).status, 202)
  await work(MINUTE)
  t.match(await readDelivery(id), { state: 'published', attempts: 2 })

  discord.faults.push({ on: `POST ${path}`, after: true, instead: reset })
  const lost = await post({ accountIds: [account], caption: 'lost' })
  for (const ms of [0, MINUTE, DAY]) await work(ms)
  t.match(await readDelivery(lost), { state: 'unconfirmed', attempts: 1, error: { code: 'disconnected' } })
  t.same(
    discord.messages.map(({ content }) => content),
    ['Hello', 'lost'],
  )
})

t.test('sandbox: each fault ends as it would on a real network, and every call is shown', async (t) => {
  const { ada, connect, listed, file, post, work, readDelivery, readStatus } = await createOffice(t)
  const account = await connect('sandbox')
  const mediaIds = [await file(await jpeg(), 'A lighthouse')]
  interface Ending {
    /** Right after the first attempt. */
    first: object
    state: 'published' | 'failed' | 'unconfirmed'
    outcomes: string[]
    /** Whether the sandbox took the call, in order. */
    accepted: boolean[]
    error?: object
  }
  const endings: Record<SandboxFault, Ending> = {
    rate_limited: {
      first: { state: 'queued', error: { code: 'rate_limited' } },
      state: 'published',
      outcomes: ['failed', 'published'],
      accepted: [false, true],
    },
    server_error: {
      first: { state: 'queued', error: { code: 'server_error' } },
      state: 'published',
      outcomes: ['absent', 'published'],
      accepted: [false, true],
    },
    server_error_after: {
      first: { state: 'queued', error: { code: 'server_error' } },
      state: 'published',
      outcomes: ['found'],
      accepted: [true],
    },
    timeout_after: {
      first: { state: 'queued', error: { code: 'timeout' } },
      state: 'published',
      outcomes: ['found'],
      accepted: [true],
    },
    unknown: {
      first: { state: 'queued', error: { code: 'timeout' } },
      state: 'unconfirmed',
      outcomes: ['unknown'],
      accepted: [true],
      error: { code: 'unknown_outcome' },
    },
    expired_token: {
      first: { state: 'failed' },
      state: 'failed',
      outcomes: ['failed'],
      accepted: [false],
      error: { code: 'unauthorized', retryable: false },
    },
    content_refused: {
      first: { state: 'failed' },
      state: 'failed',
      outcomes: ['failed'],
      accepted: [false],
      error: { code: 'content_refused', retryable: false },
    },
    slow_media: {
      first: { state: 'queued', attempts: 0, error: null },
      state: 'published',
      outcomes: ['published'],
      accepted: [true],
    },
  }
  for (const [fault, { first, state, outcomes, accepted, error = null }] of Object.entries(endings)) {
    const accountOverrides = [{ accountId: account, fields: { fault } }]
    const id = await post({ accountIds: [account], caption: fault, mediaIds, accountOverrides })
    await work()
    t.match(await readDelivery(id), first, fault)
    for (const ms of [MINUTE, MINUTE, HOUR, DAY]) await work(ms)
    const ended = await readDelivery(id)
    t.match(ended, { state, nextAttemptAt: null, attempts: outcomes.length, error }, fault)
    t.match(
      ended.history,
      outcomes.map((outcome) => ({ act: 1, outcome })),
      fault,
    )
    t.equal(ended.history.length, outcomes.length, fault)
    t.equal(await readStatus(id), state === 'failed' ? 'scheduled' : 'published', fault)

    const { data } = (await ada.call('GET', '/sandbox/calls')).body
    const calls = data.filter(({ text }: { text: string }) => text === fault).toReversed()
    t.same(
      calls.map((call: { accepted: boolean }) => call.accepted),
      accepted,
      fault,
    )
    t.match(calls[0], { accountId: account, fault, kind: 'post', media: [{ altText: 'A lighthouse' }] }, fault)
    if (state === 'published') {
      const externalUrl = `https://sandbox.invalid/posts/${calls.at(-1).id}`
      t.match(ended, { externalId: calls.at(-1).id, externalUrl }, fault)
    } else t.equal(ended.externalId, null, fault)
    const { attention } = await listed(account)
    if (fault === 'expired_token') t.match(attention, { code: 'unauthorized' })
    // The next one that gets through ends it; a post that is refused for what it says does not.
    else if (fault === 'content_refused') t.match(attention, { code: 'unauthorized' })
    else t.equal(attention, undefined, fault)
  }
})

t.test('sandbox: a fault of a comment leaves its post alone, and one that comes often is tried often', async (t) => {
  const { ada, connect, post, work, readDelivery } = await createOffice(t)
  const account = await connect('sandbox')
  const accountOverrides = (fields: object) => [{ accountId: account, fields }]
  const commented = await post({
    accountIds: [account],
    caption: 'post',
    firstComment: 'comment',
    accountOverrides: accountOverrides({ fault: 'timeout_after', faultAct: 2 }),
  })
  await work()
  t.match(await readDelivery(commented), { state: 'queued', acts: [{}], error: { code: 'timeout' } })
  await work(MINUTE)
  t.match(await readDelivery(commented), { state: 'published', acts: [{}, {}], error: null })
  const { data } = (await ada.call('GET', '/sandbox/calls')).body
  t.match(data, [
    { kind: 'comment', text: 'comment', parentId: data[1].id, fault: 'timeout_after' },
    { kind: 'post', text: 'post', parentId: null, fault: null },
  ])

  const often = await post({
    accountIds: [account],
    caption: 'often',
    accountOverrides: accountOverrides({ fault: 'rate_limited', faultTimes: 3 }),
  })
  for (let hour = 0; hour < 4; hour++) await work(HOUR)
  t.match(await readDelivery(often), { state: 'published', attempts: 4 })
  const never = await post({
    accountIds: [account],
    caption: 'never',
    accountOverrides: accountOverrides({ fault: 'rate_limited', faultTimes: 1000 }),
  })
  for (let hour = 0; hour < 12; hour++) await work(HOUR)
  t.match(await readDelivery(never), { state: 'failed', attempts: 8, error: { code: 'rate_limited' } })
})

t.test('one post on every network: each account says what became of it there, and the post is published', async (t) => {
  const { ada, connect, post, work, bluesky, mastodon, telegram, discord } = await createOffice(t)
  const platforms = ['bluesky', 'mastodon', 'telegram', 'discord', 'sandbox']
  const accountIds: string[] = []
  for (const platform of platforms) accountIds.push(await connect(platform))
  bluesky.faults.push({
    on: 'POST /xrpc/com.atproto.repo.putRecord',
    instead: { status: 400, body: { error: 'InvalidRequest', message: 'Invalid record' } },
  })
  telegram.faults.push({ on: `POST ${TELEGRAM_BOT}/sendMessage`, after: true, instead: reset })
  const id = await post({ accountIds, caption: 'Everywhere' })
  await work()
  await work(DAY)
  const { body } = await ada.call('GET', `/posts/${id}`)
  t.equal(body.status, 'published')
  t.match(
    accountIds.map((id) => body.targets.find(({ accountId }: { accountId: string }) => accountId === id)),
    [
      {
        platform: 'bluesky',
        delivery: {
          state: 'failed',
          externalUrl: null,
          error: { code: 'content_refused', message: 'bsky.social: Invalid record' },
        },
      },
      { platform: 'mastodon', delivery: { state: 'published', externalUrl: mastodon.statuses[0]!.url, error: null } },
      { platform: 'telegram', delivery: { state: 'unconfirmed', externalUrl: null, error: { code: 'disconnected' } } },
      { platform: 'discord', delivery: { state: 'published', externalId: discord.messages[0]!.id, error: null } },
      { platform: 'sandbox', delivery: { state: 'published', error: null } },
    ],
  )
  t.same([mastodon.statuses.length, telegram.messages.length, discord.messages.length], [1, 1, 1])
})

t.test('nothing is sent to an account that was disconnected meanwhile', async (t) => {
  const { ada, connect, post, work, readDelivery, readStatus, connectable } = await createOffice(t)
  const accountIds: string[] = []
  for (const platform of ['mastodon', 'telegram', 'discord', 'sandbox']) accountIds.push(await connect(platform))
  const id = await post({ accountIds, caption: 'Too late' })
  for (const account of accountIds) t.equal((await ada.call('DELETE', `/accounts/${account}`)).status, 200)
  for (const { network } of connectable) network.calls.length = 0
  await work()
  await work(DAY)
  for (const account of accountIds) {
    t.match(await readDelivery(id, account), { state: 'failed', nextAttemptAt: null, error: { code: 'no_access' } })
  }
  for (const { body, network } of connectable) t.same(network.calls, [], body.platform)
  t.same((await ada.call('GET', '/sandbox/calls')).body.data, [])
  t.equal(await readStatus(id), 'scheduled')

  t.not(await connect('mastodon'), accountIds[0], 'who connects it again has a new account')
  t.equal((await ada.call('POST', `/posts/${id}/deliveries/${accountIds[0]}/retry`)).status, 202)
  await work(DAY)
  t.match(await readDelivery(id, accountIds[0]), { state: 'failed', error: { code: 'no_access' } })
})

t.test('credentials are in no delivery, no log and no row, whatever the networks say', async (t) => {
  const office = await createOffice(t)
  const { ada, app, db, connect, connectable, file, post, work, createWorker, time, log, of } = office
  const visible: Record<string, string[]> = {
    bluesky: ['POST /xrpc/com.atproto.repo.putRecord'],
    mastodon: ['POST /api/v2/media', 'POST /api/v1/statuses', 'GET /api/v1/accounts/14715/statuses'],
    telegram: [`POST ${TELEGRAM_BOT}/sendPhoto`],
    discord: [of('discord').firstCall.replace('GET', 'POST')],
  }
  const secrets = [...connectable.map(({ secret }) => secret), SANDBOX.token, 'a-session-of-ada']
  const mediaIds = [await file(await jpeg())]
  const told: unknown[] = []
  const tell = async (id: string) => told.push(await ada.call('GET', `/posts/${id}`))

  await connect('sandbox')
  for (const { body, network } of connectable) {
    const account = await connect(body.platform)
    // The fake of Bluesky takes no files.
    const content = { accountIds: [account], caption: 'Hello', mediaIds: body.platform === 'bluesky' ? [] : mediaIds }
    const said = `No ${body.platform === 'bluesky' ? 'a-session-of-ada' : of(body.platform).secret}`
    const echo = { message: said, error: said, error_description: said, description: said, ok: false }
    for (const on of visible[body.platform]!) {
      for (const status of [200, 400, 401, 403, 404, 422, 429, 500]) {
        network.faults.push({ on, instead: { status, body: echo } })
        if (on.includes('14715')) network.faults.push({ on: 'POST /api/v1/statuses', instead: reset })
        const id = await post(content)
        await work(HOUR)
        await tell(id)
        await work(HOUR)
        t.equal(network.faults.length, 0, `${on} was called`)
        await tell(id)
        told.push(await ada.call('GET', '/accounts'))
      }
    }
    network.faults.push({ on: visible[body.platform]!.at(-1)!, instead: reset })
    await tell(await post(content))
    await work(HOUR)
  }

  // Credentials that cannot be opened, and outcomes that cannot be committed, are told to the operator.
  const accountIds = (await ada.call('GET', '/accounts')).body.data.map(({ id }: { id: string }) => id)
  const unopened = await post({ accountIds, caption: 'Hello' })
  const stranger = createWorker({ openCredentials: createKeyring([randomBytes(32)]).open })
  time.now = new Date(time.now.getTime() + DAY / 2)
  while ((await stranger.claim()) > 0) await stranger.idle()
  await tell(unopened)
  t.ok(log.some((line) => line.includes('credentials cannot be opened')))
  await sql`alter table delivery_attempts add constraint never check (outcome is null) not valid`.execute(db)
  const uncommitted = await post({ accountIds, caption: 'Hello' })
  await work(HOUR)
  await tell(uncommitted)
  t.ok(log.some((line) => line.includes('delivery is left to be taken over')))
  await app.close()

  t.ok(JSON.stringify(told).includes('No …'), 'networks have repeated them')
  const rows = await everythingIn(db)
  t.ok(rows.includes('No …'))
  for (const secret of secrets) {
    t.notOk(JSON.stringify(told).includes(secret), 'no answer')
    t.notOk(log.join('\n').includes(secret), 'no log')
    t.notOk(rows.includes(secret), 'no row')
  }
})

t.test('whatever a network says, what came of a call is kept', async (t) => {
  const { connect, post, work, readDelivery, bluesky, mastodon } = await createOffice(t)
  const accountIds = [await connect('bluesky'), await connect('mastodon')]
  const whales = '🐳'.repeat(400)
  for (const [place, said] of ['no\u0000pe', 'no \ud83d', whales, `.${whales}`].entries()) {
    const body = { error: said, message: said }
    bluesky.faults.push({ on: 'POST /xrpc/com.atproto.repo.putRecord', instead: { status: 400, body } })
    mastodon.faults.push({ on: 'POST /api/v1/statuses', instead: { status: 422, body } })
    const id = await post({ accountIds, caption: 'Hello' })
    await work(MINUTE)
    for (const account of accountIds) {
      const { state, attempts, error } = await readDelivery(id, account)
      t.match(
        { state, attempts, error },
        { state: 'failed', attempts: 1, error: { code: 'content_refused' } },
        `${place}`,
      )
      t.ok(error!.message.length <= 600)
    }
  }

  const did = 'did:plc:ewvi7nxzyoun6zhxrhs64oiz'
  const names = [
    { uri: `at://${did}/app.bsky.feed.post/3k\u0000`, cid: 'bafy' },
    { uri: `at://${did}/app.bsky.feed.post/${'3'.repeat(100_000)}`, cid: 'bafy' },
    { uri: `at://${did}/app.bsky.feed.post/3k`, cid: 'ba\ud83dfy' },
  ]
  for (const body of names) {
    bluesky.faults.push({ on: 'POST /xrpc/com.atproto.repo.putRecord', instead: { status: 200, body } })
    const id = await post({ accountIds: accountIds.slice(0, 1), caption: 'Hello' })
    await work(MINUTE)
    t.match(await readDelivery(id), { attempts: 1, acts: [], error: { code: 'unexpected_answer' } })
  }
})

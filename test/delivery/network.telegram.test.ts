import t from 'tap'
import { callsOf, createNetworkWorld, TELEGRAM_BOT, VIDEO } from '../helpers/network-world.ts'
import { jpeg } from '../helpers/upload.ts'
import { reset } from '../networks/fakes/network.ts'

const SECOND = 1_000
const MINUTE = 60_000
const HOUR = 3_600_000

t.test('Telegram: texts, photos, videos and albums are sent as such, and a comment as a reply', async (t) => {
  const { connect, uploadFile, post, work, readDelivery, telegram } = await createNetworkWorld(t)
  const account = await connect('telegram')
  const image = await jpeg()
  const photo = await uploadFile(image)
  const accountIds = [account]

  const text = await post({ accountIds, caption: 'Hello', firstComment: 'And more' })
  await work()
  t.hasStrict(await readDelivery(text), { state: 'queued', attempts: 1, acts: [{ externalId: '1' }], error: null })
  await work(SECOND)
  t.hasStrict(telegram.calls.at(-1)?.body, { text: 'And more', reply_parameters: { message_id: 1 } })
  t.hasStrict(await readDelivery(text), {
    state: 'published',
    externalUrl: 'https://t.me/lighthouses/1',
    acts: [{}, { externalId: '2', externalUrl: 'https://t.me/lighthouses/2' }],
  })

  await post({ accountIds, caption: 'A photo', mediaIds: [photo] })
  await work(SECOND)
  t.hasStrict(telegram.calls.at(-1), {
    path: `${TELEGRAM_BOT}/sendPhoto`,
    body: { chat_id: '@lighthouses', caption: 'A photo' },
    files: [{ field: 'photo', type: 'image/jpeg', bytes: image }],
  })

  const film = await post({ accountIds, caption: 'A film', postType: 'video', mediaIds: [await uploadFile(VIDEO)] })
  await work(SECOND)
  t.hasStrict(telegram.calls.at(-1), {
    path: `${TELEGRAM_BOT}/sendVideo`,
    body: { caption: 'A film', width: '64', height: '36', duration: '1' },
    files: [{ field: 'video', type: 'video/mp4', bytes: VIDEO }],
  })
  t.hasStrict(await readDelivery(film), { state: 'published', externalId: '4' })

  const mediaIds = [photo, await uploadFile(await jpeg(30, 30, 9)), await uploadFile(VIDEO)]
  const album = await post({ accountIds, caption: 'An album', mediaIds, firstComment: 'Of it' })
  await work(SECOND)
  const { body, files, path } = telegram.calls.at(-1)!
  t.equal(path, `${TELEGRAM_BOT}/sendMediaGroup`)
  t.hasStrict(JSON.parse((body as { media: string }).media), [
    { type: 'photo', caption: 'An album' },
    { type: 'photo', caption: undefined },
    { type: 'video', caption: undefined },
  ])
  t.same(
    files.map(({ bytes }) => bytes.length),
    [image.length, files[1]!.bytes.length, VIDEO.length],
  )
  await work(SECOND)
  t.hasStrict(telegram.calls.at(-1)?.body, { text: 'Of it', reply_parameters: { message_id: 5 } })
  t.hasStrict(await readDelivery(album), {
    state: 'published',
    attempts: 2,
    acts: [{ externalId: '5' }, { externalId: '8' }],
  })
  t.equal(telegram.messages.length, 8)
})

t.test('Telegram: a lost call is sent again only after its owner says that the message is not there', async (t) => {
  const { connect, post, work, readDelivery, readStatus, endFlights, ...world } = await createNetworkWorld(t)
  const { telegram, retry, resolve } = world
  const account = await connect('telegram')
  const on = `POST ${TELEGRAM_BOT}/sendMessage`
  const count = () => callsOf(telegram, '/sendMessage').length

  telegram.faults.push({ on, after: true, instead: reset })
  const there = await post({ accountIds: [account], caption: 'there' })
  for (const ms of [0, MINUTE, HOUR, 12 * HOUR]) await work(ms)
  t.equal(count(), 1)
  t.hasStrict(await readDelivery(there), { state: 'unconfirmed', nextAttemptAt: null, error: { code: 'disconnected' } })
  t.equal(await readStatus(there), 'published')
  t.equal((await retry(there, account)).status, 409)
  const url = 'https://t.me/lighthouses/1'
  t.equal((await resolve(there, account, { outcome: 'published', url })).status, 200)
  await work(HOUR)
  t.hasStrict(await readDelivery(there), { state: 'published', externalId: null, externalUrl: url, error: null })
  t.equal(count(), 1)

  telegram.faults.push({ on, instead: { status: 502, body: '<html>' } })
  const absent = await post({ accountIds: [account], caption: 'absent' })
  await work()
  t.hasStrict(await readDelivery(absent), { state: 'unconfirmed', error: { code: 'server_error' } })
  await endFlights()
  t.equal((await resolve(absent, account, { outcome: 'not_published' })).status, 200)
  await work(HOUR)
  t.equal(count(), 2, 'nothing is sent without a retry')
  t.equal(await readStatus(absent), 'scheduled')
  t.equal((await retry(absent, account)).status, 202)
  await work(HOUR)
  t.equal(count(), 3)
  t.same(
    telegram.messages.map(({ text }) => text),
    ['there', 'absent'],
  )
  t.hasStrict(await readDelivery(absent), { state: 'published', externalId: '2' })
  t.hasStrict((await readDelivery(absent)).history, [{ outcome: 'said_not_published' }, { outcome: 'published' }])
})

t.test('Telegram: after a 429 the account rests, and accounts of other networks do not', async (t) => {
  const { connect, post, work, readDelivery, telegram, discord, time } = await createNetworkWorld(t)
  const [account, other] = [await connect('telegram'), await connect('discord')]
  const parameters = { retry_after: 3600 }
  const body = { ok: false, error_code: 429, description: 'Too Many Requests: retry after 3600', parameters }
  telegram.faults.push({ on: `POST ${TELEGRAM_BOT}/sendMessage`, instead: { status: 429, body } })
  const limited = await post({ accountIds: [account], caption: 'limited' })
  await work()
  const nextAttemptAt = new Date(time.now.getTime() + HOUR).toISOString()
  t.hasStrict(await readDelivery(limited), { state: 'queued', nextAttemptAt, error: { code: 'rate_limited' } })
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

t.test(
  'Telegram: a bot that was removed fails its delivery until its owner connects it again and retries',
  async (t) => {
    const { connect, readAccount, post, work, readDelivery, readStatus, telegram, retry, time } =
      await createNetworkWorld(t)
    const account = await connect('telegram')
    const description = 'Forbidden: bot is not a member of the channel chat'
    const gone = { status: 403, body: { ok: false, error_code: 403, description } }
    const on = `POST ${TELEGRAM_BOT}/sendMessage`
    telegram.faults.push({ on, instead: gone })
    const id = await post({ accountIds: [account], caption: 'Hello' })
    await work()
    const error = { code: 'unauthorized', message: `api.telegram.org: ${description}` }
    t.hasStrict(await readDelivery(id), { state: 'failed', nextAttemptAt: null, error: { ...error, retryable: false } })
    t.equal(await readStatus(id), 'scheduled')
    t.strictSame((await readAccount(account)).attention, { ...error, since: time.now.toISOString() })

    t.equal(await connect('telegram'), account, 'connecting again keeps the id')
    t.notOk('attention' in (await readAccount(account)))
    await work(HOUR)
    t.equal(telegram.messages.length, 0, 'nothing is sent without a retry')
    t.equal((await retry(id, account)).status, 202)
    await work()
    t.hasStrict(await readDelivery(id), { state: 'published', externalId: '1', error: null })

    telegram.faults.push({ on, instead: gone })
    const again = await post({ accountIds: [account], caption: 'Again' })
    await work(SECOND)
    t.hasStrict(await readAccount(account), { attention: error })
    t.equal((await retry(again, account)).status, 202)
    await work(SECOND)
    t.notOk('attention' in (await readAccount(account)), 'sending ends the attention')
  },
)

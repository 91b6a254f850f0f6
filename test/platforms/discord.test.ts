import t from 'tap'
import { createDiscordAdapter } from '../../src/platforms/discord/adapter.ts'
import { actOf, clientOf, fileOf, ioOf } from '../helpers/adapter-calls.ts'
import type { Teardown } from '../helpers/database.ts'
import { type FakeDiscord, startDiscord } from '../networks/fakes/discord.ts'

/** Discord, and an adapter that has not called it yet. */
const start = async (t: Teardown) => ({ fake: await startDiscord(t), ...clientOf(createDiscordAdapter()) })

const pathOf = ({ credentials }: FakeDiscord) => new URL(credentials.webhookUrl).pathname.replace('/api/', '/api/v10/')

t.test('an account is the webhook', async (t) => {
  const { fake, identify } = await start(t)
  t.same(await identify(fake.credentials, ioOf(fake)), {
    externalId: '223704706495545344',
    username: 'Captain Hook',
    displayName: 'Captain Hook',
  })
  t.same(fake.log, [`GET ${pathOf(fake)}`])
})

t.test('every form of the URL leads to the same webhook', async (t) => {
  const { fake, identify } = await start(t)
  const { webhookUrl } = fake.credentials
  const forms = [
    `${webhookUrl}/`,
    webhookUrl.replace('/api/', '/api/v9/'),
    webhookUrl.replace('discord.com', 'discordapp.com'),
    webhookUrl.replace('discord.com', 'canary.discord.com'),
    webhookUrl.replace('discord.com', 'ptb.discord.com'),
  ]
  for (const webhookUrl of forms) {
    t.match(await identify({ webhookUrl }, ioOf(fake)), { username: 'Captain Hook' }, webhookUrl)
  }
})

t.test('a text becomes one message, and the call waits for its id', async (t) => {
  const { fake, send } = await start(t)
  const { id, url } = await send(actOf(), fake.credentials, ioOf(fake))
  t.same(fake.log, [`GET ${pathOf(fake)}`, 'intend', `POST ${pathOf(fake)}`])
  t.match(fake.calls[1], { query: { wait: 'true' }, headers: { 'content-type': 'application/json' } })
  t.same(fake.calls[1]?.body, { content: 'A lighthouse at dusk' })
  t.equal(id, fake.messages[0]?.id)
  t.equal(url, `https://discord.com/channels/199737254929760256/199737254929760257/${id}`)
  fake.log.length = 0
  const next = await send(actOf(), fake.credentials, ioOf(fake))
  t.same(fake.log, ['intend', `POST ${pathOf(fake)}`], 'the server of the webhook is read once')
  t.equal(next.url, `https://discord.com/channels/199737254929760256/199737254929760257/${next.id}`)
})

t.test('a webhook that was just connected is not read again', async (t) => {
  const { fake, send, identify } = await start(t)
  await identify(fake.credentials, ioOf(fake))
  const { id, url } = await send(actOf(), fake.credentials, ioOf(fake))
  t.same(fake.log, [`GET ${pathOf(fake)}`, 'intend', `POST ${pathOf(fake)}`])
  t.equal(url, `https://discord.com/channels/199737254929760256/199737254929760257/${id}`)
})

t.test('the fields of the post are the parameters of the message', async (t) => {
  const { fake, send } = await start(t)
  fake.threads.add('77')
  const fields = {
    username: 'Keeper',
    avatarUrl: 'https://example.com/keeper.png',
    threadId: '77',
    embeds: [{ title: 'Lighthouse' }],
    tts: true,
    suppressEmbeds: true,
    allowedMentions: { parse: [] },
  }
  const { url, id } = await send(actOf({ text: '', fields }), fake.credentials, ioOf(fake))
  t.same(fake.calls[1]?.query, { wait: 'true', thread_id: '77' })
  t.same(fake.calls[1]?.body, {
    username: 'Keeper',
    avatar_url: 'https://example.com/keeper.png',
    tts: true,
    flags: 4,
    allowed_mentions: { parse: [] },
    embeds: [{ title: 'Lighthouse' }],
  })
  t.equal(url, `https://discord.com/channels/199737254929760256/77/${id}`)
})

t.test('files of every kind are sent with the message, with their descriptions', async (t) => {
  const { fake, send } = await start(t)
  const media = [
    fileOf('image/png', { content: 'a png', altText: 'A lighthouse' }),
    fileOf('image/gif', { content: 'a gif', altText: '😀'.repeat(1100) }),
    fileOf('video/quicktime', { content: 'a film' }),
  ]
  await send(actOf({ media }), fake.credentials, ioOf(fake))
  t.same(fake.log, [`GET ${pathOf(fake)}`, 'intend', `POST ${pathOf(fake)}`])
  const { body, files = [], headers } = fake.calls[1] ?? {}
  t.match(headers, { 'content-type': /^multipart\/form-data/, 'content-length': /^\d+$/ })
  t.same(Object.keys(body as object), ['payload_json'])
  t.same(JSON.parse((body as Record<string, string>).payload_json ?? ''), {
    content: 'A lighthouse at dusk',
    attachments: [
      { id: 0, filename: 'image-1.png', description: 'A lighthouse' },
      { id: 1, filename: 'gif-2.gif', description: '😀'.repeat(1024) },
      { id: 2, filename: 'video-3.mov' },
    ],
  })
  t.same(
    files.map((file) => ({ ...file, bytes: file.bytes.toString() })),
    [
      { field: 'files[0]', name: 'image-1.png', type: 'image/png', bytes: 'a png' },
      { field: 'files[1]', name: 'gif-2.gif', type: 'image/gif', bytes: 'a gif' },
      { field: 'files[2]', name: 'video-3.mov', type: 'video/quicktime', bytes: 'a film' },
    ],
  )
})

t.test('a comment is the message after its post, without its embeds', async (t) => {
  const { fake, send } = await start(t)
  const fields = { username: 'Keeper', embeds: [{ title: 'Lighthouse' }], allowedMentions: { parse: [] } }
  const parent = await send(actOf({ fields }), fake.credentials, ioOf(fake))
  await send(actOf({ kind: 'comment', text: 'First!', fields, parent, root: parent }), fake.credentials, ioOf(fake))
  t.same(fake.calls[2]?.query, { wait: 'true' })
  t.same(fake.calls[2]?.body, { content: 'First!', username: 'Keeper', allowed_mentions: { parse: [] } })
})

t.test('a comment goes into the thread that its post started in a forum', async (t) => {
  const { fake, send } = await start(t)
  fake.channel = 'forum'
  const fields = { threadName: 'Lighthouses', appliedTags: ['5'] }
  const parent = await send(actOf({ fields }), fake.credentials, ioOf(fake))
  t.same(fake.calls[1]?.body, {
    content: 'A lighthouse at dusk',
    thread_name: 'Lighthouses',
    applied_tags: ['5'],
  })
  const comment = actOf({ kind: 'comment', text: 'First!', fields, parent, root: parent })
  await send(comment, fake.credentials, ioOf(fake))
  t.same(fake.calls[2]?.query, { wait: 'true', thread_id: parent.id })
  t.same(fake.calls[2]?.body, { content: 'First!' })
  t.equal(fake.messages[1]?.channel_id, parent.id)
})

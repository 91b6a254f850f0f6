import { Readable } from 'node:stream'
import t from 'tap'
import type { Credentials } from '../../src/platforms/contract/io.ts'
import { createDiscordAdapter } from '../../src/platforms/discord/adapter.ts'
import { actOf, clientOf, fileOf, ioOf, rejection } from '../helpers/adapter-calls.ts'
import type { Teardown } from '../helpers/database.ts'
import { type FakeDiscord, startDiscord } from '../networks/fakes/discord.ts'
import { type Reply, reset } from '../networks/fakes/network.ts'

/** Discord, and an adapter that has not called it yet. */
const start = async (t: Teardown) => ({ fake: await startDiscord(t), ...clientOf(createDiscordAdapter()) })

const pathOf = ({ credentials }: FakeDiscord) => new URL(credentials.webhookUrl).pathname.replace('/api/', '/api/v10/')

t.test('invalid credentials are refused, and no message contains them', async (t) => {
  const { fake, send, identify } = await start(t)
  const { webhookUrl } = fake.credentials
  const wrong: Credentials[] = [
    { webhookUrl: webhookUrl.replace(/[^/]+$/, 's3cret') },
    { webhookUrl: webhookUrl.replace(/\d+/, '1').replace(/[^/]+$/, 's3cret') },
    { webhookUrl: 'https://discord.com.example/api/webhooks/1/s3cret' },
    { webhookUrl: 'https://discord.com/api/webhooks/1/s3cret/slack' },
    { webhookUrl: 'http://discord.com/api/webhooks/1/s3cret' },
    {},
  ]
  for (const credentials of wrong) {
    for (const attempt of [identify, send.bind(null, actOf())] as const) {
      const error = await rejection(attempt(credentials, ioOf(fake)))
      t.has(error, { code: 'unauthorized', maybeSent: false, retryable: false, needsAttention: true })
      t.notMatch(error.message, 's3cret')
    }
  }
  t.notOk(fake.log.includes('intend'))
})

const embedded = (embed: object) => ({ text: '', fields: { embeds: [embed] } })

const sized = (bytes: number) => fileOf('image/png', { bytes, open: async () => Readable.from([Buffer.alloc(bytes)]) })

t.test('a refusal has the words of Discord', async (t) => {
  const { fake, send } = await start(t)
  const refusals: [Parameters<typeof actOf>[0], string][] = [
    [{ text: '' }, 'Cannot send an empty message'],
    [{ text: 'a'.repeat(2001) }, 'Invalid Form Body: content Must be 2000 or fewer in length.'],
    [{ fields: { username: 'Discordia' } }, 'Invalid Form Body: username Username cannot contain "discord"'],
    [
      { fields: { embeds: [{ title: 'a'.repeat(257) }] } },
      'Invalid Form Body: embeds.0.title Must be 256 or fewer in length.',
    ],
    [{ fields: { username: 'Clyde' } }, 'Invalid Form Body: username Username cannot contain "clyde"'],
    [{ fields: { username: 'Here' } }, 'Invalid Form Body: username Username cannot be "here"'],
    [{ fields: { username: ' ' } }, 'Invalid Form Body: username Must be between 1 and 80 in length.'],
    [embedded({}), 'Invalid Form Body: embeds.0.description This field is required'],
    [
      embedded({ fields: Array(26).fill({ name: 'a', value: 'b' }) }),
      'Invalid Form Body: embeds.0.fields Must be 25 or fewer in length.',
    ],
    [embedded({ fields: [{ name: 'a' }] }), 'Invalid Form Body: embeds.0.fields.0.value This field is required'],
    [
      embedded({ fields: [{ name: 'a', value: 'b'.repeat(1025) }] }),
      'Invalid Form Body: embeds.0.fields.0.value Must be 1024 or fewer in length.',
    ],
    [
      embedded({ footer: { text: 'a'.repeat(2049) } }),
      'Invalid Form Body: embeds.0.footer.text Must be 2048 or fewer in length.',
    ],
    [
      embedded({ author: { name: 'a'.repeat(257) } }),
      'Invalid Form Body: embeds.0.author.name Must be 256 or fewer in length.',
    ],
    [
      embedded({ description: 'a'.repeat(4000), footer: { text: 'a'.repeat(2001) } }),
      'Invalid Form Body: embeds Embed size exceeds maximum size of 6000',
    ],
    [
      { fields: { allowedMentions: { parse: ['all'] } } },
      "Invalid Form Body: allowed_mentions.parse.0 Value must be one of {'roles', 'users', 'everyone'}.",
    ],
    [
      { fields: { allowedMentions: { parse: ['users'], users: ['1'] } } },
      'Invalid Form Body: allowed_mentions parse:["users"] and users: are exclusive',
    ],
    [
      { fields: { allowedMentions: { users: ['@bob'] } } },
      'Invalid Form Body: allowed_mentions.users.0 Value is not snowflake.',
    ],
    [{ media: [sized(20_971_521)] }, 'Request entity too large'],
    [{ media: Array(3).fill(sized(9_000_000)) }, 'Request entity too large'],
    [{ fields: { threadName: 'Sea' } }, 'Webhooks can only create threads in forum channels'],
    [{ fields: { threadId: '1' } }, 'Unknown Channel'],
  ]
  for (const [act, words] of refusals) {
    t.has(await rejection(send(actOf(act), fake.credentials, ioOf(fake))), {
      code: 'content_refused',
      message: `discord.com: ${words}`,
      maybeSent: false,
      retryable: false,
      needsAttention: false,
    })
  }
  fake.channel = 'forum'
  t.has(await rejection(send(actOf(), fake.credentials, ioOf(fake))), {
    message: 'discord.com: Webhooks posted to forum channels must have a thread_name or thread_id',
  })
  t.equal(fake.messages.length, 0)
})

t.test('a deleted webhook needs the owner of the account', async (t) => {
  const { fake, send } = await start(t)
  const instead = { status: 404, body: { message: 'Unknown Webhook', code: 10015 } }
  for (const on of [`GET ${pathOf(fake)}`, `POST ${pathOf(fake)}`]) {
    fake.faults.push({ on, instead })
    t.has(await rejection(send(actOf(), fake.credentials, ioOf(fake))), {
      code: 'unauthorized',
      message: 'discord.com: Unknown Webhook',
      maybeSent: false,
      needsAttention: true,
    })
  }
})

// The examples of https://docs.discord.com/developers/topics/rate-limits#exceeding-a-rate-limit
const limited = (global: boolean, headers: Record<string, string> = {}) => ({
  status: 429,
  headers: { 'retry-after': '65', ...headers },
  body: { message: 'You are being rate limited.', retry_after: 64.57, global },
})

t.test('the limit of a route pauses its own webhook, to the millisecond', async (t) => {
  const { fake, send } = await start(t)
  for (const scope of ['', 'user', 'shared']) {
    const headers: Record<string, string> = scope ? { 'x-ratelimit-scope': scope } : {}
    fake.faults.push({ on: `POST ${pathOf(fake)}`, instead: limited(false, headers) })
    const error = await rejection(send(actOf(), fake.credentials, ioOf(fake)))
    t.has(error, { code: 'rate_limited', maybeSent: false, retryable: true, retryAfterMs: 64_570 }, scope)
    t.equal(error.limitKey, undefined, scope)
  }
})

t.test('the global limit, and a ban by Cloudflare, pause every webhook', async (t) => {
  const { fake, send } = await start(t)
  const page = { 'content-type': 'text/html', 'retry-after': '3600' }
  const cases: [string, Reply, number][] = [
    ['global in the body', limited(true), 64_570],
    ['the scope', limited(false, { 'x-ratelimit-scope': 'global' }), 64_570],
    ['the header of the global limit', limited(false, { 'x-ratelimit-global': 'true' }), 64_570],
    ['a page of Cloudflare', { status: 429, headers: page, body: 'error code: 1015' }, 3_600_000],
    ['a page without a time', { status: 429, body: '' }, 0],
  ]
  for (const on of [`GET ${pathOf(fake)}`, `POST ${pathOf(fake)}`]) {
    for (const [name, instead, ms] of cases) {
      fake.faults.push({ on, instead })
      const error = await rejection(send(actOf(), fake.credentials, ioOf(fake)))
      t.has(error, { code: 'rate_limited', maybeSent: false, retryable: true, limitKey: 'discord' }, `${on}: ${name}`)
      t.equal(error.retryAfterMs ?? 0, ms, `${on}: ${name}`)
    }
  }
  t.equal(fake.messages.length, 0)
})

t.test('a webhook that cannot be read gets no message', async (t) => {
  const { fake, send } = await start(t)
  for (const instead of [{ status: 500 }, reset]) {
    fake.faults.push({ on: `GET ${pathOf(fake)}`, instead })
    t.has(await rejection(send(actOf(), fake.credentials, ioOf(fake))), { maybeSent: false, retryable: true })
  }
  t.notOk(fake.log.includes('intend'))
})

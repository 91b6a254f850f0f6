import { Readable } from 'node:stream'
import t from 'tap'
import type { Credentials } from '../../src/platforms/contract/io.ts'
import { telegramAdapter } from '../../src/platforms/telegram/adapter.ts'
import { actOf, clientOf, fileOf, ioOf, rejection } from '../helpers/adapter-calls.ts'
import { type FakeTelegram, startTelegram } from '../networks/fakes/telegram.ts'

const { send, identify } = clientOf(telegramAdapter)

t.test('a chat that the bot may not post to is not connected', async (t) => {
  const fake = await startTelegram(t)
  const [channel] = fake.chats
  const notAdmin = 'the bot has to be an administrator of the channel who may post messages'
  const cases: [
    string,
    'channel' | 'supergroup' | 'group',
    Partial<NonNullable<FakeTelegram['chats'][number]['bot']>>,
  ][] = [
    [notAdmin, 'channel', { status: 'member' }],
    [notAdmin, 'channel', { status: 'administrator', can_post_messages: false }],
    ['Bad Request: member list is inaccessible', 'channel', { status: 'left' }],
    [notAdmin, 'channel', { status: 'kicked' }],
    ['the bot has to be a member of the group', 'supergroup', { status: 'left' }],
    ['the bot has to be a member of the group', 'group', { status: 'kicked' }],
    ['the bot has to be a member of the group', 'supergroup', { status: 'restricted', can_send_messages: true }],
    [
      'the bot may not send messages to the group',
      'supergroup',
      { status: 'restricted', is_member: true, can_send_messages: false },
    ],
  ]
  for (const [words, type, bot] of cases) {
    Object.assign(channel!, { type, bot })
    t.has(await rejection(identify(fake.credentials, ioOf(fake))), {
      code: 'unauthorized',
      message: `api.telegram.org: ${words}`,
      retryable: false,
    })
  }
  for (const bot of [
    { status: 'creator' },
    { status: 'administrator' },
    { status: 'restricted', is_member: true, can_send_messages: true },
  ]) {
    Object.assign(channel!, { type: 'supergroup', bot })
    t.match(await identify(fake.credentials, ioOf(fake)), { username: 'lighthouses' })
  }
  Object.assign(channel!, { type: 'private' })
  fake.log.length = 0
  await identify(fake.credentials, ioOf(fake))
  t.equal(fake.log.length, 2, 'a private chat needs no right')
})

t.test('invalid credentials are refused, and no message contains them', async (t) => {
  const fake = await startTelegram(t)
  const wrong: Credentials[] = [
    { ...fake.credentials, botToken: '123456:s3cret' },
    { ...fake.credentials, botToken: 's3cret' },
    { ...fake.credentials, botToken: '1:s3cret/../../x' },
    { ...fake.credentials, chatId: '@elsewhere' },
    { ...fake.credentials, chatId: 's3cret chat' },
    {},
  ]
  for (const credentials of wrong) {
    for (const attempt of [identify, send.bind(null, actOf())] as const) {
      const error = await rejection(attempt(credentials, ioOf(fake)))
      t.has(error, { code: 'unauthorized', maybeSent: false, retryable: false, needsAttention: true })
      t.notMatch(error.message, 's3cret')
    }
  }
  t.equal(fake.messages.length, 0)
  fake.log.length = 0
  await rejection(send(actOf(), { botToken: 's3cret', chatId: '@lighthouses' }, ioOf(fake)))
  t.same(fake.log, [], 'no intent is committed for credentials of a wrong form')
})

t.test('an album that failed in part may have been sent', async (t) => {
  const fake = await startTelegram(t)
  const act = actOf({ media: [fileOf('image/png'), fileOf('image/png'), fileOf('image/png')] })
  for (const words of ['Too Many Requests: retry after 8', 'Message was not sent']) {
    fake.albumError = words
    t.has(await rejection(send(act, fake.credentials, ioOf(fake))), {
      message: `api.telegram.org: Bad Request: failed to send message #2 with the error message "${words}"`,
      maybeSent: true,
      needsAttention: false,
    })
  }
  t.equal(fake.messages.length, 2, 'the first message of each album')

  const on = `POST /bot${fake.credentials.botToken}/sendMediaGroup`
  const refuse = async (description: string) => {
    fake.faults.push({ on, instead: { status: 400, body: { ok: false, error_code: 400, description } } })
    return rejection(send(act, fake.credentials, ioOf(fake)))
  }
  t.has(await refuse('Bad Request: group send failed'), { maybeSent: false, retryable: true, needsAttention: false })
  const failed = (words: string) => `Bad Request: failed to send message #2 with the error message "${words}"`
  for (const words of ['IMAGE_PROCESS_FAILED', 'PHOTO_INVALID_DIMENSIONS', 'MEDIA_EMPTY']) {
    t.has(await refuse(failed(words)), { code: 'content_refused', maybeSent: false, retryable: false }, words)
  }
  for (const words of ['CHAT_SEND_VIDEOS_FORBIDDEN', 'not enough rights to send photos to the chat']) {
    t.has(await refuse(failed(words)), { code: 'content_refused', maybeSent: false, needsAttention: false }, words)
  }
  const closed = await refuse(failed('CHAT_WRITE_FORBIDDEN'))
  t.has(closed, { code: 'unauthorized', maybeSent: false, needsAttention: true })
})

/** The start of a PNG, which contains its size. */
function png(width: number, height: number) {
  const bytes = Buffer.from('\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\0\0\0\0\0', 'latin1')
  bytes.writeUInt32BE(width, 16)
  bytes.writeUInt32BE(height, 20)
  return fileOf('image/png', { bytes: bytes.length, open: async () => Readable.from([bytes]) })
}

t.test('a refusal has the words of Telegram', async (t) => {
  const fake = await startTelegram(t)
  const refusals: [Parameters<typeof actOf>[0], string][] = [
    [{ text: ' ' }, 'Bad Request: message text is empty'],
    [{ text: 'a'.repeat(4097) }, 'Bad Request: message is too long'],
    [{ text: 'a'.repeat(1025), media: [fileOf('image/png')] }, 'Bad Request: message caption is too long'],
    [
      { text: '<b>Sea', fields: { parseMode: 'HTML' } },
      `Bad Request: can't parse entities: Can't find end tag corresponding to start tag "b"`,
    ],
    [{ media: [fileOf('image/bmp')] }, 'Bad Request: IMAGE_PROCESS_FAILED'],
    [{ media: [png(100, 9000)] }, 'Bad Request: PHOTO_INVALID_DIMENSIONS'],
    [{ media: [png(6000, 4001)] }, 'Bad Request: PHOTO_INVALID_DIMENSIONS'],
    [
      { text: '<p>Sea</p>', fields: { parseMode: 'HTML' } },
      `Bad Request: can't parse entities: Unsupported start tag "p" at byte offset 0`,
    ],
    [
      { text: 'The <3 sea', fields: { parseMode: 'HTML' } },
      `Bad Request: can't parse entities: Unsupported start tag "3" at byte offset 4`,
    ],
    [
      { text: 'The *sea', fields: { parseMode: 'MarkdownV2' } },
      `Bad Request: can't parse entities: Can't find end of Bold entity at byte offset 4`,
    ],
    [
      { text: 'The sea.', fields: { parseMode: 'MarkdownV2' } },
      `Bad Request: can't parse entities: Character '.' is reserved and must be escaped with the preceding '\\'`,
    ],
    [
      { fields: { buttons: [{ text: 'See', url: 'javascript:alert(1)' }] } },
      `Bad Request: inline keyboard button URL 'javascript:alert(1)' is invalid`,
    ],
  ]
  for (const [act, words] of refusals) {
    t.has(await rejection(send(actOf(act), fake.credentials, ioOf(fake))), {
      code: 'content_refused',
      message: `api.telegram.org: ${words}`,
      maybeSent: false,
      retryable: false,
      needsAttention: false,
    })
  }
  t.equal(fake.messages.length, 0)
})

t.test('a missing right of the bot needs the owner of the account', async (t) => {
  const fake = await startTelegram(t)
  const on = `POST /bot${fake.credentials.botToken}/sendMessage`
  const refusals = [
    { error_code: 403, description: 'Forbidden: bot was kicked from the channel chat' },
    { error_code: 404, description: 'Not Found' },
    { error_code: 400, description: 'Bad Request: need administrator rights in the channel chat' },
    { error_code: 400, description: 'Bad Request: not enough rights to send text messages to the chat' },
    ...[
      'CHAT_SEND_PLAIN_FORBIDDEN',
      'CHAT_WRITE_FORBIDDEN',
      'CHAT_RESTRICTED',
      'CHAT_ADMIN_REQUIRED',
      'CHANNEL_PRIVATE',
      'USER_BANNED_IN_CHANNEL',
    ].map((words) => ({ error_code: 400, description: `Bad Request: ${words}` })),
  ]
  for (const refusal of refusals) {
    fake.faults.push({ on, instead: { status: refusal.error_code, body: { ok: false, ...refusal } } })
    t.has(await rejection(send(actOf(), fake.credentials, ioOf(fake))), {
      code: 'unauthorized',
      message: `api.telegram.org: ${refusal.description}`,
      maybeSent: false,
      needsAttention: true,
    })
  }
})

t.test('a bot that lost its rights needs the owner of the account', async (t) => {
  const fake = await startTelegram(t)
  const cases = [
    ['channel', { status: 'left' }, 'Forbidden: bot is not a member of the channel chat'],
    ['channel', { status: 'administrator' }, 'Bad Request: need administrator rights in the channel chat'],
    ['group', { status: 'kicked' }, 'Forbidden: bot was kicked from the group chat'],
    ['supergroup', { status: 'restricted' }, 'Bad Request: not enough rights to send text messages to the chat'],
  ] as const
  for (const [type, bot, words] of cases) {
    Object.assign(fake.chats[0]!, { type, bot })
    t.has(await rejection(send(actOf(), fake.credentials, ioOf(fake))), {
      code: 'unauthorized',
      message: `api.telegram.org: ${words}`,
      maybeSent: false,
      needsAttention: true,
    })
  }
  t.equal(fake.messages.length, 0)
})

t.test('words of the post in a refusal do not count as a missing right', async (t) => {
  const fake = await startTelegram(t)
  const buttons = [{ text: 'See', url: 'chat not found: CHANNEL_PRIVATE' }]
  t.match(await rejection(send(actOf({ fields: { buttons } }), fake.credentials, ioOf(fake))), {
    code: 'content_refused',
    message: /button URL 'chat not found: CHANNEL_PRIVATE' is invalid/,
    needsAttention: false,
  })
})

t.test('flood control pauses all chats of the bot for the given time', async (t) => {
  const fake = await startTelegram(t)
  const on = `POST /bot${fake.credentials.botToken}/sendMessage`
  const { limitKey } = await identify(fake.credentials, ioOf(fake))
  const description = 'Too Many Requests: retry after 35'
  const body = { ok: false, error_code: 429, description, parameters: { retry_after: 35 } }
  const limited = { code: 'rate_limited', maybeSent: false, retryable: true, limitKey }
  fake.faults.push({ on, instead: { status: 429, body } })
  const error = await rejection(send(actOf(), fake.credentials, ioOf(fake)))
  t.has(error, { ...limited, retryAfterMs: 35_000 })
  t.equal(error.message, `api.telegram.org: ${description}`)

  fake.faults.push({ on, instead: { status: 429, body: '<html>', headers: { 'retry-after': '9' } } })
  t.has(await rejection(send(actOf(), fake.credentials, ioOf(fake))), { ...limited, retryAfterMs: 9_000 })
  const other = { ...fake.credentials, chatId: '-1001234567890' }
  fake.faults.push({ on, instead: { status: 429, body } })
  t.has(await rejection(send(actOf(), other, ioOf(fake))), limited, 'in every chat of the bot')
})

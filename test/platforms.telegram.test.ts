import t from 'tap'
import type { Credentials } from '../src/platforms/publishing.ts'
import { telegramPublishing } from '../src/platforms/telegram.ts'
import { actOf, fileOf, ioOf, rejection, testFailures } from './helpers/acts.ts'
import { startTelegram } from './helpers/fake-telegram.ts'

const { send, identify } = telegramPublishing

t.test('an account is the chat, and its bot has to be one', async (t) => {
  const fake = await startTelegram(t)
  t.same(await identify(fake.credentials, ioOf(fake)), {
    externalId: '-1001234567890',
    username: 'lighthouses',
    displayName: 'Lighthouses',
  })
  const at = `POST /bot${fake.credentials.botToken}`
  t.same(fake.log, [`${at}/getMe`, `${at}/getChat`])
  fake.chats.push({ id: -42, type: 'group', title: 'Keepers' })
  t.same(await identify({ ...fake.credentials, chatId: '-42' }, ioOf(fake)), {
    externalId: '-42',
    username: '-42',
    displayName: 'Keepers',
  })
})

t.test('credentials that are no good are refused, and never told', async (t) => {
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
      t.match(error, { code: 'unauthorized', maybeSent: false, retryable: false, needsAttention: true })
      t.notMatch(error.message, 's3cret')
    }
  }
  t.equal(fake.messages.length, 0)
})

t.test('a text is one message, with the fields of the post', async (t) => {
  const fake = await startTelegram(t)
  t.same(await send(actOf(), fake.credentials, ioOf(fake)), { id: '1', url: 'https://t.me/lighthouses/1' })
  t.same(fake.log, ['intend', `POST /bot${fake.credentials.botToken}/sendMessage`])
  const fields = {
    parseMode: 'HTML',
    disableNotification: true,
    protectContent: true,
    disableLinkPreview: true,
    hasSpoiler: true,
    buttons: [
      { text: 'See', url: 'https://example.com/' },
      { text: 'More', url: 'https://example.com/more' },
    ],
  }
  await send(actOf({ text: '<b>Sea</b>', fields }), fake.credentials, ioOf(fake))
  t.same(
    fake.calls.map(({ body }) => body),
    [
      { chat_id: '@lighthouses', text: 'A lighthouse at dusk' },
      {
        chat_id: '@lighthouses',
        text: '<b>Sea</b>',
        parse_mode: 'HTML',
        link_preview_options: { is_disabled: true },
        disable_notification: true,
        protect_content: true,
        reply_markup: {
          inline_keyboard: [
            [{ text: 'See', url: 'https://example.com/' }],
            [{ text: 'More', url: 'https://example.com/more' }],
          ],
        },
      },
    ],
  )
})

t.test('one file goes by the method of its kind', async (t) => {
  const fake = await startTelegram(t)
  const fields = { parseMode: 'MarkdownV2', hasSpoiler: true, showCaptionAboveMedia: true, protectContent: true }
  const cases = [
    ['image/png', 'sendPhoto', 'photo', 'image-1.png', {}],
    ['image/gif', 'sendAnimation', 'animation', 'gif-1.gif', { width: '640', height: '480' }],
    [
      'video/mp4',
      'sendVideo',
      'video',
      'video-1.mp4',
      { width: '640', height: '480', duration: '5', supports_streaming: 'true' },
    ],
  ] as const
  for (const [type, method, field, name, size] of cases) {
    fake.log.length = 0
    const media = [fileOf(type, { content: `a ${type}` })]
    await send(actOf({ text: 'Sea\\.', media, fields }), fake.credentials, ioOf(fake))
    t.same(fake.log, ['intend', `POST /bot${fake.credentials.botToken}/${method}`])
    const { body, files } = fake.calls.at(-1) ?? {}
    t.same(body, {
      chat_id: '@lighthouses',
      ...size,
      caption: 'Sea\\.',
      parse_mode: 'MarkdownV2',
      has_spoiler: 'true',
      show_caption_above_media: 'true',
      protect_content: 'true',
    })
    t.same(
      files?.map((file) => ({ ...file, bytes: file.bytes.toString() })),
      [{ field, name, type, bytes: `a ${type}` }],
    )
  }
  await send(actOf({ text: '', media: [fileOf('image/jpeg')] }), fake.credentials, ioOf(fake))
  t.same(fake.calls.at(-1)?.body, { chat_id: '@lighthouses' }, 'without a caption')
})

t.test('several files are an album, whose caption is at the first', async (t) => {
  const fake = await startTelegram(t)
  const fields = { parseMode: 'HTML', hasSpoiler: true, disableNotification: true }
  const act = actOf({
    text: '<i>Sea</i>',
    media: [fileOf('image/png'), fileOf('video/mp4', { content: 'film' })],
    fields,
  })
  const sent = await send(act, fake.credentials, ioOf(fake))
  t.same(sent, { id: '1', url: 'https://t.me/lighthouses/1' })
  t.same(
    fake.messages.map(({ message_id, caption }) => [message_id, caption]),
    [
      [1, 'Sea'],
      [2, undefined],
    ],
  )
  t.same(fake.log, ['intend', `POST /bot${fake.credentials.botToken}/sendMediaGroup`])
  const [{ body, files = [] } = {}] = fake.calls
  const { media, ...parameters } = body as Record<string, string>
  t.same(parameters, { chat_id: '@lighthouses', disable_notification: 'true' })
  t.same(JSON.parse(media ?? ''), [
    { type: 'photo', media: 'attach://file0', caption: '<i>Sea</i>', parse_mode: 'HTML', has_spoiler: true },
    {
      type: 'video',
      media: 'attach://file1',
      width: 640,
      height: 480,
      duration: 5,
      supports_streaming: true,
      has_spoiler: true,
    },
  ])
  t.same(
    files.map(({ field, name, bytes }) => [field, name, bytes.toString()]),
    [
      ['file0', 'image-1.png', 'bytes'],
      ['file1', 'video-2.mp4', 'film'],
    ],
  )
  const error = await rejection(
    send({ ...act, fields: { buttons: [{ text: 'a', url: 'b' }] } }, fake.credentials, ioOf(fake)),
  )
  t.match(error, { code: 'content_refused', maybeSent: false, retryable: false })
  t.equal(fake.calls.length, 1, 'buttons below an album are refused before anything is sent')
})

t.test('a comment replies to the post, without its buttons', async (t) => {
  const fake = await startTelegram(t)
  const fields = { buttons: [{ text: 'See', url: 'https://example.com/' }], disableNotification: true }
  const parent = await send(actOf({ fields }), fake.credentials, ioOf(fake))
  const comment = actOf({ kind: 'comment', text: 'First!', fields, parent, root: parent })
  t.same(await send(comment, fake.credentials, ioOf(fake)), { id: '2', url: 'https://t.me/lighthouses/2' })
  t.same(fake.calls[1]?.body, {
    chat_id: '@lighthouses',
    text: 'First!',
    disable_notification: true,
    reply_parameters: { message_id: 1 },
  })
  const orphan = actOf({ kind: 'comment', parent: { id: '99', url: null } })
  t.match(await rejection(send(orphan, fake.credentials, ioOf(fake))), {
    code: 'content_refused',
    message: 'api.telegram.org: Bad Request: message to be replied not found',
  })
})

t.test('a message has an address where Telegram has one', async (t) => {
  const fake = await startTelegram(t)
  fake.chats.push(
    { id: -1009876543210, type: 'supergroup', title: 'Private' },
    { id: -42, type: 'group', title: 'Small' },
    { id: 42, type: 'private', title: 'Bob', username: 'bob' },
  )
  const urls: (string | null)[] = []
  for (const chatId of ['-1001234567890', '-1009876543210', '-42', '42']) {
    urls.push((await send(actOf(), { ...fake.credentials, chatId }, ioOf(fake))).url)
  }
  t.same(urls, ['https://t.me/lighthouses/1', 'https://t.me/c/9876543210/2', null, null])
})

t.test('what Telegram refuses is told in its words', async (t) => {
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
  ]
  for (const [act, words] of refusals) {
    t.match(await rejection(send(actOf(act), fake.credentials, ioOf(fake))), {
      code: 'content_refused',
      message: `api.telegram.org: ${words}`,
      maybeSent: false,
      retryable: false,
      needsAttention: false,
    })
  }
  t.equal(fake.messages.length, 0)
})

t.test('what the bot may not do in its chat needs its owner', async (t) => {
  const fake = await startTelegram(t)
  const on = `POST /bot${fake.credentials.botToken}/sendMessage`
  const refusals = [
    { error_code: 403, description: 'Forbidden: bot was kicked from the channel chat' },
    { error_code: 404, description: 'Not Found' },
    { error_code: 400, description: 'Bad Request: need administrator rights in the channel chat' },
    { error_code: 400, description: 'Bad Request: not enough rights to send text messages to the chat' },
    {
      error_code: 400,
      description: 'Bad Request: group chat was upgraded to a supergroup chat',
      parameters: { migrate_to_chat_id: -1001 },
    },
  ]
  for (const refusal of refusals) {
    fake.faults.push({ on, instead: { status: refusal.error_code, body: { ok: false, ...refusal } } })
    t.match(await rejection(send(actOf(), fake.credentials, ioOf(fake))), {
      code: 'unauthorized',
      message: `api.telegram.org: ${refusal.description}`,
      maybeSent: false,
      needsAttention: true,
    })
  }
})

t.test('flood control says how long to wait', async (t) => {
  const fake = await startTelegram(t)
  const body = {
    ok: false,
    error_code: 429,
    description: 'Too Many Requests: retry after 35',
    parameters: { retry_after: 35 },
  }
  fake.faults.push({ on: `POST /bot${fake.credentials.botToken}/sendMessage`, instead: { status: 429, body } })
  t.match(await rejection(send(actOf(), fake.credentials, ioOf(fake))), {
    code: 'rate_limited',
    maybeSent: false,
    retryable: true,
    retryAfterMs: 35_000,
  })
})

testFailures(async (t) => {
  const fake = await startTelegram(t)
  return {
    fake,
    send: (io) => send(actOf(), fake.credentials, io),
    sendFile: (file, io) => send(actOf({ media: [file] }), fake.credentials, io),
    count: () => fake.messages.length,
    secret: fake.credentials.botToken,
    visible: `POST /bot${fake.credentials.botToken}/sendMessage`,
  }
})

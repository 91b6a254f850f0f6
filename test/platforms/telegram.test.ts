import t from 'tap'
import { telegramAdapter } from '../../src/platforms/telegram/adapter.ts'
import { actOf, clientOf, fileOf, ioOf, rejection } from '../helpers/adapter-calls.ts'
import { startTelegram } from '../networks/fakes/telegram.ts'

const { send, identify } = clientOf(telegramAdapter)

t.test('an account is a chat, named by Telegram', async (t) => {
  const fake = await startTelegram(t)
  t.same(await identify(fake.credentials, ioOf(fake)), {
    externalId: '-1001234567890',
    username: 'lighthouses',
    displayName: 'Lighthouses',
    limitKey: 'telegram:123456',
  })
  const at = `POST /bot${fake.credentials.botToken}`
  t.same(fake.log, [`${at}/getMe`, `${at}/getChat`, `${at}/getChatMember`])
  fake.chats.push({ id: -42, type: 'group', title: 'Keepers' })
  t.same(await identify({ ...fake.credentials, chatId: '-42' }, ioOf(fake)), {
    externalId: '-42',
    username: '-42',
    displayName: 'Keepers',
    limitKey: 'telegram:123456',
  })
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

t.test('a single file is sent by the method for its kind', async (t) => {
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

t.test('several files become an album with its caption on the first', async (t) => {
  const fake = await startTelegram(t)
  const fields = { parseMode: 'HTML', hasSpoiler: true, disableNotification: true }
  const act = actOf({
    text: '<i>Sea</i>',
    media: [fileOf('image/png'), fileOf('video/mp4', { content: 'film' })],
    fields,
  })
  const sent = await send(act, fake.credentials, ioOf(fake))
  t.same(sent, { id: '1', ref: '2', url: 'https://t.me/lighthouses/1' })
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
  t.has(error, { code: 'content_refused', maybeSent: false, retryable: false })
  t.equal(fake.calls.length, 1, 'buttons below an album are refused before a call')
})

t.test('a post and its comment go to a topic of a group', async (t) => {
  const fake = await startTelegram(t)
  fake.chats.push({ id: -1009876543210, type: 'supergroup', title: 'Keepers', topics: [5] })
  const credentials = { ...fake.credentials, chatId: '-1009876543210' }
  const fields = { messageThreadId: 5 }
  const parent = await send(actOf({ fields }), credentials, ioOf(fake))
  await send(actOf({ fields, media: [fileOf('image/png')] }), credentials, ioOf(fake))
  await send(actOf({ fields, media: [fileOf('image/png'), fileOf('image/png')] }), credentials, ioOf(fake))
  await send(actOf({ kind: 'comment', fields, parent, root: parent }), credentials, ioOf(fake))
  t.strictSame(
    fake.messages.map(({ message_thread_id }) => message_thread_id),
    [5, 5, 5, 5, 5],
  )
  const closed = send(actOf({ fields: { messageThreadId: 6 } }), credentials, ioOf(fake))
  t.match(await rejection(closed), { code: 'content_refused', message: /message thread not found/, maybeSent: false })
})

t.test('a video has a cover and a thumbnail', async (t) => {
  const fake = await startTelegram(t)
  const images = new Map([['/small.jpg', { type: 'image/jpeg', content: 'a thumbnail' }]])
  const loaded: string[] = []
  const io = {
    ...ioOf(fake),
    fetch: (async (input, init) => {
      const url = new URL(String(input))
      if (url.host !== 'images.example') return ioOf(fake).fetch(input, init)
      loaded.push(url.pathname)
      const image = images.get(url.pathname)
      if (!image) return new Response('', { status: 404 })
      const headers = { 'content-type': image.type, 'content-length': String(image.content.length) }
      return new Response(image.content, { headers })
    }) as typeof fetch,
  }
  const fields = { coverUrl: 'https://images.example/cover.png', thumbnailUrl: 'https://images.example/small.jpg' }
  const publish = (act: Parameters<typeof actOf>[0]) => send(actOf({ fields, ...act }), fake.credentials, io)
  await publish({ media: [fileOf('video/mp4')] })
  const { body, files = [] } = fake.calls.at(-1) ?? {}
  t.match(body, { cover: fields.coverUrl }, 'Telegram loads the cover')
  t.same(
    files.map(({ field, bytes }) => [field, bytes.toString()]),
    [
      ['video', 'bytes'],
      ['thumbnail', 'a thumbnail'],
    ],
  )

  await publish({ media: [fileOf('image/png'), fileOf('video/mp4'), fileOf('video/mp4')] })
  const album = JSON.parse((fake.calls.at(-1)!.body as { media: string }).media)
  t.strictSame(
    album.map(({ cover, thumbnail }: Record<string, unknown>) => [cover, thumbnail]),
    [
      [undefined, undefined],
      [fields.coverUrl, 'attach://video-thumbnail'],
      [undefined, undefined],
    ],
    'only the first video of an album',
  )

  loaded.length = 0
  await publish({ media: [fileOf('image/png')] })
  await publish({ media: [] })
  t.strictSame(loaded, [], 'nothing is loaded for a post without a video')

  const calls = fake.calls.length
  images.set('/small.jpg', { type: 'image/png', content: 'PNG' })
  const refused = { code: 'content_refused', maybeSent: false, retryable: false }
  t.match(await rejection(publish({ media: [fileOf('video/mp4')] })), { ...refused, message: /has to be a JPEG/ })
  images.set('/small.jpg', { type: 'image/jpeg', content: 'a'.repeat(200_000) })
  t.match(await rejection(publish({ media: [fileOf('video/mp4')] })), { ...refused, message: /200000 bytes/ })
  t.equal(fake.calls.length, calls, 'and nothing is sent with another image')
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
  t.has(await rejection(send(orphan, fake.credentials, ioOf(fake))), {
    code: 'content_refused',
    message: 'api.telegram.org: Bad Request: message to be replied not found',
  })
})

t.test('a comment is plain text, also under a post with markup', async (t) => {
  const fake = await startTelegram(t)
  const fields = { parseMode: 'MarkdownV2' }
  const parent = await send(actOf({ text: '*Sea*', fields }), fake.credentials, ioOf(fake))
  const comment = actOf({ kind: 'comment', text: 'First. <3', fields, parent, root: parent })
  await send(comment, fake.credentials, ioOf(fake))
  t.same(
    fake.messages.map(({ text }) => text),
    ['Sea', 'First. <3'],
  )
})

t.test('a message has a URL in channels and supergroups only', async (t) => {
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

t.test('markup, callback buttons and still GIFs are accepted', async (t) => {
  const fake = await startTelegram(t)
  const texts: [string, string, string][] = [
    ['HTML', `${'a'.repeat(4095)}&amp;`, `${'a'.repeat(4095)}&`],
    ['HTML', '<b>The</b> <a href="https://example.com/">sea</a>', 'The sea'],
    ['MarkdownV2', '*The _old_* [sea](https://example.com/) \\. `a.b` ||boo||', 'The old sea . a.b boo'],
  ]
  for (const [parseMode, text, shown] of texts) {
    await send(actOf({ text, fields: { parseMode } }), fake.credentials, ioOf(fake))
    t.equal(fake.messages.at(-1)?.text, shown)
  }
  const fields = { buttons: [{ text: 'Yes', callback_data: 'yes' }] }
  await send(actOf({ fields }), fake.credentials, ioOf(fake))
  await send(actOf({ media: [fileOf('image/gif', { kind: 'image' })] }), fake.credentials, ioOf(fake))
  t.match(fake.calls.at(-1)?.path, /sendPhoto$/)
})

import { TELEGRAM_CHAT, TELEGRAM_TOKEN } from '../../../schemas/text-forms.ts'
import type { Act, Adapter, PublishedFile, Sent } from '../contract/adapter.ts'
import type { Io } from '../contract/io.ts'
import { impossible, unauthorized, unexpected } from '../contract/publish-error.ts'
import { callNetwork, type NetworkResponse, type NetworkRules, type Refusal } from '../wire/call-network.ts'
import { at, textAt } from '../wire/json.ts'
import { readImage } from '../wire/remote-image.ts'
import { fileName, multipart, type Upload } from '../wire/request-body.ts'
import { telegramContent } from './content.ts'

// Source of everything below that names no other: https://core.telegram.org/bots/api

export const telegramAdapter: Adapter<null> = {
  // No idempotency key, and no way to list sent messages: getUpdates does not return a bot's own.
  guarantee: 'at-most-once',
  // A bot may send 30 messages a second
  // (https://core.telegram.org/bots/faq#my-bot-is-hitting-limits-how-do-i-avoid-this), and one bot may serve all
  // accounts; a message takes a tenth of a second or more.
  concurrency: 4,

  async identify(io) {
    const bot = clientFor(io)
    const me = at((await callMethod(bot, io, 'getMe')).body, 'result', 'id')
    const { body } = await callMethod(bot, io, 'getChat', { chat_id: bot.chatId })
    const id = textAt(body, 'result', 'id')
    if (id === undefined || me === undefined) throw unexpected(bot.host, false)
    const type = textAt(body, 'result', 'type')
    if (type !== 'private') {
      const member = await callMethod(bot, io, 'getChatMember', { chat_id: bot.chatId, user_id: me })
      const obstacle = obstacleOf(at(member.body, 'result'), type)
      if (obstacle) throw unauthorized(`${bot.host}: ${obstacle}`)
    }
    return {
      externalId: id,
      username: textAt(body, 'result', 'username') ?? id,
      displayName: textAt(body, 'result', 'title') ?? textAt(body, 'result', 'first_name') ?? null,
      limitKey: bot.limitKey(),
    }
  },

  // Makes no call. Invalid credentials and impossible messages fail before the intent is committed.
  async prepare(act, io) {
    clientFor(io)
    messageOf(act)
    return { ready: null }
  },

  async publish(act, io) {
    const bot = clientFor(io)
    const { method, parameters, uploads, thumbnail } = messageOf(act)
    if (thumbnail) uploads.push(await loadThumbnail(thumbnail, io))
    const body = bodyOf({ chat_id: bot.chatId, ...parameters }, uploads)
    const response = await callMethod(bot, io, method, body, { visible: true })
    // The response to an album has all of its messages; the first one carries the caption, and replies go to it.
    const result = at(response.body, 'result')
    const sent = sentOf(Array.isArray(result) ? result[0] : result)
    if (!sent) throw unexpected(bot.host, true)
    return sent
  },
}

/** Why a bot may not post to a chat; undefined if it may: https://core.telegram.org/bots/api#chatmember */
function obstacleOf(member: unknown, chatType: string | undefined): string | undefined {
  const status = textAt(member, 'status') ?? ''
  if (chatType === 'channel') {
    if (status === 'creator' || (status === 'administrator' && at(member, 'can_post_messages') === true))
      return undefined
    return 'the bot has to be an administrator of the channel who may post messages'
  }
  if (['creator', 'administrator', 'member'].includes(status)) return undefined
  if (status !== 'restricted' || at(member, 'is_member') !== true) return 'the bot has to be a member of the group'
  return at(member, 'can_send_messages') === true ? undefined : 'the bot may not send messages to the group'
}

/** Prefix of an upstream error; `ofAlbum` if it concerns one message of an album. */
const UPSTREAM = /^[A-Z][\w ]*: (?<ofAlbum>failed to send message #\d+ with the error message ")?/.source

/**
 * Missing rights in a chat, or a chat that the bot cannot see. Only the words tell them from other refusals
 * (https://github.com/tdlib/telegram-bot-api/blob/master/telegram-bot-api/Client.cpp). Those in capitals come from
 * https://core.telegram.org/method/messages.sendMedia.
 */
const NOT_ALLOWED = new RegExp(
  `${UPSTREAM}(?:chat not found|not enough rights|need administrator rights|have no rights to send|member list is inaccessible|` +
    'CHAT_(?:SEND_[A-Z]+_FORBIDDEN|(?:GUEST_SEND|WRITE)_FORBIDDEN|ADMIN_REQUIRED|RESTRICTED)|CHANNEL_PRIVATE|USER_BANNED_IN_CHANNEL)',
  'i',
)

/** A file that Telegram refuses. Every file of an album is checked before the album is sent. */
const FILE_REFUSED = new RegExp(`${UPSTREAM}(?:IMAGE|PHOTO|VIDEO|MEDIA|FILE)_[A-Z_]+"?$`, 'i')

/**
 * An album fails as a whole when one of its messages does, and its other messages stay sent (on_message_send_succeeded
 * and on_message_send_failed in
 * https://github.com/tdlib/telegram-bot-api/blob/master/telegram-bot-api/Client.cpp; seen in
 * https://github.com/rubenlagus/TelegramBots/issues/1520). `Group send failed` means that not all files
 * were accepted and nothing was sent, mostly because they came too fast: https://github.com/tdlib/td/issues/1990.
 */
function classify({ body }: Refusal): 'maybe sent' | 'try later' | undefined {
  const description = textAt(body, 'description') ?? ''
  if (/: group send failed$/i.test(description)) return 'try later'
  const isOfAlbum = new RegExp(UPSTREAM, 'i').exec(description)?.groups?.ofAlbum !== undefined
  return isOfAlbum && !FILE_REFUSED.test(description) ? 'maybe sent' : undefined
}

interface Bot extends NetworkRules {
  address: string
  chatId: string
  limitKey(): string
}

function clientFor({ credentials: { botToken = '', chatId = '' } }: Io): Bot {
  if (!new RegExp(TELEGRAM_TOKEN).test(botToken))
    throw unauthorized('botToken has to be the token of a bot, such as 123456:ABC-DEF1234')
  if (!new RegExp(TELEGRAM_CHAT).test(chatId)) throw unauthorized('chatId has to be the @name or the number of a chat')
  return {
    host: 'api.telegram.org',
    address: `https://api.telegram.org/bot${botToken}`,
    chatId,
    secrets: [botToken],
    words: (body) => textAt(body, 'description'),
    // An invalid token gives 404, as an unknown method does.
    isUnauthorized: ({ status, body }) =>
      [401, 403, 404].includes(status) ||
      at(body, 'parameters', 'migrate_to_chat_id') !== undefined ||
      NOT_ALLOWED.test(textAt(body, 'description') ?? ''),
    classify,
    // A 429 does not say whether the chat or the whole bot has reached its limit, so all chats of the bot rest, as in
    // https://docs.python-telegram-bot.org/en/stable/telegram.ext.aioratelimiter.html. The token begins with the bot's
    // id.
    limitKey: () => `telegram:${botToken.split(':')[0]}`,
    // https://core.telegram.org/bots/api#responseparameters
    retryAfterMs: ({ body }) => {
      const seconds = at(body, 'parameters', 'retry_after')
      return typeof seconds === 'number' ? seconds * 1000 : undefined
    },
  }
}

async function callMethod(
  bot: Bot,
  io: Io,
  method: string,
  body: object = {},
  { visible = false } = {},
): Promise<NetworkResponse> {
  const response = await callNetwork(bot, io, `${bot.address}/${method}`, { method: 'POST', body, visible })
  if (at(response.body, 'ok') !== true) throw unexpected(bot.host, visible)
  return response
}

interface Message {
  method: string
  parameters: Record<string, unknown>
  uploads: Upload[]
  /** An image that is uploaded too, under the name of a field of the form. */
  thumbnail?: { url: string; field: string } | undefined
}

function messageOf(act: Act): Message {
  const { kind, media, fields, parent } = act
  const { text } = telegramContent(act)
  const buttons = kind === 'post' && Array.isArray(fields.buttons) ? fields.buttons : []
  // Telegram would refuse a comment written without markup for its full stops.
  const parseMode = kind === 'post' && fields.parseMode !== undefined && { parse_mode: fields.parseMode }
  const shared = {
    ...(fields.disableNotification === true && { disable_notification: true }),
    ...(fields.protectContent === true && { protect_content: true }),
    ...(parent && { reply_parameters: { message_id: Number(parent.id) } }),
    ...(fields.messageThreadId !== undefined && { message_thread_id: fields.messageThreadId }),
    // One below the other: side by side, a phone cuts the labels of three buttons.
    ...(buttons.length > 0 && { reply_markup: { inline_keyboard: buttons.map((button) => [button]) } }),
  }
  const caption = {
    ...(text && { caption: text, ...parseMode }),
    ...(fields.hasSpoiler === true && { has_spoiler: true }),
    ...(fields.showCaptionAboveMedia === true && { show_caption_above_media: true }),
  }
  const video = kind === 'post' ? media.find((file) => file.kind === 'video') : undefined
  const [coverUrl, thumbnailUrl] = [textAt(fields, 'coverUrl'), textAt(fields, 'thumbnailUrl')]
  const cover = (file: PublishedFile) => file === video && coverUrl && { cover: coverUrl }
  const thumbnail = (field: string) => (video && thumbnailUrl ? { url: thumbnailUrl, field } : undefined)
  const [file, ...others] = media
  if (!file) {
    const preview = fields.disableLinkPreview === true && { link_preview_options: { is_disabled: true } }
    return { method: 'sendMessage', parameters: { text, ...parseMode, ...preview, ...shared }, uploads: [] }
  }
  if (others.length === 0) {
    const { method, type } = SINGLE[file.kind]
    const uploads = [{ field: type, name: fileName(file, 0), file }]
    const parameters = { ...sizeOf(file), ...cover(file), ...caption, ...shared }
    return { method, parameters, uploads, thumbnail: thumbnail('thumbnail') }
  }
  // https://core.telegram.org/bots/api#sendmediagroup has no reply_markup.
  if (buttons.length > 0)
    throw impossible('Telegram shows no buttons below several files: remove fields.buttons, or publish one file')
  const uploads = media.map((each, index) => ({ field: `file${index}`, name: fileName(each, index), file: each }))
  const album = media.map((each, index) => ({
    type: SINGLE[each.kind].type,
    media: `attach://file${index}`,
    ...sizeOf(each),
    ...cover(each),
    ...(each === video && thumbnailUrl && { thumbnail: `attach://${ALBUM_THUMBNAIL}` }),
    ...caption,
    // Clients show the caption of the first file as the album's.
    ...(index > 0 && { caption: undefined, parse_mode: undefined }),
  }))
  const parameters = { media: album, ...shared }
  return { method: 'sendMediaGroup', parameters, uploads, thumbnail: thumbnail(ALBUM_THUMBNAIL) }
}

/**
 * Every file of an album would get a part that is named thumbnail: get_input_thumbnail in
 * https://github.com/tdlib/telegram-bot-api/blob/master/telegram-bot-api/Client.cpp.
 */
const ALBUM_THUMBNAIL = 'video-thumbnail'

/** https://core.telegram.org/bots/api#sendvideo: less than 200 kB. Read whole, before the call that may be visible. */
async function loadThumbnail({ url, field }: { url: string; field: string }, io: Io): Promise<Upload> {
  const rules = { field: 'thumbnailUrl', mimeTypes: ['image/jpeg'], bytesMax: 200_000 - 1 }
  return { field, name: 'thumbnail.jpg', file: await readImage(url, io, rules) }
}

const SINGLE = {
  image: { method: 'sendPhoto', type: 'photo' },
  gif: { method: 'sendAnimation', type: 'animation' },
  video: { method: 'sendVideo', type: 'video' },
} as const

/** Parameters of https://core.telegram.org/bots/api#sendvideo that photos do not have. */
function sizeOf({ kind, width, height, durationSeconds }: PublishedFile): object {
  if (kind === 'image') return {}
  return {
    ...(width && { width }),
    ...(height && { height }),
    ...(durationSeconds && { duration: Math.round(durationSeconds) }),
    ...(kind === 'video' && { supports_streaming: true }),
  }
}

/** JSON, or a form if there are files: https://core.telegram.org/bots/api#making-requests */
function bodyOf(parameters: Record<string, unknown>, uploads: readonly Upload[]): object {
  if (uploads.length === 0) return parameters
  const fields = Object.entries(parameters).map(([name, value]) => [
    name,
    typeof value === 'string' ? value : JSON.stringify(value),
  ])
  return multipart(Object.fromEntries(fields), uploads)
}

function sentOf(message: unknown): Sent | undefined {
  const id = textAt(message, 'message_id')
  if (id === undefined) return undefined
  const name = textAt(message, 'chat', 'username')
  const chatId = textAt(message, 'chat', 'id') ?? ''
  // Only channels and supergroups have addresses (https://core.telegram.org/api/links#message-links); the number of a
  // private one is written without its -100.
  if (at(message, 'chat', 'type') === 'private' || !(name || chatId.startsWith('-100'))) return { id, url: null }
  return { id, url: `https://t.me/${name ?? `c/${chatId.slice('-100'.length)}`}/${id}` }
}

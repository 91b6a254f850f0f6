import type { Act, Credentials, Io, PublishedFile, Publishing, Sent } from '../adapter.ts'
import {
  type Answer,
  at,
  call,
  Form,
  impossible,
  type Network,
  nameOf,
  type Refusal,
  textAt,
  type Upload,
  unauthorized,
  unexpected,
} from '../call-network.ts'

// From here on, everything follows https://core.telegram.org/bots/api.

export const telegramPublishing: Publishing = {
  // Neither a key against repetition nor a way to ask for messages that were sent: getUpdates does not tell a bot its own.
  guarantee: 'at-most-once',
  // A bot may send 30 messages a second (https://core.telegram.org/bots/faq#my-bot-is-hitting-limits-how-do-i-avoid-this),
  // and all accounts may be of one; one takes a tenth of a second and more.
  concurrency: 4,

  async identify(credentials, io) {
    const bot = connect(credentials)
    const me = at((await ask(bot, io, 'getMe')).body, 'result', 'id')
    const { body } = await ask(bot, io, 'getChat', { chat_id: bot.chatId })
    const id = textAt(body, 'result', 'id')
    if (id === undefined || me === undefined) throw unexpected(bot.host, false)
    const type = textAt(body, 'result', 'type')
    if (type !== 'private') {
      const member = await ask(bot, io, 'getChatMember', { chat_id: bot.chatId, user_id: me })
      const hindrance = hindranceOf(at(member.body, 'result'), type)
      if (hindrance) throw unauthorized(`${bot.host}: ${hindrance}`)
    }
    return {
      externalId: id,
      username: textAt(body, 'result', 'username') ?? id,
      displayName: textAt(body, 'result', 'title') ?? textAt(body, 'result', 'first_name') ?? null,
    }
  },

  async send(act, credentials, io) {
    const bot = connect(credentials)
    const { method, parameters, uploads } = messageOf(act)
    const body = bodyOf({ chat_id: bot.chatId, ...parameters }, uploads)
    await io.intend()
    const answer = await ask(bot, io, method, body, { visible: true })
    // An album is answered with all of its messages; the first one carries the caption, and what replies to it.
    const result = at(answer.body, 'result')
    const sent = sentOf(Array.isArray(result) ? result[0] : result)
    if (!sent) throw unexpected(bot.host, true)
    return sent
  },
}

/** Why a bot may not post to a chat, if it may not: https://core.telegram.org/bots/api#chatmember */
function hindranceOf(member: unknown, chatType: string | undefined): string | undefined {
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

/** Before the words of a refusal that are Telegram's servers', and of one message of an album. */
const SAID = /^[A-Z][\w ]*: (?<ofAlbum>failed to send message #\d+ with the error message ")?/.source

/**
 * What a bot may not do in a chat, and a chat that it cannot see, in words: nothing else tells them from other refusals
 * (https://github.com/tdlib/telegram-bot-api/blob/master/telegram-bot-api/Client.cpp). Those in capitals are of
 * https://core.telegram.org/method/messages.sendMedia.
 */
const NOT_ALLOWED = new RegExp(
  `${SAID}(?:chat not found|not enough rights|need administrator rights|have no rights to send|member list is inaccessible|` +
    'CHAT_(?:SEND_[A-Z]+_FORBIDDEN|(?:GUEST_SEND|WRITE)_FORBIDDEN|ADMIN_REQUIRED|RESTRICTED)|CHANNEL_PRIVATE|USER_BANNED_IN_CHANNEL)',
  'i',
)

/** Of a file that Telegram's servers do not take, which are asked about every file before they get the album. */
const FILE_REFUSED = new RegExp(`${SAID}(?:IMAGE|PHOTO|VIDEO|MEDIA|FILE)_[A-Z_]+"?$`, 'i')

/**
 * An album fails as a whole when one of its messages does, and what was sent of it stays (on_message_send_succeeded and
 * on_message_send_failed in
 * https://github.com/tdlib/telegram-bot-api/blob/master/telegram-bot-api/Client.cpp; seen in
 * https://github.com/rubenlagus/TelegramBots/issues/1520). `Group send failed` is said of an album whose files were not all
 * taken, none of which was sent, and means more often than not that they came too fast: https://github.com/tdlib/td/issues/1990.
 */
function meaningOf({ body }: Refusal): ReturnType<NonNullable<Network['meaning']>> {
  const description = textAt(body, 'description') ?? ''
  if (/: group send failed$/i.test(description)) return 'again later'
  const isOfAlbum = new RegExp(SAID, 'i').exec(description)?.groups?.ofAlbum !== undefined
  return isOfAlbum && !FILE_REFUSED.test(description) ? 'may be sent' : undefined
}

interface Bot extends Network {
  address: string
  chatId: string
}

function connect({ botToken = '', chatId = '' }: Credentials): Bot {
  if (!/^\d+:[\w-]+$/.test(botToken)) throw unauthorized('botToken is not the token of a bot')
  if (!/^(?:@\w+|-?\d+)$/.test(chatId)) throw unauthorized('chatId has to be @name or a number')
  return {
    host: 'api.telegram.org',
    address: `https://api.telegram.org/bot${botToken}`,
    chatId,
    secrets: [botToken],
    words: (body) => textAt(body, 'description'),
    // A token that is none is answered with 404, as an unknown method is.
    isUnauthorized: ({ status, body }) =>
      [401, 403, 404].includes(status) ||
      at(body, 'parameters', 'migrate_to_chat_id') !== undefined ||
      NOT_ALLOWED.test(textAt(body, 'description') ?? ''),
    meaning: meaningOf,
    // https://core.telegram.org/bots/api#responseparameters
    retryAfterMs: ({ body }) => {
      const seconds = at(body, 'parameters', 'retry_after')
      return typeof seconds === 'number' ? seconds * 1000 : undefined
    },
  }
}

async function ask(
  bot: Bot,
  io: Pick<Io, 'fetch' | 'signal'>,
  method: string,
  body: object = {},
  { visible = false } = {},
): Promise<Answer> {
  const answer = await call(bot, io, `${bot.address}/${method}`, { method: 'POST', body, visible })
  if (at(answer.body, 'ok') !== true) throw unexpected(bot.host, visible)
  return answer
}

interface Message {
  method: string
  parameters: Record<string, unknown>
  uploads: Upload[]
}

function messageOf(act: Act): Message {
  const { kind, text, media, fields, parent } = act
  const buttons = kind === 'post' && Array.isArray(fields.buttons) ? fields.buttons : []
  // A comment that was not written as markup would be refused for its full stops.
  const parseMode = kind === 'post' && fields.parseMode !== undefined && { parse_mode: fields.parseMode }
  const shared = {
    ...(fields.disableNotification === true && { disable_notification: true }),
    ...(fields.protectContent === true && { protect_content: true }),
    ...(parent && { reply_parameters: { message_id: Number(parent.id) } }),
    // One below the other: side by side, the words of three buttons are cut on a phone.
    ...(buttons.length > 0 && { reply_markup: { inline_keyboard: buttons.map((button) => [button]) } }),
  }
  const caption = {
    ...(text && { caption: text, ...parseMode }),
    ...(fields.hasSpoiler === true && { has_spoiler: true }),
    ...(fields.showCaptionAboveMedia === true && { show_caption_above_media: true }),
  }
  const [file, ...others] = media
  if (!file) {
    const preview = fields.disableLinkPreview === true && { link_preview_options: { is_disabled: true } }
    return { method: 'sendMessage', parameters: { text, ...parseMode, ...preview, ...shared }, uploads: [] }
  }
  if (others.length === 0) {
    const { method, type } = SINGLE[file.kind]
    const uploads = [{ field: type, name: nameOf(file, 0), file }]
    return { method, parameters: { ...sizeOf(file), ...caption, ...shared }, uploads }
  }
  // https://core.telegram.org/bots/api#sendmediagroup has no reply_markup.
  if (buttons.length > 0) throw impossible('Telegram shows no buttons below an album: remove fields.buttons')
  const uploads = media.map((each, place) => ({ field: `file${place}`, name: nameOf(each, place), file: each }))
  const album = media.map((each, place) => ({
    type: SINGLE[each.kind].type,
    media: `attach://file${place}`,
    ...sizeOf(each),
    ...caption,
    // The caption of one file of an album, the first, is shown as the album's.
    ...(place > 0 && { caption: undefined, parse_mode: undefined }),
  }))
  return { method: 'sendMediaGroup', parameters: { media: album, ...shared }, uploads }
}

const SINGLE = {
  image: { method: 'sendPhoto', type: 'photo' },
  gif: { method: 'sendAnimation', type: 'animation' },
  video: { method: 'sendVideo', type: 'video' },
} as const

/** What https://core.telegram.org/bots/api#sendvideo wants to be told, and photos have no parameters for. */
function sizeOf({ kind, width, height, durationSeconds }: PublishedFile): object {
  if (kind === 'image') return {}
  return {
    ...(width && { width }),
    ...(height && { height }),
    ...(durationSeconds && { duration: Math.round(durationSeconds) }),
    ...(kind === 'video' && { supports_streaming: true }),
  }
}

/** JSON, or a form where there are files: https://core.telegram.org/bots/api#making-requests */
function bodyOf(parameters: Record<string, unknown>, uploads: readonly Upload[]): object {
  if (uploads.length === 0) return parameters
  const fields = Object.entries(parameters).map(([name, value]) => [
    name,
    typeof value === 'string' ? value : JSON.stringify(value),
  ])
  return new Form(Object.fromEntries(fields), uploads)
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

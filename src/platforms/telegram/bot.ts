import { TELEGRAM_CHAT, TELEGRAM_TOKEN } from '../../../schemas/text-forms.ts'
import type { Io } from '../contract/io.ts'
import { unauthorized, unexpected } from '../contract/publish-error.ts'
import { callNetwork, type NetworkResponse, type NetworkRules, type Refusal } from '../wire/call-network.ts'
import { at, textAt } from '../wire/json.ts'

// Source of everything below that names no other: https://core.telegram.org/bots/api

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

export interface Bot extends NetworkRules {
  address: string
  chatId: string
  limitKey(): string
}

export function clientFor({ credentials: { botToken = '', chatId = '' } }: Io): Bot {
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

export async function callMethod(
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

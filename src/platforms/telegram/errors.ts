import type { ErrorKeys, ErrorRow } from '../contract/error-table.ts'
import { textAt } from '../wire/json.ts'

const API = 'https://core.telegram.org/bots/api'
const SERVER = 'https://github.com/tdlib/telegram-bot-api/blob/master/telegram-bot-api/Client.cpp'
const MEDIA = 'https://core.telegram.org/method/messages.sendMedia'

/** Prefix of an upstream error; the second part if it concerns one message of an album. */
const UPSTREAM = /^[A-Z][\w ]*: (?:failed to send message #\d+ with the error message ")?/.source
const OF_ALBUM = /^[A-Z][\w ]*: failed to send message #\d+ with the error message "/i

const says = (words: string) => new RegExp(`${UPSTREAM}(?:${words})`, 'i')

/** The code of a refusal that names the new id of a chat. */
const MIGRATED = 'migrated'

/** Only the words tell refusals apart. Those in capitals come from the method of the API beneath. */
export const ERRORS: readonly ErrorRow[] = [
  {
    code: MIGRATED,
    means: 'moved',
    note: 'The group became a supergroup, with another id.',
    source: `${API}#responseparameters`,
  },
  { status: 401, means: 'credentials refused', note: 'The token of the bot was revoked.', source: API },
  {
    status: 403,
    means: 'credentials refused',
    note: 'The bot was removed from the chat or blocked, or the chat was deleted.',
    source: SERVER,
  },
  {
    status: 404,
    means: 'credentials refused',
    note: 'The token of the bot is invalid.',
    source: API,
  },
  {
    text: says('not enough rights to send (?!text)|CHAT_SEND_(?!PLAIN)[A-Z]+_FORBIDDEN'),
    means: 'content refused',
    note: 'The chat takes no files or messages of this kind from the bot. Others can be sent.',
    source: `${SERVER}; ${MEDIA}`,
  },
  {
    text: says(
      'chat not found|not enough rights|need administrator rights|have no rights to send|member list is inaccessible|' +
        'CHAT_(?:SEND_PLAIN_FORBIDDEN|(?:GUEST_SEND|WRITE)_FORBIDDEN|ADMIN_REQUIRED|RESTRICTED)|CHANNEL_PRIVATE|USER_BANNED_IN_CHANNEL',
    ),
    means: 'credentials refused',
    note: 'The bot lacks rights in the chat, or cannot see it.',
    source: `${SERVER}; ${MEDIA}`,
  },
  {
    text: /: group send failed$/i,
    means: 'tried later',
    note: 'Not all files of an album were accepted, mostly because they came too fast. Nothing was sent.',
    source: 'https://github.com/tdlib/td/issues/1990',
  },
  {
    text: says('(?:IMAGE|PHOTO|VIDEO|MEDIA|FILE)_[A-Z_]+"?$'),
    means: 'content refused',
    note: 'Telegram refuses a file. Every file of an album is checked before the album is sent.',
    source: MEDIA,
  },
  {
    text: OF_ALBUM,
    means: 'maybe sent',
    note: 'One message of an album failed. The others stay sent.',
    source: `${SERVER}; https://github.com/rubenlagus/TelegramBots/issues/1520`,
  },
  {
    status: 429,
    means: 'rate limited',
    // As in https://docs.python-telegram-bot.org/en/stable/telegram.ext.aioratelimiter.html.
    isShared: true,
    note: 'The chat or the bot has reached its limit. Telegram does not say which, so all chats of the bot rest.',
    source: API,
  },
]

/** The new id of a group that became a supergroup. */
export const newChatIdOf = (body: unknown): string | undefined => {
  const id = textAt(body, 'parameters', 'migrate_to_chat_id')
  return id !== undefined && /^-\d{1,20}$/.test(id) ? id : undefined
}

export const keysOf = ({ body }: { body: unknown }): ErrorKeys => ({
  code: newChatIdOf(body) === undefined ? undefined : MIGRATED,
  text: textAt(body, 'description'),
})

export function wordsOf(body: unknown): string | undefined {
  const words = textAt(body, 'description')
  const id = newChatIdOf(body)
  return words !== undefined && id !== undefined ? `${words}. Its id is now ${id}` : words
}

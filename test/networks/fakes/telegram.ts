import { isDeepStrictEqual } from 'node:util'
import type { Teardown } from '../../helpers/database.ts'
import { type FakeNetwork, type Recorded, Refused, startFake } from './network.ts'
import type { Scene } from './scene.ts'
import { parseText, refuse } from './telegram-markup.ts'

interface Chat {
  id: number
  type: 'channel' | 'supergroup' | 'group' | 'private'
  title: string
  username?: string
  /** Message threads of a forum: https://core.telegram.org/bots/api#forumtopic */
  topics?: number[]
  /** The bot as a member (https://core.telegram.org/bots/api#chatmember); by default one that may post. */
  bot?: { status: string; can_post_messages?: boolean; can_send_messages?: boolean; is_member?: boolean }
}

interface Message {
  message_id: number
  /** The album that the message belongs to: https://core.telegram.org/bots/api#message */
  media_group_id?: string
  chat: Chat
  message_thread_id?: number
  text?: string
  caption?: string | undefined
  poll?: { question: string; options: string[] }
  reply_markup?: unknown
  edits?: number
}

export interface FakeTelegram extends FakeNetwork {
  credentials: { botToken: string; chatId: string }
  /** Chats of the bot; the first is the channel of the credentials. */
  chats: Chat[]
  /** Makes a group a supergroup with another id. Its old messages cannot be reached. */
  upgrade(from: number, to: number): void
  messages: Message[]
  /** The error for the second message of the next album, after the first one was sent. */
  albumError: string | undefined
  /** Messages are older than 48 hours: https://core.telegram.org/bots/api#deletemessage */
  isTooOld: boolean
}

const ORIGIN = 'https://api.telegram.org'
const TOKEN = '123456:ABC-DEF1234ghIkl-zyx57W2v1u123ew11'

/**
 * The Bot API as https://core.telegram.org/bots/api describes it, with its refusals. Their words come from
 * https://github.com/tdlib/telegram-bot-api (Client.cpp, ClientManager.cpp) and https://github.com/tdlib/td; those for
 * albums and for parameters of a wrong type are this fake's own. Unknown parameters are ignored, as by the real API.
 */
export async function startTelegram(t: Teardown): Promise<FakeTelegram> {
  const messages: Message[] = []
  let lastId = 0
  const upgrades = new Map<number, number>()
  const chats: Chat[] = [{ id: -1001234567890, type: 'channel', title: 'Lighthouses', username: 'lighthouses' }]

  const network = await startFake(t, ORIGIN, (call) => {
    const [, token, method] = /^\/bot([^/]+)\/(\w+)$/.exec(call.path) ?? refuse(404, 'Not Found')
    if (!/^\d+:[\w-]+$/.test(token ?? '')) refuse(404, 'Not Found')
    if (token !== TOKEN) refuse(401, 'Unauthorized')
    const parameters = decode(call)
    const movedTo = upgrades.get(Number(parameters.chat_id))
    // https://github.com/TwiN/gatus/issues/179
    if (movedTo !== undefined) {
      const description = 'Bad Request: group chat was upgraded to a supergroup chat'
      const body = { ok: false, error_code: 400, description, parameters: { migrate_to_chat_id: movedTo } }
      throw new Refused({ status: 400, body })
    }
    if (method === 'getMe') {
      return ok({ id: BOT_ID, is_bot: true, first_name: 'Postroom', username: 'postroom_bot' })
    }
    const chat = chats.find(
      ({ id, username }) => String(id) === String(parameters.chat_id) || `@${username}` === parameters.chat_id,
    )
    if (!chat) return refuse(400, 'Bad Request: chat not found')
    const { bot = POSTING[chat.type], topics: _, ...shown } = chat
    if (method === 'getChat') return ok(shown)
    // https://core.telegram.org/bots/api#getchatmember
    if (method === 'getChatMember') {
      if (parameters.user_id !== BOT_ID) refuse(400, 'Bad Request: user not found')
      // Only administrators see who is in a channel.
      if (chat.type === 'channel' && bot.status === 'left') refuse(400, 'Bad Request: member list is inaccessible')
      return ok({ user: { id: BOT_ID, is_bot: true }, ...bot })
    }

    checkRights(chat.type, bot)
    const change = CHANGES[method ?? '']
    if (change) return ok(change(parameters, chat, fake))
    const send = SENDERS[method ?? ''] ?? refuse(404, 'Not Found: method not found')
    checkShared(parameters)
    const thread = parameters.message_thread_id
    if (thread !== undefined && !Number.isInteger(thread)) refuse(400, "Bad Request: can't parse message_thread_id")
    // Chats without topics ignore it (check_message_topic in Client.cpp).
    if (thread !== undefined && chat.topics && !chat.topics.includes(thread as number)) {
      refuse(400, 'Bad Request: message thread not found')
    }
    const inThread = chat.topics && thread !== undefined && { message_thread_id: thread as number }
    const contents = send(parameters, call)
    // https://core.telegram.org/bots/api#replyparameters
    const reply = parameters.reply_parameters as { message_id?: unknown } | undefined
    if (reply && !messages.some((message) => message.message_id === reply.message_id && message.chat.id === chat.id)) {
      refuse(400, 'Bad Request: message to be replied not found')
    }
    const { albumError } = fake
    const album = method === 'sendMediaGroup' && { media_group_id: String(messages.length + 1) }
    const ids = ++lastId
    const sent = contents.slice(0, album && albumError ? 1 : undefined).map((content, index) => ({
      message_id: ids + index,
      ...album,
      ...inThread,
      chat: shown,
      ...content,
      ...(parameters.reply_markup !== undefined && { reply_markup: parameters.reply_markup }),
    }))
    messages.push(...sent)
    lastId = ids + sent.length - 1
    if (album && albumError) {
      fake.albumError = undefined
      refuse(400, `Bad Request: failed to send message #2 with the error message "${albumError}"`)
    }
    return ok(album ? sent : sent[0])
  })
  const fake: FakeTelegram = {
    ...network,
    credentials: { botToken: TOKEN, chatId: '@lighthouses' },
    chats,
    messages,
    upgrade(from, to) {
      const group = chats.find(({ id }) => id === from)!
      upgrades.set(from, to)
      Object.assign(group, { id: to, type: 'supergroup' })
    },
    albumError: undefined,
    isTooOld: false,
  }
  return fake
}

const BOT_ID = 123456

const POSTING: Record<Chat['type'], NonNullable<Chat['bot']>> = {
  channel: { status: 'administrator', can_post_messages: true },
  supergroup: { status: 'member' },
  group: { status: 'member' },
  private: { status: 'member' },
}

function checkRights(type: Chat['type'], { status, can_post_messages, can_send_messages }: NonNullable<Chat['bot']>) {
  if (status === 'left') refuse(403, `Forbidden: bot is not a member of the ${type} chat`)
  if (status === 'kicked') refuse(403, `Forbidden: bot was kicked from the ${type} chat`)
  if (type === 'channel' && !can_post_messages)
    refuse(400, 'Bad Request: need administrator rights in the channel chat')
  if (status === 'restricted' && !can_send_messages) {
    refuse(400, 'Bad Request: not enough rights to send text messages to the chat')
  }
}

const ok = (result: unknown) => ({ status: 200, body: { ok: true, result } })

/** In a form, all parameters except texts are JSON: https://core.telegram.org/bots/api#making-requests */
function decode({ body, headers }: Recorded): Record<string, unknown> {
  const parameters = (body ?? {}) as Record<string, unknown>
  if (!headers['content-type']?.startsWith('multipart/')) return parameters
  const texts = ['chat_id', 'text', 'caption', 'parse_mode', 'cover']
  return Object.fromEntries(
    Object.entries(parameters).map(([name, value]) => {
      if (texts.includes(name)) return [name, value]
      try {
        return [name, JSON.parse(String(value))]
      } catch {
        return refuse(400, `Bad Request: can't parse ${name} JSON object`)
      }
    }),
  )
}

type Change = (parameters: Record<string, unknown>, chat: Chat, fake: FakeTelegram) => unknown

const findMessage = ({ messages }: FakeTelegram, chat: Chat, id: unknown) =>
  messages.find(({ message_id, chat: { id: chatId } }) => message_id === id && chatId === chat.id)

const drop = (fake: FakeTelegram, message: Message) => {
  if (fake.isTooOld) refuse(400, "Bad Request: message can't be deleted")
  fake.messages.splice(fake.messages.indexOf(message), 1)
}

const CHANGES: Record<string, Change> = {
  // https://core.telegram.org/bots/api#deletemessage
  deleteMessage: ({ message_id: id }, chat, fake) => {
    drop(fake, findMessage(fake, chat, id) ?? refuse(400, 'Bad Request: message to delete not found'))
    return true
  },
  // https://core.telegram.org/bots/api#deletemessages: messages that are not found are skipped.
  deleteMessages: ({ message_ids: ids }, chat, fake) => {
    if (!Array.isArray(ids) || ids.length > 100) refuse(400, 'Bad Request: message identifiers are not specified')
    const found = (ids as unknown[]).map((id) => findMessage(fake, chat, id))
    for (const message of found) if (message) drop(fake, message)
    return true
  },
  // https://core.telegram.org/bots/api#editmessagetext
  editMessageText: ({ message_id: id, text, parse_mode, reply_markup }, chat, fake) => {
    const message = findMessage(fake, chat, id) ?? refuse(400, 'Bad Request: message to edit not found')
    if (message.text === undefined) refuse(400, 'Bad Request: there is no text in the message to edit')
    const parsed = parseText(text as string | undefined, parse_mode)
    if (!parsed.trim()) refuse(400, 'Bad Request: message text is empty')
    if ([...parsed].length > 4096) refuse(400, 'Bad Request: MESSAGE_TOO_LONG')
    return edited(message, { text: parsed, reply_markup })
  },
  // https://core.telegram.org/bots/api#editmessagecaption
  editMessageCaption: ({ message_id: id, reply_markup, ...parameters }, chat, fake) => {
    const message = findMessage(fake, chat, id) ?? refuse(400, 'Bad Request: message to edit not found')
    if (message.text !== undefined) refuse(400, 'Bad Request: there is no caption in the message to edit')
    return edited(message, { caption: captionOf(parameters).caption, reply_markup })
  },
}

/** A keyboard that is not sent again is removed. */
function edited(message: Message, content: Partial<Message>): Message {
  if (isDeepStrictEqual({ ...message, ...content }, { reply_markup: undefined, ...message })) {
    refuse(
      400,
      'Bad Request: message is not modified: specified new message content and reply markup are exactly the same as a current content and reply markup of the message',
    )
  }
  return Object.assign(message, content, { edits: (message.edits ?? 0) + 1 })
}

/** https://core.telegram.org/bots/api#sending-files */
interface FileRule {
  types: RegExp
  bytesMax: number
}
const PHOTO: FileRule = { types: /^image\/(?:jpeg|png|webp|gif)$/, bytesMax: 10_485_760 }
const THUMBNAIL: FileRule = { types: /^image\/jpeg$/, bytesMax: 199_999 }
const VIDEO: FileRule = { types: /^video\/mp4$/, bytesMax: 52_428_800 }

type Sender = (parameters: Record<string, unknown>, call: Recorded) => Omit<Message, 'message_id' | 'chat'>[]

const SENDERS: Record<string, Sender> = {
  // https://core.telegram.org/bots/api#sendmessage
  sendMessage: ({ text, parse_mode }) => {
    if (text !== undefined && typeof text !== 'string') refuse(400, "Bad Request: can't parse text")
    const parsed = parseText(text as string | undefined, parse_mode)
    if (!parsed.trim()) refuse(400, 'Bad Request: message text is empty')
    if ([...parsed].length > 4096) refuse(400, 'Bad Request: message is too long')
    return [{ text: parsed }]
  },
  // https://core.telegram.org/bots/api#sendpoll
  sendPoll: ({ question, options, open_period: openPeriod }) => {
    if (typeof question !== 'string' || !question.trim()) refuse(400, 'Bad Request: poll question must be non-empty')
    if ([...String(question)].length > 300) refuse(400, 'Bad Request: poll question length must not exceed 300')
    if (!Array.isArray(options) || options.length < 1) refuse(400, 'Bad Request: poll must have at least 1 option')
    const texts = (options as { text?: unknown }[]).map(({ text }) => text)
    if (texts.length > 12) refuse(400, "Bad Request: poll can't have more than 12 options")
    if (texts.some((text) => typeof text !== 'string' || !text.trim())) {
      refuse(400, 'Bad Request: poll options must be non-empty')
    }
    if (texts.some((text) => [...String(text)].length > 100)) {
      refuse(400, 'Bad Request: poll options length must not exceed 100')
    }
    const period = openPeriod ?? 5
    if (!Number.isInteger(period) || (period as number) < 5 || (period as number) > 2_628_000) {
      refuse(400, "Bad Request: can't parse open_period")
    }
    return [{ poll: { question: String(question), options: texts.map(String) } }]
  },
  sendPhoto: single('photo', PHOTO),
  sendVideo: single('video', VIDEO),
  sendAnimation: single('animation', { ...VIDEO, types: /^(?:image\/gif|video\/mp4)$/ }),
  // https://core.telegram.org/bots/api#sendmediagroup
  sendMediaGroup: ({ media, reply_markup }, { files }) => {
    if (!Array.isArray(media) || media.length < 2 || media.length > 10) {
      return refuse(400, 'Bad Request: group send failed: 2 to 10 items')
    }
    if (reply_markup !== undefined) refuse(400, 'Bad Request: an album has no reply markup')
    return media.map((item: Record<string, unknown>) => {
      if (item.type !== 'photo' && item.type !== 'video')
        refuse(400, `Bad Request: type ${item.type} can't be used in an album`)
      const nameOf = (value: unknown) => /^attach:\/\/([\w-]+)$/.exec(String(value))?.[1]
      checkFile(files, nameOf(item.media), item.type === 'photo' ? PHOTO : VIDEO)
      checkCover(item)
      if (item.thumbnail !== undefined) checkFile(files, nameOf(item.thumbnail), THUMBNAIL)
      return captionOf(item)
    })
  },
}

/** https://core.telegram.org/bots/api#sendphoto, #sendvideo, #sendanimation */
function single(field: string, rule: FileRule): Sender {
  return (parameters, { files }) => {
    checkFile(files, field, rule)
    checkCover(parameters)
    if (files.some((file) => file.field === 'thumbnail')) checkFile(files, 'thumbnail', THUMBNAIL)
    return [captionOf(parameters)]
  }
}

/** A cover is fetched from its address: https://core.telegram.org/bots/api#sendvideo */
function checkCover({ cover }: Record<string, unknown>): void {
  if (cover === undefined || /^https?:$/.test(URL.parse(String(cover))?.protocol ?? '')) return
  refuse(400, 'Bad Request: wrong remote file identifier specified')
}

function checkFile(files: Recorded['files'], field: string | undefined, { types, bytesMax }: FileRule): void {
  const file =
    files.find((each) => each.field === field) ?? refuse(400, `Bad Request: there is no ${field} in the request`)
  if (file.bytes.length > bytesMax) refuse(413, 'Request Entity Too Large')
  if (file.bytes.length === 0) refuse(400, 'Bad Request: file must be non-empty')
  if (!types.test(file.type)) refuse(400, 'Bad Request: IMAGE_PROCESS_FAILED')
  const [width, height] = sizeOf(file.bytes) ?? []
  // https://core.telegram.org/bots/api#sendphoto
  if (width && height && (width + height > 10_000 || Math.max(width / height, height / width) > 20)) {
    refuse(400, 'Bad Request: PHOTO_INVALID_DIMENSIONS')
  }
}

/** Width and height of a PNG. */
function sizeOf(bytes: Buffer): [number, number] | undefined {
  if (bytes.length < 24 || bytes.toString('latin1', 1, 4) !== 'PNG') return undefined
  return [bytes.readUInt32BE(16), bytes.readUInt32BE(20)]
}

function captionOf({ caption, parse_mode }: Record<string, unknown>): { caption?: string } {
  if (caption === undefined) return {}
  const parsed = parseText(String(caption), parse_mode)
  if ([...parsed].length > 1024) refuse(400, 'Bad Request: message caption is too long')
  return { caption: parsed }
}

/** A host of Telegram's own schemes has no port; others need a dot, or are an IPv6 address. */
function isButtonUrl(text: string): boolean {
  const url = URL.parse(text)
  if (!url) return false
  if (/^(?:tg|ton):$/.test(url.protocol)) return /^[\w-]+$/.test(url.host)
  return /^https?:$/.test(url.protocol) && /[.[]/.test(url.hostname)
}

function checkShared(parameters: Record<string, unknown>): void {
  for (const name of ['disable_notification', 'protect_content', 'has_spoiler', 'show_caption_above_media']) {
    const value = parameters[name]
    if (value !== undefined && typeof value !== 'boolean') refuse(400, `Bad Request: can't parse ${name}`)
  }
  const markup = parameters.reply_markup as { inline_keyboard?: unknown } | undefined
  if (markup === undefined) return
  // https://core.telegram.org/bots/api#inlinekeyboardmarkup
  const rows = Array.isArray(markup.inline_keyboard)
    ? markup.inline_keyboard
    : refuse(400, "Bad Request: can't parse reply keyboard markup JSON object")
  const buttons = rows.flat() as Record<string, unknown>[]
  if (buttons.length > 100) refuse(400, 'Bad Request: reply markup is too long')
  for (const button of buttons) {
    if (!button.text) refuse(400, "Bad Request: can't parse inline keyboard button: Text must be non-empty")
    if (button.url === undefined && typeof button.callback_data === 'string') {
      if (Buffer.byteLength(button.callback_data) > 64) refuse(400, 'Bad Request: BUTTON_DATA_INVALID')
    } else if (!isButtonUrl(String(button.url))) {
      refuse(400, `Bad Request: inline keyboard button URL '${button.url}' is invalid`)
    }
  }
}

export const telegramScene: Scene<FakeTelegram> = {
  start: startTelegram,
  origins: ['https://api.telegram.org'],
  account: ({ credentials }) => ({ credentials }),
  connectable: (telegram) => ({
    account: { username: 'lighthouses', displayName: 'Lighthouses' },
    secret: telegram.credentials.botToken,
    firstCall: `POST /bot${telegram.credentials.botToken}/getMe`,
    postCalls: [`POST /bot${telegram.credentials.botToken}/sendPhoto`],
  }),
  countVisible: (telegram) =>
    new Set(telegram.messages.map((message) => message.media_group_id ?? message.message_id)).size,
  published: ({ messages }) => {
    const find = (id: string) => messages.find(({ message_id: known }) => String(known) === id)
    return {
      textOf: (id) => find(id) && (find(id)!.text ?? find(id)!.caption ?? ''),
      editsOf: (id) => find(id)?.edits ?? 0,
      remove: (id) => void messages.splice(messages.indexOf(find(id)!), 1),
    }
  },
  knownFields: { thumbnailUrl: ['https://images.example/a.jpg'] },
  controls: (telegram) => ({
    limited: (seconds) => ({ status: 429, body: { ok: false, parameters: { retry_after: seconds } } }),
    secret: telegram.credentials.botToken,
  }),
}

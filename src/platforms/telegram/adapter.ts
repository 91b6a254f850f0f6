import type { Adapter } from '../contract/adapter.ts'
import { unauthorized, unexpected } from '../contract/publish-error.ts'
import { either, FLAG, ID, list, object, optional, TEXT } from '../wire/answer.ts'
import { at, textAt } from '../wire/json.ts'
import { callMethod, clientFor, MESSAGE } from './bot.ts'
import { edit, remove } from './change.ts'
import { bodyOf, loadThumbnail, messageOf } from './message.ts'
import { sentOf } from './sent.ts'

// Source of everything below that names no other: https://core.telegram.org/bots/api

const MEMBER = object({
  status: TEXT,
  can_post_messages: optional(FLAG),
  can_send_messages: optional(FLAG),
  is_member: optional(FLAG),
})

export const telegramAdapter: Adapter<null> = {
  // No idempotency key, and no way to list sent messages: getUpdates does not return a bot's own.
  guarantee: 'at-most-once',
  // A bot may send 30 messages a second
  // (https://core.telegram.org/bots/faq#my-bot-is-hitting-limits-how-do-i-avoid-this), and one bot may serve all
  // accounts; a message takes a tenth of a second or more.
  concurrency: 4,

  async identify(io) {
    const bot = clientFor(io)
    const me = at((await callMethod(bot, io, 'getMe', object({ id: ID }))).body, 'result', 'id')
    const { body } = await callMethod(bot, io, 'getChat', object({ id: ID, type: TEXT, username: optional(TEXT) }), {
      chat_id: bot.chatId,
    })
    const id = textAt(body, 'result', 'id')!
    const type = textAt(body, 'result', 'type')
    if (type !== 'private') {
      const member = await callMethod(bot, io, 'getChatMember', MEMBER, { chat_id: bot.chatId, user_id: me })
      const obstacle = obstacleOf(at(member.body, 'result'), type)
      if (obstacle) throw unauthorized(`${bot.host}: ${obstacle}`)
    }
    return {
      externalId: id,
      username: textAt(body, 'result', 'username') ?? id,
      displayName: textAt(body, 'result', 'title') ?? textAt(body, 'result', 'first_name') ?? null,
      limitKey: bot.limitKey,
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
    const response = await callMethod(bot, io, method, either(MESSAGE, list(MESSAGE)), body, { visible: true })
    const sent = sentOf(at(response.body, 'result'))
    if (!sent) throw unexpected(bot.host, true)
    return sent
  },

  remove,
  edit,
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

import type { Act, OnNetwork, Sent } from '../contract/adapter.ts'
import { addressOf } from '../contract/changes.ts'
import type { Io } from '../contract/io.ts'
import { impossible, postGone } from '../contract/publish-error.ts'
import { literal } from '../wire/answer.ts'
import { Refused } from '../wire/call-network.ts'
import { type Bot, callMethod, clientFor, MESSAGE } from './bot.ts'
import { editOf } from './message.ts'
import { messageIdsOf } from './sent.ts'

/**
 * Only the words tell these refusals apart: telegram-bot-api/Client.cpp of https://github.com/tdlib/telegram-bot-api
 */
const isAbout = (error: unknown, words: RegExp) => error instanceof Refused && words.test(error.message)

/**
 * A group has no addresses of messages, the supergroup that it became has: a message without one is of the group, and
 * its number may be that of another message in the supergroup.
 */
function requireSameChat({ chatId, host }: Bot, { url }: OnNetwork): void {
  if (url !== null || !chatId.startsWith('-100')) return
  throw impossible(
    `${host}: the message was sent before the group became a supergroup, where no bot can change it: change it in Telegram`,
  )
}

/**
 * https://core.telegram.org/bots/api#deletemessage; https://core.telegram.org/bots/api#deletemessages skips the
 * messages of an album that are not there.
 */
export async function remove(published: OnNetwork, io: Io): Promise<void> {
  const bot = clientFor(io)
  requireSameChat(bot, published)
  const ids = messageIdsOf(published)
  const [method, messages] =
    ids.length > 1
      ? (['deleteMessages', { message_ids: ids }] as const)
      : (['deleteMessage', { message_id: ids[0] }] as const)
  try {
    await callMethod(bot, io, method, literal(true), { chat_id: bot.chatId, ...messages }, { visible: true })
  } catch (error) {
    if (!isAbout(error, /: message to delete not found$/i)) throw error
  }
}

/** The caption of an album is that of its first message. */
export async function edit(act: Act, published: OnNetwork, io: Io): Promise<Sent> {
  const bot = clientFor(io)
  requireSameChat(bot, published)
  const { method, parameters } = editOf(act, published.fileCount > 0)
  try {
    const body = { chat_id: bot.chatId, message_id: Number(published.id), ...parameters }
    await callMethod(bot, io, method, MESSAGE, body, { visible: true })
  } catch (error) {
    if (isAbout(error, /: message to edit not found$/i)) throw postGone(bot.host)
    if (!isAbout(error, /: message is not modified/i)) throw error
  }
  return addressOf(published)
}

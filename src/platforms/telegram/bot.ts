import type { TSchema } from '@sinclair/typebox'
import { TELEGRAM_CHAT, TELEGRAM_TOKEN } from '../../../schemas/text-forms.ts'
import type { Io } from '../contract/io.ts'
import { unauthorized } from '../contract/publish-error.ts'
import { ID, literal, object } from '../wire/answer.ts'
import { callNetwork, type NetworkResponse, type NetworkRules } from '../wire/call-network.ts'
import { at } from '../wire/json.ts'
import { ERRORS, keysOf, newChatIdOf, wordsOf } from './errors.ts'

// Source of everything below that names no other: https://core.telegram.org/bots/api

export interface Bot extends NetworkRules {
  address: string
  chatId: string
  limitKey: string
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
    words: wordsOf,
    errors: ERRORS,
    keysOf,
    movedTo: ({ body }) => ({ credentials: { botToken, chatId: newChatIdOf(body)! }, externalId: newChatIdOf(body)! }),
    // The token begins with the bot's id.
    limitKey: `telegram:${botToken.split(':')[0]}`,
    // https://core.telegram.org/bots/api#responseparameters
    retryAfterMs: ({ body }) => {
      const seconds = at(body, 'parameters', 'retry_after')
      return typeof seconds === 'number' ? seconds * 1000 : undefined
    },
  }
}

/** A message in a result. */
export const MESSAGE = object({ message_id: ID })

/** `result` is the part of the response that the method documents. */
export async function callMethod(
  bot: Bot,
  io: Io,
  method: string,
  result: TSchema,
  body: object = {},
  { visible = false } = {},
): Promise<NetworkResponse> {
  const answer = object({ ok: literal(true), result })
  return callNetwork(bot, io, `${bot.address}/${method}`, { method: 'POST', body, visible, answer })
}

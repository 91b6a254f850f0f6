import { DISCORD_WEBHOOK } from '../../../schemas/text-forms.ts'
import type { Io } from '../contract/io.ts'
import { unauthorized } from '../contract/publish-error.ts'
import { type NetworkRules, Refused } from '../wire/call-network.ts'
import { at, textAt } from '../wire/json.ts'
import { orMissing } from '../wire/not-found.ts'
import { ERRORS, keysOf } from './errors.ts'

/**
 * Requests without a User-Agent of this form may be blocked: https://docs.discord.com/developers/reference#user-agent
 */
export const HEADERS = { 'user-agent': 'DiscordBot (postroom, 1)' }

export interface Webhook extends NetworkRules {
  id: string
  address: string
}

/** Parsed and rebuilt, so that only Discord is ever called. */
const WEBHOOK_URL = new RegExp(DISCORD_WEBHOOK)

export function clientFor({ credentials: { webhookUrl = '' } }: Io): Webhook {
  const [, id, token] = WEBHOOK_URL.exec(webhookUrl) ?? []
  if (!id || !token) throw unauthorized('webhookUrl has to have the form https://discord.com/api/webhooks/ID/TOKEN')
  return {
    id,
    host: 'discord.com',
    // https://docs.discord.com/developers/reference#api-versioning
    address: `https://discord.com/api/v10/webhooks/${id}/${token}`,
    secrets: [token],
    words: wordsOf,
    errors: ERRORS,
    keysOf,
    // A limit of the address that calls.
    limitKey: 'discord',
    // https://docs.discord.com/developers/topics/rate-limits#exceeding-a-rate-limit: seconds with a fraction, which the
    // header lacks.
    retryAfterMs: ({ body }) => {
      const seconds = at(body, 'retry_after')
      return typeof seconds === 'number' ? Math.ceil(seconds * 1000) : undefined
    },
  }
}

/** https://docs.discord.com/developers/topics/opcodes-and-status-codes#json */
const UNKNOWN_CHANNEL = 10003
const UNKNOWN_MESSAGE = 10008

/** Undefined for a call about a message that is not there, nor the thread that it was in. */
export const orUnknown = <Result>(threadId: string | undefined, call: () => Promise<Result>) =>
  orMissing((error) => {
    const code = codeOf(error)
    return code === UNKNOWN_MESSAGE || (threadId !== undefined && code === UNKNOWN_CHANNEL)
  }, call)

const codeOf = (error: unknown) => (error instanceof Refused ? at(error.refusal.body, 'code') : undefined)

/**
 * https://docs.discord.com/developers/resources/webhook#get-webhook-message: one in a thread needs the thread's id.
 * Editing and deleting have the same address.
 */
export function messageUrl({ address }: Webhook, id: string, threadId?: string): URL {
  const url = new URL(`${address}/messages/${encodeURIComponent(id)}`)
  if (threadId) url.searchParams.set('thread_id', threadId)
  return url
}

/** The channel in the address of a message is the thread that it is in. */
export const channelOf = (url: string | null) => /\/channels\/\d+\/(\d+)\//.exec(url ?? '')?.[1]

/** Discord's description of the problem and its place: https://docs.discord.com/developers/reference#error-messages */
function wordsOf(body: unknown): string | undefined {
  const message = textAt(body, 'message')
  const details = detailsOf(at(body, 'errors'), [])
  return message && details.length > 0 ? `${message}: ${details.join('; ')}` : message
}

function detailsOf(errors: unknown, path: readonly string[]): string[] {
  // Discord's own errors are not nested deeper than the field of an embed.
  if (typeof errors !== 'object' || errors === null || path.length > 6) return []
  return Object.entries(errors).flatMap(([key, value]) => {
    if (key !== '_errors' || !Array.isArray(value)) return detailsOf(value, [...path, key])
    return value.map((error) => `${path.join('.')} ${textAt(error, 'message') ?? ''}`)
  })
}

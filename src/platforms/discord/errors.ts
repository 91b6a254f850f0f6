import type { ErrorKeys, ErrorRow } from '../contract/error-table.ts'
import type { Refusal } from '../wire/call-network.ts'
import { at, textAt } from '../wire/json.ts'

const CODES = 'https://docs.discord.com/developers/topics/opcodes-and-status-codes#json'
const LIMITS = 'https://docs.discord.com/developers/topics/rate-limits'

export const ERRORS: readonly ErrorRow[] = [
  {
    status: 401,
    means: 'credentials refused',
    note: 'The token of the webhook is invalid.',
    source: CODES,
  },
  {
    code: /^(?:10015|50027)$/,
    means: 'credentials refused',
    note: 'The webhook was deleted, or its token is invalid.',
    source: CODES,
  },
  {
    code: /^500(?:01|13)$/,
    means: 'credentials refused',
    note: 'The webhook has no access to the channel.',
    source: CODES,
  },
  {
    code: /^(?:20009|200000|200001|240000)$/,
    means: 'content refused',
    note: 'A filter blocks the message: explicit content, AutoMod, or a harmful link.',
    source: CODES,
  },
  {
    code: /^(?:20016|20022|20028|20029|30046|40062)$/,
    means: 'rate limited',
    note: 'The channel or the server has reached its limit of messages, or of edits.',
    source: CODES,
  },
  {
    code: /^(?:40004|40006|130000)$/,
    means: 'tried later',
    note: 'Sending is switched off for a time, or Discord is overloaded.',
    source: CODES,
  },
  {
    status: 429,
    code: 'of the webhook',
    means: 'rate limited',
    note: 'The webhook sends too fast.',
    source: `${LIMITS}#header-format`,
  },
  {
    status: 429,
    means: 'rate limited',
    isShared: true,
    note: "The global limit, and Cloudflare's ban: both concern the address that calls.",
    source: `${LIMITS}#header-format`,
  },
]

/** Only Discord's own 429 for one route concerns one webhook. */
export const keysOf = (refusal: Refusal): ErrorKeys => ({
  code: isOfWebhook(refusal) ? 'of the webhook' : textAt(refusal.body, 'code'),
})

function isOfWebhook({ status, body, headers }: Refusal): boolean {
  const isGlobal =
    at(body, 'global') === true ||
    headers.get('x-ratelimit-global') === 'true' ||
    headers.get('x-ratelimit-scope') === 'global'
  return status === 429 && typeof at(body, 'retry_after') === 'number' && !isGlobal
}

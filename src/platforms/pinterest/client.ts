import type { Sent } from '../contract/adapter.ts'
import type { Io } from '../contract/io.ts'
import { impossible, PublishError, unexpected } from '../contract/publish-error.ts'
import { accessTokenOf } from '../wire/access-token.ts'
import {
  callNetwork,
  type NetworkResponse,
  type NetworkRules,
  type Refusal,
  Refused,
  retryAfterMs,
} from '../wire/call-network.ts'
import { at, textAt } from '../wire/json.ts'

export const HOST = 'api.pinterest.com'
const API = `https://${HOST}/v5`

/** The ids of pins, boards, sections and files: `^\d+$` in https://github.com/pinterest/api-description. */
const ID = /^\d{1,32}$/

/** More than a page of 250 carousels whose texts have the maximum length. */
const LIST_BYTES_MAX = 16 * 1_048_576

/** "Most limits are removed automatically within 24 hours": https://help.pinterest.com/en/article/rate-limit-blocks */
const SPAM_BLOCK_REST_MS = 4 * 3_600_000

/** Limits are per minute with Standard access: https://developers.pinterest.com/docs/reference/rate-limits/ */
const RATE_LIMIT_REST_MS = 60_000

/** The calls of one account. */
export interface Client {
  /** `path` follows `/v5`. */
  call(path: string, options?: Options): Promise<NetworkResponse>
  /** The items of the first `pagesMax` pages of a list. */
  list(path: string, pagesMax: number): Promise<unknown[]>
}

type Options = Omit<NonNullable<Parameters<typeof callNetwork>[3]>, 'headers'>

export function clientFor(io: Io): Client {
  const accessToken = accessTokenOf(io.credentials, 'Pinterest')
  const rules: NetworkRules = {
    host: HOST,
    secrets: [accessToken],
    words: wordsOf,
    isUnauthorized,
    isRateLimited: isSpamBlock,
    retryAfterMs: restMs,
    classify,
  }
  async function call(path: string, options: Options, responseBytesMax?: number): Promise<NetworkResponse> {
    const network = responseBytesMax ? { ...rules, responseBytesMax } : rules
    try {
      const headers = { authorization: `Bearer ${accessToken}` }
      return await callNetwork(network, io, `${API}${path}`, { ...options, headers })
    } catch (error) {
      throw explain(error)
    }
  }
  return {
    call: (path, options = {}) => call(path, options),
    async list(path, pagesMax) {
      const items: unknown[] = []
      let bookmark: string | undefined
      for (let page = 0; page < pagesMax; page++) {
        const query = new URLSearchParams({ page_size: '250', ...(bookmark && { bookmark }) })
        const { body } = await call(`${path}?${query}`, {}, LIST_BYTES_MAX)
        const more = at(body, 'items')
        if (!Array.isArray(more)) throw unexpected(HOST, false)
        items.push(...more)
        bookmark = textAt(body, 'bookmark')
        if (!bookmark) break
      }
      return items
    },
  }
}

export const isId = (value: unknown): value is string => typeof value === 'string' && ID.test(value)

/** An id of the user's, as a part of a path. */
export function idOf(value: unknown, field: string): string {
  if (!isId(value)) throw impossible(`fields.${field} has to consist of digits only`)
  return value
}

/** No response has the address: https://github.com/pinterest/api-description, the schema Pin. */
export const sentOf = (id: string): Sent => ({ id, url: `https://www.pinterest.com/pin/${id}/` })

/*
 * Errors have a `code` and a `message`. The codes are those of examples in
 * https://github.com/pinterest/api-description, unless another page is named.
 */

const codeOf = (body: unknown) => Number(at(body, 'code'))
const messageOf = (body: unknown) => textAt(body, 'message') ?? ''

/** No right to a board, a section or a pin. In `GET /pins/analytics`, 7 has status 401. */
const NO_RIGHT = [7, 29]

/** Only users have reported it, with 403 and 429: https://github.com/gitroomhq/postiz-app/pull/1962 */
const SPAM = 9

/**
 * "Sorry! Something went wrong on our end.", with status 400. Only users have reported it, for pins that were created
 * too.
 */
const INTERNAL_ERROR = 2787

/** The words of Pinterest, and what to do if they do not say it. */
function wordsOf(body: unknown): string | undefined {
  const words = textAt(body, 'message')
  if (words === undefined) return undefined
  if (isUnreachable(body)) return withAdvice(words, 'Pinterest has to be able to fetch fields.coverUrl')
  if (NO_RIGHT.includes(codeOf(body))) return withAdvice(words, 'choose a board that the account may add pins to')
  return words
}

const withAdvice = (words: string, advice: string) => `${words.replace(/[.!]$/, '')}: ${advice}`

/** A 403 is about rights, not about the token. */
const isUnauthorized = ({ status, body }: Refusal) =>
  status === 401 && !NO_RIGHT.includes(codeOf(body)) && !isAboutTrial(body)

/**
 * Pinterest's own client knows it by the word:
 * https://github.com/pinterest/api-quickstart/blob/main/python/src/api_common.py
 */
const isSpamBlock = ({ status, body }: Refusal) =>
  (status < 500 && codeOf(body) === SPAM) ||
  (status === 429 && /spam/i.test(`${messageOf(body)} ${textAt(body, 'message_detail')}`))

/** Pinterest refuses a link that looks like spam with 429 and the code 9 as well. A pause does not help. */
const isBlockedLink = (error: unknown): error is PublishError =>
  error instanceof PublishError && error.code === 'rate_limited' && /blocked this link/i.test(error.message)

function restMs(refusal: Refusal): number | undefined {
  const named = retryAfterMs(refusal.headers)
  if (named !== undefined) return named
  if (isSpamBlock(refusal)) return SPAM_BLOCK_REST_MS
  return refusal.status === 429 ? Math.max(RATE_LIMIT_REST_MS, untilReset(refusal.headers)) : undefined
}

/** The header is not documented, nor whether it has seconds from now or since 1970. */
function untilReset(headers: Headers): number {
  const seconds = Number(headers.get('x-ratelimit-reset') ?? 0) || 0
  return (seconds > 1e9 ? seconds - Date.now() / 1000 : seconds) * 1000
}

function classify({ status, body }: Refusal): 'maybe sent' | 'try later' | undefined {
  if (codeOf(body) === INTERNAL_ERROR) return 'maybe sent'
  return status === 400 && isUnreachable(body) ? 'try later' : undefined
}

/** Pinterest could not fetch the cover from its address. */
const isUnreachable = (body: unknown) => /unable to reach|could not fetch/i.test(messageOf(body))

/** https://github.com/gitroomhq/postiz-app/issues/1084 */
const isAboutTrial = (body: unknown) => /trial access/i.test(messageOf(body))

function explain(error: unknown): unknown {
  if (isBlockedLink(error)) return impossible(withAdvice(error.message, 'change fields.link'))
  return error instanceof Refused && isAboutTrial(error.refusal.body) ? trialAccess() : error
}

const trialAccess = () =>
  new PublishError(
    'Pinterest lets no app with Trial access create pins: the operator of this service has to get Standard access for its app, then retry',
    { code: 'app_not_approved', maybeSent: false, retryable: false, needsAttention: true },
  )

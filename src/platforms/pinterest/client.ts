import { accessTokenOf } from '../access-token.ts'
import type { Io, Sent } from '../adapter.ts'
import {
  callNetwork,
  type NetworkResponse,
  type NetworkRules,
  type Refusal,
  Refused,
  retryAfterMs,
} from '../call-network.ts'
import { at, textAt } from '../json.ts'
import { impossible, PublishError, unexpected } from '../publish-error.ts'

export const HOST = 'api.pinterest.com'
const API = `https://${HOST}/v5`

/** Of pins, boards, sections and files: `^\d+$` in https://github.com/pinterest/api-description. */
const ID = /^\d{1,32}$/

/** "Most limits are removed automatically within 24 hours": https://help.pinterest.com/en/article/rate-limit-blocks */
const SPAM_BLOCK_REST_MS = 4 * 3_600_000

/** Limits are per minute: https://developers.pinterest.com/docs/reference/rate-limits/. No header says when they end. */
const RATE_LIMIT_REST_MS = 60_000

/** The calls of one account. */
export interface Client extends NetworkRules {
  /** `path` follows `/v5`. */
  call(
    path: string,
    options?: Omit<NonNullable<Parameters<typeof callNetwork>[3]>, 'headers'>,
  ): Promise<NetworkResponse>
  /** The items of a list, of at most so many pages, until `isLast` is true of a page. */
  list(path: string, pagesMax: number, isLast?: (items: unknown[]) => boolean): Promise<unknown[]>
}

export function clientFor(io: Io): Client {
  const accessToken = accessTokenOf(io.credentials, 'Pinterest')
  const client: Client = {
    host: HOST,
    secrets: [accessToken],
    words: (body) => textAt(body, 'message'),
    isUnauthorized,
    isRateLimited: isSpamBlock,
    retryAfterMs: restMs,
    classify: (refusal) => (isUnreachable(refusal) ? 'try later' : undefined),
    async call(path, options) {
      try {
        const headers = { authorization: `Bearer ${accessToken}` }
        return await callNetwork(client, io, `${API}${path}`, { ...options, headers })
      } catch (error) {
        throw error instanceof Refused && isTrial(error.refusal) ? trialAccess() : error
      }
    },
    async list(path, pagesMax, isLast = () => false) {
      const items: unknown[] = []
      let bookmark: string | undefined
      for (let page = 0; page < pagesMax; page++) {
        const query = new URLSearchParams({ page_size: '250', ...(bookmark && { bookmark }) })
        const { body } = await client.call(`${path}?${query}`)
        const more = at(body, 'items')
        if (!Array.isArray(more)) throw unexpected(HOST, false)
        items.push(...more)
        bookmark = textAt(body, 'bookmark')
        if (!bookmark || isLast(more)) break
      }
      return items
    },
  }
  return client
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
 * The document has only the shape of an error, `code` and `message`. The codes are those that users have reported; each
 * has the page beside it.
 */

/** No right to a board, a section or a pin: https://github.com/pinterest/api-quickstart/issues/97 has the code for scopes, 3. */
const NO_RIGHT = [7, 29]
const SPAM = 9

const isUnauthorized = ({ status, body }: Refusal) =>
  status === 401 || (status === 403 && !NO_RIGHT.includes(Number(at(body, 'code'))))

/** https://github.com/pinterest/api-quickstart/blob/main/python/src/api_common.py knows it by the word. */
const isSpamBlock = ({ status, body }: Refusal) =>
  (status === 403 && at(body, 'code') === SPAM) ||
  (status === 429 && /spam/i.test(`${textAt(body, 'message')} ${textAt(body, 'message_detail')}`))

function restMs(refusal: Refusal): number | undefined {
  const named = retryAfterMs(refusal.headers)
  if (named !== undefined) return named
  if (isSpamBlock(refusal)) return SPAM_BLOCK_REST_MS
  return refusal.status === 429 ? RATE_LIMIT_REST_MS : undefined
}

/** Pinterest could not fetch the cover from its address. */
const isUnreachable = ({ status, body }: Refusal) =>
  status === 400 && /unable to reach/i.test(textAt(body, 'message') ?? '')

/** https://github.com/gitroomhq/postiz-app/issues/1084 */
const isTrial = ({ status, body }: Refusal) => status === 403 && /trial access/i.test(textAt(body, 'message') ?? '')

const trialAccess = () =>
  new PublishError(
    'Pinterest lets no app with Trial access create pins: the operator of this service has to get Standard access for its app, then retry',
    { code: 'app_not_approved', maybeSent: false, retryable: false, needsAttention: true },
  )

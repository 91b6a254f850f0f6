import type { TSchema } from '@sinclair/typebox'
import type { Sent } from '../contract/adapter.ts'
import type { Io } from '../contract/io.ts'
import { impossible } from '../contract/publish-error.ts'
import { accessTokenOf } from '../wire/access-token.ts'
import { list, object, optional, TEXT } from '../wire/answer.ts'
import { type CallOptions, callNetwork, type NetworkResponse, type NetworkRules } from '../wire/call-network.ts'
import { at, textAt } from '../wire/json.ts'
import { ERRORS, keysOf, untilReset, wordsOf } from './errors.ts'

export const HOST = 'api.pinterest.com'
const API = `https://${HOST}/v5`

/** The ids of pins, boards, sections and files: `^\d+$` in https://github.com/pinterest/api-description. */
const ID = /^\d{1,32}$/

/** More than a page of 250 carousels whose texts have the maximum length. */
const LIST_BYTES_MAX = 16 * 1_048_576

/** The calls of one account. */
export interface Client {
  /** `path` follows `/v5`. */
  call(path: string, options: Options): Promise<NetworkResponse>
  /** The items of the first `pagesMax` pages of a list. */
  list(path: string, item: TSchema, pagesMax: number): Promise<unknown[]>
}

type Options = Omit<CallOptions, 'headers'>

export function clientFor(io: Io): Client {
  const accessToken = accessTokenOf(io.credentials, 'Pinterest')
  const rules: NetworkRules = {
    host: HOST,
    secrets: [accessToken],
    words: wordsOf,
    errors: ERRORS,
    keysOf,
    retryAfterMs: untilReset,
  }
  function call(path: string, options: Options, responseBytesMax?: number): Promise<NetworkResponse> {
    const network = responseBytesMax ? { ...rules, responseBytesMax } : rules
    const headers = { authorization: `Bearer ${accessToken}` }
    return callNetwork(network, io, `${API}${path}`, { ...options, headers })
  }
  return {
    call: (path, options) => call(path, options),
    async list(path, item, pagesMax) {
      const answer = object({ items: list(item), bookmark: optional(TEXT) })
      const items: unknown[] = []
      let bookmark: string | undefined
      for (let page = 0; page < pagesMax; page++) {
        const query = new URLSearchParams({ page_size: '250', ...(bookmark && { bookmark }) })
        const { body } = await call(`${path}?${query}`, { answer }, LIST_BYTES_MAX)
        items.push(...(at(body, 'items') as unknown[]))
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

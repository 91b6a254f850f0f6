import type { TSchema } from '@sinclair/typebox'
import type { Io } from '../contract/io.ts'
import { accessTokenOf } from '../wire/access-token.ts'
import { literal, object } from '../wire/answer.ts'
import { callNetwork, type NetworkRules } from '../wire/call-network.ts'
import { at } from '../wire/json.ts'
import { codeOf, ERRORS, keysOf, wordsOf } from './errors.ts'

export const HOST = 'open.tiktokapis.com'
const API = `https://${HOST}`

export interface Client extends NetworkRules {
  headers: Record<string, string>
}

/** `isDraft`: a draft needs a scope of its own, without which other posts of the account still work. */
export function clientFor({ credentials }: Pick<Io, 'credentials'>, isDraft = false): Client {
  const accessToken = accessTokenOf(credentials, 'TikTok')
  return {
    host: HOST,
    secrets: [accessToken],
    headers: { authorization: `Bearer ${accessToken}`, 'content-type': 'application/json; charset=UTF-8' },
    words: wordsOf,
    // Some refusals have status 200: https://developers.tiktok.com/doc/content-posting-api-reference-query-creator-info
    reportsError: (body) => codeOf(body) !== undefined && codeOf(body) !== 'ok',
    errors: ERRORS,
    keysOf: (refusal) => keysOf(refusal, isDraft),
  }
}

interface Options {
  /** The documented part of the response. */
  data: TSchema
  method?: 'GET' | 'POST'
  body?: object
  visible?: boolean
}

/** Calls the API. Returns `data` of its response. */
export async function call(
  client: Client,
  io: Pick<Io, 'fetch' | 'signal'>,
  path: string,
  { data, method = 'POST', body, visible = false }: Options,
): Promise<unknown> {
  const { headers } = client
  const answer = object({ data, error: object({ code: literal('ok') }) })
  const options = { method, headers, ...(body && { body }), visible, answer }
  return at((await callNetwork(client, io, `${API}${path}`, options)).body, 'data')
}

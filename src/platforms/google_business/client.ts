import type { TSchema } from '@sinclair/typebox'
import type { Credentials, Io } from '../contract/io.ts'
import { unauthorized, unexpected } from '../contract/publish-error.ts'
import { accessTokenOf } from '../wire/access-token.ts'
import { list as listOf, object, optional, TEXT } from '../wire/answer.ts'
import { type CallOptions, callNetwork, type NetworkResponse, type NetworkRules } from '../wire/call-network.ts'
import { at, textAt } from '../wire/json.ts'
import { ERRORS, keysOf, statusOf, wordsOf } from './errors.ts'

/** Local posts are in version 4 alone, accounts and locations in APIs of their own. */
export const POSTS = 'https://mybusiness.googleapis.com/v4'
export const LOCATIONS = 'https://mybusinessbusinessinformation.googleapis.com/v1'
export const ACCOUNTS = 'https://mybusinessaccountmanagement.googleapis.com/v1'

/** A hundred posts with long texts. */
const LIST_BYTES_MAX = 8_388_608

/** A hundred posts a page: more than a location has. */
const PAGES_MAX = 30

/** The path of the account's location in version 4. */
export function locationOf({ location = '' }: Credentials): string {
  if (/^accounts\/\d{1,32}\/locations\/\d{1,32}$/.test(location)) return location
  throw unauthorized('The account has no location of Google Business Profile: connect it again')
}

/** The posts of the account's location. */
export const postsOf = (credentials: Credentials) => `${POSTS}/${locationOf(credentials)}/localPosts`

/**
 * The id of a post, from its name. The rest of the name is not stable: it begins with an account of the person who
 * connected the location, and another manager of the location has other accounts.
 */
export const idOf = (name: string) => name.slice(name.lastIndexOf('/') + 1)

/** A post in a response. */
export const POST = object({ name: TEXT, state: optional(TEXT) })

/** Makes one call with the access token of the account. */
export function call(
  { credentials, ...io }: Io,
  url: string,
  options: CallOptions,
  rules: Partial<NetworkRules> = {},
): Promise<NetworkResponse> {
  const accessToken = accessTokenOf(credentials, 'Google')
  const network = { ...rulesFor(new URL(url).host, accessToken, credentials.clientId), ...rules }
  return callNetwork(network, io, url, { ...options, headers: { authorization: `Bearer ${accessToken}` } })
}

/** Calls a post; undefined if it is not there. The same error stands for a location that the account has lost. */
export async function callPost(id: string, io: Io, options: CallOptions, query = '') {
  const posts = postsOf(io.credentials)
  const response = await call(io, `${posts}/${encodeURIComponent(idOf(id))}${query}`, { ...options, accept: [404] })
  if (response.status !== 404) return response
  const { host } = new URL(posts)
  if (statusOf(response.body) !== 'NOT_FOUND') throw unexpected(host, options.visible ?? false)
  await call(io, `${posts}?pageSize=1`, { answer: object() })
  return undefined
}

/** Everything in a list that comes in pages, as far as it is read. */
export async function list(
  io: Io,
  url: string,
  key: string,
  item: TSchema,
  query: Record<string, string>,
): Promise<{ items: unknown[]; isComplete: boolean }> {
  // An empty list is absent.
  const answer = object({ [key]: optional(listOf(item)), nextPageToken: optional(TEXT) })
  const items: unknown[] = []
  let pageToken: string | undefined
  for (let pages = 0; pages < PAGES_MAX; pages++) {
    const parameters = new URLSearchParams({ ...query, ...(pageToken && { pageToken }) })
    const { body } = await call(io, `${url}?${parameters}`, { answer }, { responseBytesMax: LIST_BYTES_MAX })
    items.push(...((at(body, key) ?? []) as unknown[]))
    pageToken = textAt(body, 'nextPageToken')
    if (!pageToken) return { items, isComplete: true }
  }
  return { items, isComplete: false }
}

/**
 * Names the accounts that share a quota: that of the project to which the app belongs. The id of an app is not a
 * secret.
 */
export const limitKeyOf = (clientId: string | undefined) => (clientId ? `google_business:${clientId}` : undefined)

const rulesFor = (host: string, accessToken: string, clientId: string | undefined): NetworkRules => ({
  host,
  secrets: [accessToken],
  words: wordsOf,
  errors: ERRORS,
  keysOf,
  limitKey: limitKeyOf(clientId),
})

import type { OAuthIo } from '../../contract/oauth.ts'
import { unexpected } from '../../contract/publish-error.ts'
import { type Answer, ID, object } from '../../wire/answer.ts'
import { callNetwork, type NetworkRules, type Refusal, Refused } from '../../wire/call-network.ts'
import { at, parseJson, textAt } from '../../wire/json.ts'
import { orMissing } from '../../wire/not-found.ts'
import { ERRORS, keysOf } from './errors.ts'

// How the APIs of Instagram and Threads are called, and how they report errors.
// https://developers.facebook.com/docs/instagram-platform/instagram-graph-api/reference/error-codes (2026-06-02);
// https://developers.facebook.com/docs/graph-api/guides/error-handling. Threads has no table of its own.

export interface MetaApi extends NetworkRules {
  /** The address of the API with its version. */
  base: string
  accessToken: string
}

export function metaApi(base: string, accessToken: string): MetaApi {
  return { base, accessToken, ...metaRules(new URL(base).host, [accessToken]) }
}

export function metaRules(host: string, secrets: readonly string[]): NetworkRules {
  return {
    host,
    secrets,
    // The token endpoints send `error_message`.
    words: (body) =>
      textAt(body, 'error', 'error_user_msg') ||
      (textAt(body, 'error', 'message') ?? textAt(body, 'error_message') ?? textAt(body, 'error')),
    errors: ERRORS,
    keysOf,
    retryAfterMs,
  }
}

/** "(#10) Not enough viewers for the media to show insights", of stories. */
export const hasFewViewers = (body: unknown): boolean => {
  const { code, text = '' } = keysOf({ body })
  return code === '10' && /not enough viewers/i.test(text)
}

/** The header gives minutes: https://developers.facebook.com/docs/graph-api/overview/rate-limiting#headers-2 */
function retryAfterMs({ headers }: Refusal): number | undefined {
  const usage = parseJson(headers.get('x-business-use-case-usage') ?? undefined)
  const minutes = Object.values(usage ?? {})
    .flat()
    .map((entry) => Number(at(entry, 'estimated_time_to_regain_access')))
    .filter((value) => value > 0)
  return minutes.length === 0 ? undefined : Math.max(...minutes) * 60_000
}

/**
 * Whether an object was not found. It may exist: both networks refuse to show containers and posts shortly after they
 * were made (24), and in outages (100, subcode 33).
 */
export function isNotFound(error: unknown): error is Refused {
  if (!(error instanceof Refused)) return false
  const { code, subcode } = keysOf(error.refusal)
  return code === '24' || (code === '100' && subcode === '33')
}

/** Whether a post is there. In an outage, the profile cannot be read either: then this throws. */
export async function isShown(api: MetaApi, id: string, io: OAuthIo): Promise<boolean> {
  const answer = object({ id: ID })
  await get(api, io, 'me', { fields: 'id' }, answer)
  const read = async () => {
    await get(api, io, encodeURIComponent(id), { fields: 'id' }, answer)
    return true
  }
  return (await orMissing(isNotFound, read)) ?? false
}

/** Reads an object. The token is a parameter: it is not documented that Threads takes it in a header. */
export async function get(
  api: MetaApi,
  io: OAuthIo,
  path: string,
  parameters: Record<string, string>,
  answer: Answer,
): Promise<unknown> {
  const query = new URLSearchParams({ ...parameters, access_token: api.accessToken })
  return (await callNetwork(api, io, `${api.base}/${path}?${query}`, { answer })).body
}

/**
 * Makes an object, and returns its id. As a form: JSON loses parameters
 * (https://github.com/exileum/meta-mcp/issues/137).
 */
export async function post(
  api: MetaApi,
  io: OAuthIo,
  path: string,
  parameters: Record<string, string>,
  visible: boolean,
): Promise<string> {
  const body = new URLSearchParams({ ...parameters, access_token: api.accessToken })
  const options = { method: 'POST', body, visible, answer: object({ id: ID }) } as const
  const response = await callNetwork(api, io, `${api.base}/${path}`, options)
  const id = idAt(response.body, 'id')
  if (id === undefined) throw unexpected(api.host, visible)
  return id
}

/** Ids become parts of addresses. As a number, one above 2^53 would be another one. */
export function idAt(body: unknown, ...path: (string | number)[]): string | undefined {
  const id = at(body, ...path)
  return typeof id === 'string' && /^\d{1,32}$/.test(id) ? id : undefined
}

/** The public address of a post, which pages show; null if the network does not give it. */
export function permalinkOf(post: unknown): string | null {
  const url = textAt(post, 'permalink') ?? ''
  return url.length <= 2048 && URL.parse(url)?.protocol === 'https:' ? url : null
}

/** Checked before it is sent, so that an error does not repeat it. */
export const isToken = (token: string) => /^[\w.|~+/=-]{1,4096}$/.test(token)

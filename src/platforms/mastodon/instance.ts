import { MASTODON_TOKEN } from '../../../schemas/text-forms.ts'
import type { Sent } from '../contract/adapter.ts'
import type { Io } from '../contract/io.ts'
import { unauthorized, unexpected } from '../contract/publish-error.ts'
import { ID, list, object } from '../wire/answer.ts'
import {
  type CallOptions,
  callNetwork,
  type NetworkResponse,
  type NetworkRules,
  type Refusal,
  Refused,
} from '../wire/call-network.ts'
import { textAt } from '../wire/json.ts'
import { orNotFound } from '../wire/not-found.ts'
import { ERRORS, keysOf, words } from './errors.ts'

export interface Instance extends NetworkRules {
  origin: string
  headers: Record<string, string>
}

export function clientFor({ credentials: { instance = '', accessToken = '' } }: Io): Instance {
  const url = URL.parse(instance)
  if (url?.protocol !== 'https:' || url.username || url.password || url.pathname !== '/' || url.search || url.hash) {
    throw unauthorized('instance has to be the https:// address of a Mastodon server, without a path')
  }
  // Checked here, because `fetch` repeats an invalid header in its error.
  if (!new RegExp(MASTODON_TOKEN).test(accessToken))
    throw unauthorized('accessToken has to be an access token of the instance: letters, digits and _-.~+/=')
  return {
    host: url.host,
    origin: url.origin,
    headers: { authorization: `Bearer ${accessToken}` },
    secrets: [accessToken],
    words,
    retryAfterMs: untilReset,
    errors: ERRORS,
    keysOf,
  }
}

/**
 * Mastodon sends the end of its limit in ISO 8601 (https://docs.joinmastodon.org/api/rate-limits/), and no Retry-After
 * (https://github.com/mastodon/mastodon/blob/main/config/initializers/rack_attack.rb).
 */
function untilReset({ headers }: Refusal): number | undefined {
  const resetAt = Date.parse(headers.get('x-ratelimit-reset') ?? '')
  return Number.isNaN(resetAt) ? undefined : Math.max(0, resetAt - Date.now())
}

/**
 * Reads the account: https://docs.joinmastodon.org/methods/accounts/#verify_credentials. Pleroma and Friendica refuse
 * an unknown token with 403, in the language of the server (lib/pleroma/web/plugs/ensure_authenticated_plug.ex,
 * https://github.com/friendica/friendica/blob/develop/src/Module/BaseApi.php). This call has no content to refuse.
 */
export async function readAccount(instance: Instance, io: Io): Promise<unknown> {
  const url = `${instance.origin}/api/v1/accounts/verify_credentials`
  try {
    return (await callNetwork(instance, io, url, { headers: instance.headers, answer: object({ id: ID }) })).body
  } catch (error) {
    throw isForbidden(error) ? unauthorized(error.message) : error
  }
}

const isForbidden = (error: unknown): error is Refused => error instanceof Refused && error.refusal.status === 403

/** Calls the server. A 403 concerns the content if the token can still read its account. */
export async function callInstance(
  instance: Instance,
  io: Io,
  url: string,
  options: CallOptions,
): Promise<NetworkResponse> {
  try {
    return await callNetwork(instance, io, url, { headers: instance.headers, ...options })
  } catch (error) {
    if (isForbidden(error)) await readAccount(instance, io)
    throw error
  }
}

/** Whether the software of the server does not know the call. */
export const isNoRoute = (error: unknown): boolean =>
  error instanceof Refused && [400, 404, 405].includes(error.refusal.status)

export const statusAt = ({ origin }: Instance, id: string) => `${origin}/api/v1/statuses/${encodeURIComponent(id)}`

/** https://docs.joinmastodon.org/methods/statuses/#get. Undefined for a status that the account cannot see. */
export async function readStatus(instance: Instance, id: string, io: Io): Promise<unknown> {
  const answer = object({ id: ID, media_attachments: list(object({ id: ID })) })
  const response = await orNotFound(() => callInstance(instance, io, statusAt(instance, id), { answer }))
  if (response && textAt(response.body, 'id') !== id) throw unexpected(instance.host, false)
  return response?.body
}

/** Checked, since anyone can run an instance: the id becomes part of addresses, and pages show the address. */
export function sentOf(status: unknown): Sent | undefined {
  const id = textAt(status, 'id')
  if (id === undefined || !/^[\w-]{1,64}$/.test(id)) return undefined
  const url = textAt(status, 'url') ?? ''
  return { id, url: url.length <= 2048 && URL.parse(url)?.protocol === 'https:' ? url : null }
}

import type { OAuthIo } from '../contract/oauth.ts'
import { unauthorized } from '../contract/publish-error.ts'
import { type Answer, FLAG, list, object, optional, TEXT } from '../wire/answer.ts'
import { callNetwork, type NetworkRules, Refused } from '../wire/call-network.ts'
import { at, textAt } from '../wire/json.ts'
import { isPrivate } from './identity.ts'

/** The metadata of an authorization server (RFC 8414), as far as the flow needs it. */
export interface AuthorizationServer {
  readonly [name: string]: string | true | undefined
  issuer: string
  authorization_endpoint: string
  token_endpoint: string
  pushed_authorization_request_endpoint: string
  /** Absent if sessions are not revoked. */
  revocation_endpoint?: string
  /** oauth4webapi then demands `iss` in the callback. */
  authorization_response_iss_parameter_supported: true
}

const RESPONSE_BYTES_MAX = 65_536

/** Reads a document that has to be there as JSON, without redirects: https://atproto.com/specs/oauth#server-metadata */
async function readMetadata(origin: string, name: string, answer: Answer, io: OAuthIo): Promise<unknown> {
  const { host } = new URL(origin)
  const rules: NetworkRules = {
    host,
    secrets: [],
    responseBytesMax: RESPONSE_BYTES_MAX,
    words: (body) => textAt(body, 'message'),
    errors: [],
  }
  const { status, headers, body } = await callNetwork(rules, io, new URL(`/.well-known/${name}`, origin), {
    answer,
  })
  const isJson = /^application\/json\s*(?:;|$)/i.test(headers.get('content-type') ?? '')
  if (status !== 200 || !isJson) throw unsuitable(host, `its ${name} is not JSON`)
  return body
}

/** Other types than these are no metadata. What is missing is named to the user. */
const RESOURCE = object({ resource: TEXT, authorization_servers: optional(list(TEXT)) })

const SERVER = object({
  issuer: TEXT,
  authorization_endpoint: optional(TEXT),
  token_endpoint: optional(TEXT),
  pushed_authorization_request_endpoint: optional(TEXT),
  revocation_endpoint: optional(TEXT),
  authorization_response_iss_parameter_supported: optional(FLAG),
  require_pushed_authorization_requests: optional(FLAG),
  client_id_metadata_document_supported: optional(FLAG),
  scopes_supported: optional(list(TEXT)),
  dpop_signing_alg_values_supported: optional(list(TEXT)),
})

export const unsuitable = (host: string, reason: string) =>
  unauthorized(`${host} does not support the OAuth of Bluesky: ${reason}`)

/** The authorization server of a PDS. One without a document of its own may be the authorization server itself. */
export async function findIssuer(server: string, io: OAuthIo): Promise<string> {
  const { host } = new URL(server)
  let resource: unknown
  try {
    resource = await readMetadata(server, 'oauth-protected-resource', RESOURCE, io)
  } catch (error) {
    if (error instanceof Refused && error.refusal.status === 404) return server
    throw error
  }
  // RFC 9728, 3.3
  if (textAt(resource, 'resource') !== server) throw unsuitable(host, 'its metadata is for another server')
  const issuers = at(resource, 'authorization_servers')
  const issuer = Array.isArray(issuers) && issuers.length === 1 ? issuers[0] : undefined
  if (typeof issuer !== 'string' || URL.parse(issuer)?.origin !== issuer || !isPrivate(issuer)) {
    throw unsuitable(host, 'it has to name one authorization server')
  }
  return issuer
}

/**
 * Reads the metadata of an authorization server, and checks it as https://atproto.com/specs/oauth#server-metadata says.
 */
export async function readAuthorizationServer(issuer: string, io: OAuthIo): Promise<AuthorizationServer> {
  const { host, protocol } = new URL(issuer)
  const metadata = await readMetadata(issuer, 'oauth-authorization-server', SERVER, io)
  if (textAt(metadata, 'issuer') !== issuer) throw unsuitable(host, 'its issuer is another server')
  for (const name of REQUIRED_TRUE) {
    if (at(metadata, name) !== true) throw unsuitable(host, `${name} has to be true`)
  }
  for (const [name, value] of REQUIRED_VALUES) {
    const values = at(metadata, name)
    if (!Array.isArray(values) || !values.includes(value)) throw unsuitable(host, `${name} has to contain ${value}`)
  }
  const endpoint = (name: string) => {
    const url = URL.parse(textAt(metadata, name) ?? '')
    if (url?.protocol !== protocol || !isPrivate(url.origin))
      throw unsuitable(host, `${name} has to be an https:// address`)
    return url.href
  }
  return {
    issuer,
    authorization_endpoint: endpoint('authorization_endpoint'),
    token_endpoint: endpoint('token_endpoint'),
    pushed_authorization_request_endpoint: endpoint('pushed_authorization_request_endpoint'),
    ...(at(metadata, 'revocation_endpoint') !== undefined && { revocation_endpoint: endpoint('revocation_endpoint') }),
    authorization_response_iss_parameter_supported: true,
  }
}

const REQUIRED_TRUE = [
  'authorization_response_iss_parameter_supported',
  'require_pushed_authorization_requests',
  'client_id_metadata_document_supported',
]
const REQUIRED_VALUES = [
  ['scopes_supported', 'atproto'],
  ['dpop_signing_alg_values_supported', 'ES256'],
] as const
